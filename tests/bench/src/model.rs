//! The pod that the raw driver imitates.

use anyhow::{Context as _, Result};
use kube::Client;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::calls;

type Fields = Map<String, Value>;

/// A pod as the operator sends it, without what names it.
#[derive(Clone, Debug)]
pub struct Model {
    labels: Fields,
    spec: Fields,
}

impl Model {
    /// Takes one of the pods that the operator made in this namespace.
    pub async fn take(client: &Client, namespace: &str) -> Result<Self> {
        let path = format!("{}?limit=1", calls::path("api/v1", namespace, "pods"));
        let pods: Pods = calls::send(client, calls::get(&path)?).await?;
        let pod = pods.items.into_iter().next();
        let Pod { metadata, mut spec } = pod.context("the operator made no pod to imitate")?;
        // The API server, its admission plugins and the scheduler have added to it since.
        keep(&mut spec, &["containers", "hostname", "subdomain"]);
        let containers = spec.get_mut("containers").and_then(Value::as_array_mut);
        for container in containers
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            keep(container, &["name", "image", "resources", "env"]);
        }
        let gates = json!([{"name": api::labels::POD_GANG_GATE}]);
        spec.insert("schedulingGates".into(), gates);
        Ok(Self {
            labels: metadata.labels,
            spec,
        })
    }

    /// One like it, with an owner of this name and uid, so that it is as long as the operator's.
    pub fn pod(&self, index: u32, (name, uid): (&str, &str)) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": format!("set-0-0-role-0-{index:05}"),
                "labels": self.labels,
                "ownerReferences": [{
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "name": name,
                    "uid": uid,
                    "controller": true,
                    "blockOwnerDeletion": true,
                }],
            },
            "spec": self.spec,
        })
    }
}

fn keep(object: &mut Fields, keys: &[&str]) {
    object.retain(|key, _| keys.contains(&key.as_str()));
}

#[derive(Debug, Deserialize)]
struct Pods {
    items: Vec<Pod>,
}

#[derive(Debug, Deserialize)]
struct Pod {
    metadata: PodMetadata,
    spec: Fields,
}

#[derive(Debug, Deserialize)]
struct PodMetadata {
    labels: Fields,
}
