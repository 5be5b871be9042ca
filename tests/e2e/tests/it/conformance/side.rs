//! Both sides, and the knowledge of each about its objects.

use std::collections::HashMap;
use std::path::Path;

use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use sim::{Answer, Call, Id, Store};
use tokio::runtime::{Builder, Runtime};

use super::known::Known;

/// Answers requests.
pub trait Api {
    fn ask(&mut self, call: &Call) -> Answer;
}

/// The simulated store.
pub struct Model(Store);

impl Model {
    pub fn new() -> Self {
        Self(Store::new(testkit::builders::after(0)))
    }
}

impl Api for Model {
    fn ask(&mut self, call: &Call) -> Answer {
        self.0.handle("test", call)
    }
}

/// The real API server.
pub struct Real {
    runtime: Runtime,
    client: Client,
}

impl Real {
    pub fn new(kubeconfig: &Path) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let file = Kubeconfig::read_from(kubeconfig).unwrap();
            let options = KubeConfigOptions::default();
            let config = Config::from_custom_kubeconfig(file, &options).await;
            Client::try_from(config.unwrap()).unwrap()
        });
        Self { runtime, client }
    }
}

impl Api for Real {
    fn ask(&mut self, call: &Call) -> Answer {
        let body = match &call.body {
            Value::Null => Vec::new(),
            body => body.to_string().into_bytes(),
        };
        let request = http::Request::builder()
            .method(call.method.as_str())
            .uri(&call.path)
            .header("content-type", &call.content_type)
            .body(Body::from(body))
            .unwrap();
        let client = self.client.clone();
        self.runtime.block_on(async {
            let response = client.send(request).await.unwrap();
            let code = response.status().as_u16();
            let bytes = response.into_body().collect_bytes().await.unwrap();
            let body = serde_json::from_slice(&bytes).unwrap_or_default();
            Answer { code, body }
        })
    }
}

/// One side of the comparison, with its last answer for each object.
pub struct Side<A> {
    pub api: A,
    namespace: String,
    owner: String,
    versions: HashMap<Id, (Value, Value)>,
}

impl<A: Api> Side<A> {
    pub fn new(api: A, namespace: &str, owner: &str) -> Self {
        Self {
            api,
            namespace: namespace.to_owned(),
            owner: owner.to_owned(),
            versions: HashMap::new(),
        }
    }

    /// The knowledge of the object.
    pub fn known<'a>(&'a self, id: &'a Id) -> Known<'a> {
        static UNKNOWN: (Value, Value) = (Value::Null, Value::Null);
        let (present, stale) = self.versions.get(id).unwrap_or(&UNKNOWN);
        Known {
            id,
            owner: &self.owner,
            present,
            stale,
        }
    }

    /// Removes the object, including its finalizers.
    pub fn clear(&mut self, id: &Id) {
        let path = format!("{}/{}", id.resource.path(&self.namespace), id.name);
        let free = json!({"metadata": {"finalizers": null}});
        let now = json!({"gracePeriodSeconds": 0});
        self.api.ask(&Call::merge(&path, free));
        self.api.ask(&Call::new("DELETE", &path, now));
        self.look(id);
    }

    /// Reads the object.
    pub fn look(&mut self, id: &Id) -> (Value, Value) {
        let path = format!("{}/{}", id.resource.path(&self.namespace), id.name);
        let answer = self.api.ask(&Call::new("GET", &path, Value::Null));
        let now = if answer.code == 200 {
            answer.body
        } else {
            Value::Null
        };
        let (present, stale) = self.versions.entry(id.clone()).or_default();
        let before = present.clone();
        if now != before {
            *present = now.clone();
            if !before.is_null() {
                stale.clone_from(&before);
            }
        }
        (before, now)
    }
}
