//! One side's knowledge of an object, and the content of the object.

use serde_json::{Value, json};
use sim::{Id, Resource};

/// One side's knowledge of an object.
pub struct Known<'a> {
    /// The object.
    pub id: &'a Id,
    /// Uid of the object that owns others.
    pub owner: &'a str,
    /// Its present state; null if it does not exist.
    pub present: &'a Value,
    /// Its previous state; null if there was none.
    pub stale: &'a Value,
}

impl Known<'_> {
    pub fn collection(&self) -> String {
        self.id.resource.path(&self.id.namespace)
    }

    pub fn path(&self) -> String {
        format!("{}/{}", self.collection(), self.id.name)
    }

    pub fn owner(&self) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": self.owner})
    }

    pub fn present_or_manifest(&self) -> Value {
        match self.present {
            Value::Null => self.manifest(),
            present => present.clone(),
        }
    }

    /// The manifest of its creation.
    pub fn manifest(&self) -> Value {
        let mut object = json!({
            "apiVersion": self.id.resource.api_version(),
            "kind": self.id.resource.to_string(),
            "metadata": {"name": self.id.name, "labels": {"color": "red"}},
        });
        let containers = json!([{"name": "main", "image": "example.com/image"}]);
        match self.id.resource {
            Resource::PodClique => {
                let pod = json!({"containers": containers});
                object["spec"] =
                    json!({"roleName": "r", "replicas": 1, "minAvailable": 1, "podSpec": pod});
            }
            Resource::PodCliqueScalingGroup => {
                object["spec"] = json!({"cliqueNames": ["a"], "replicas": 1, "minAvailable": 1});
            }
            Resource::PodGang => object["spec"] = json!({"podgroups": []}),
            Resource::Pod => {
                // No scheduler handles it; the second is bound to a node without a kubelet.
                object["spec"] = json!({"containers": containers, "schedulerName": "nobody"});
                if self.id.name == "b" {
                    object["spec"]["nodeName"] = json!("no-such-node");
                } else {
                    object["spec"]["schedulingGates"] = json!([{"name": "example.com/gate"}]);
                }
            }
            Resource::Service => {
                object["spec"] = json!({"clusterIP": "None", "selector": {"color": "red"}});
            }
            _ => {}
        }
        object
    }

    /// A status.
    pub fn status(&self, count: i64) -> Value {
        match self.id.resource {
            Resource::PodClique => json!({
                "replicas": count, "readyReplicas": count, "scheduledReplicas": 0,
                "scheduleGatedReplicas": 0, "updatedReplicas": 0,
            }),
            Resource::PodCliqueScalingGroup => json!({
                "replicas": count, "availableReplicas": count, "scheduledReplicas": 0,
                "updatedReplicas": 0,
            }),
            Resource::PodGang | Resource::Pod => {
                json!({"phase": if count > 1 { "Running" } else { "Pending" }})
            }
            _ => json!({"loadBalancer": {}}),
        }
    }
}
