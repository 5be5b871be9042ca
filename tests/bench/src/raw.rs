//! The raw driver: the same pods without any logic, as fast as this machine takes them.

use std::time::Instant;

use anyhow::{Context as _, Result};
use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls::{self, Call};
use crate::creation::Times;
use crate::namespace;
use crate::observer::Observer;
use crate::site::Site;

/// A pod as the operator sends it, without what names it.
#[derive(Clone, Debug)]
pub struct Model {
    manifest: Value,
    account: String,
}

impl Model {
    /// Takes one of the pods that the operator made in this namespace.
    pub async fn take(client: &Client, namespace: &str) -> Result<Self> {
        let path = format!("{}?limit=1", calls::path("api/v1", namespace, "pods"));
        let mut list: Value = calls::send(client, calls::get(&path)?).await?;
        let pod = list.pointer_mut("/items/0").map(Value::take);
        let pod = pod.context("the operator made no pod to imitate")?;
        let mut spec = pod.get("spec").cloned().context("a pod without spec")?;
        // What the API server, its admission plugins and the scheduler have added since.
        keep(
            &mut spec,
            &["containers", "hostname", "subdomain", "serviceAccountName"],
        );
        for container in spec["containers"].as_array_mut().into_iter().flatten() {
            keep(container, &["name", "image", "resources", "env"]);
        }
        spec["schedulingGates"] = json!([{"name": api::labels::POD_GANG_GATE}]);
        let account = spec["serviceAccountName"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let labels = pod.pointer("/metadata/labels").cloned();
        Ok(Self {
            manifest: json!({"metadata": {"labels": labels}, "spec": spec}),
            account,
        })
    }

    /// Pods like it, owned by `owner` so that they are as long as the operator's.
    fn pods(&self, namespace: &str, owner: &Made, count: u32) -> Result<Vec<Call>> {
        let path = calls::path("api/v1", namespace, "pods");
        let owner = json!([{
            "apiVersion": "v1", "kind": "ServiceAccount", "name": owner.metadata.name,
            "uid": owner.metadata.uid, "controller": true, "blockOwnerDeletion": true,
        }]);
        let pod = |index: u32| {
            let mut pod = self.manifest.clone();
            pod["metadata"]["name"] = format!("set-0-0-role-0-{index:05}").into();
            pod["metadata"]["ownerReferences"] = owner.clone();
            calls::post(&path, &pod)
        };
        (0..count).map(pod).collect()
    }
}

fn keep(object: &mut Value, keys: &[&str]) {
    if let Some(object) = object.as_object_mut() {
        object.retain(|key, _| keys.contains(&key.as_str()));
    }
}

/// Creates so many pods, takes off the gates once all exist, waits until they are Ready, deletes
/// them; in a namespace of its own.
pub async fn run(site: &Site, model: &Model, name: &str, count: u32) -> Result<Times> {
    namespace::create(&site.user, name).await?;
    let accounts = calls::path("api/v1", name, "serviceaccounts");
    let account = json!({"metadata": {"name": model.account}});
    let owner: Made = calls::send(&site.user, calls::post(&accounts, &account)?).await?;
    let posts = model.pods(name, &owner, count)?;
    let mut observer = Observer::start(&site.user, name, count).await?;

    let began = Instant::now();
    let pods: Vec<Made> = calls::send_all(&site.account, posts).await?;
    let gates: Result<Vec<Call>> = pods.iter().map(|pod| pod.ungate(name)).collect();
    calls::send_all::<IgnoredAny>(&site.account, gates?).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    let seen = observer.seen();

    let deletes: Result<Vec<Call>> = pods.iter().map(|pod| pod.delete(name)).collect();
    let end = Instant::now();
    calls::send_all::<IgnoredAny>(&site.account, deletes?).await?;
    let gone = observer.until("all are gone", |seen| seen.gone).await?;
    namespace::delete(&site.user, name).await?;
    Times::new(began, &seen, gone.duration_since(end).as_secs_f64())
}

/// What the raw driver needs of an answer.
#[derive(Clone, Debug, Deserialize)]
struct Made {
    metadata: MadeMetadata,
}

#[derive(Clone, Debug, Deserialize)]
struct MadeMetadata {
    name: String,
    uid: String,
}

impl Made {
    fn path(&self, namespace: &str) -> String {
        calls::path("api/v1", namespace, format!("pods/{}", self.metadata.name))
    }

    /// The operator's own patch.
    fn ungate(&self, namespace: &str) -> Result<Call> {
        let gate = "/spec/schedulingGates/0";
        let operations = json!([
            {"op": "test", "path": "/metadata/uid", "value": self.metadata.uid},
            {"op": "test", "path": format!("{gate}/name"), "value": api::labels::POD_GANG_GATE},
            {"op": "remove", "path": gate},
        ]);
        calls::json_patch(&self.path(namespace), &operations)
    }

    fn delete(&self, namespace: &str) -> Result<Call> {
        calls::delete(&self.path(namespace), Some(&self.metadata.uid))
    }
}
