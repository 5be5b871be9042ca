//! A set and all objects that an operator creates for it, in their running state.

use anyhow::Result;
use api::labels;
use kube::Client;
use localcluster::MANUAL_STATUS_LABEL;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::site::NODES;

/// Their namespace.
pub const NAMESPACE: &str = "bench-plugin";
/// A standalone clique of 4, and a scaling group of 2 replicas of a clique of 8.
pub const PODS_OF_SET: u32 = 20;
/// Creation time of all objects.
const SINCE: &str = "2026-01-01T00:00:00Z";

/// The set of that number.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its number.
    pub index: u32,
}

/// A pod of it.
pub struct Pod {
    /// Its name.
    pub name: String,
    index: u32,
}

impl Workload {
    /// Its name.
    pub fn name(self) -> String {
        format!("svc-{}", self.index)
    }

    /// All of its pods.
    pub fn pods(self) -> impl Iterator<Item = Pod> {
        let podcliques = self.podcliques().into_iter();
        podcliques.flat_map(|(podclique, pods)| pods_of(&podclique, pods))
    }

    /// Its PodCliques, and how many pods each has.
    fn podcliques(self) -> [(String, u32); 3] {
        let set = self.name();
        [
            (format!("{set}-0-router"), 4),
            (format!("{set}-0-workers-0-worker"), 8),
            (format!("{set}-0-workers-1-worker"), 8),
        ]
    }

    /// Stores all of it, with statuses.
    pub async fn store(self, client: &Client) -> Result<()> {
        let set = self.name();
        let is_ready = json!([ready()]);
        let counted = |available: u32| json!({"conditions": is_ready, "replicas": 1, "availableReplicas": available});
        let manifest = json!({"metadata": self.meta(&set), "spec": set_spec()});
        store(client, &PODCLIQUESETS, manifest, &counted(1)).await?;
        let name = format!("{set}-0-workers");
        let spec = json!({"replicas": 2, "minAvailable": 1, "cliqueNames": ["worker"]});
        let manifest = json!({"metadata": self.meta(&name), "spec": spec});
        store(client, &SCALING_GROUPS, manifest, &counted(2)).await?;
        let running = json!({"conditions": is_ready, "phase": "Running"});
        for gang in [format!("{set}-0"), format!("{set}-0-workers-0")] {
            let manifest = json!({"metadata": self.meta(&gang), "spec": {"podgroups": []}});
            store(client, &PODGANGS, manifest, &running).await?;
        }
        for (name, pods) in self.podcliques() {
            self.store_podclique(client, &name, pods).await?;
        }
        Ok(())
    }

    async fn store_podclique(self, client: &Client, name: &str, pods: u32) -> Result<()> {
        let spec = json!({"roleName": "any", "replicas": pods, "podSpec": pod_spec(None)});
        let manifest = json!({"metadata": self.meta(name), "spec": spec});
        let status = json!({
            "conditions": [ready()], "replicas": pods, "readyReplicas": pods,
        });
        let uid = store(client, &PODCLIQUES, manifest, &status).await?;
        let running = json!({"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": SINCE},
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": SINCE},
        ]});
        for pod in pods_of(name, pods) {
            let manifest = self.pod(&pod, name, &uid);
            store(client, &PODS, manifest, &running).await?;
        }
        Ok(())
    }

    /// On a node whose kubelet ignores it.
    fn pod(self, pod: &Pod, podclique: &str, uid: &str) -> Value {
        let mut all = labels::default_labels(&self.name());
        all.insert(labels::POD_CLIQUE.into(), podclique.into());
        all.insert(labels::POD_INDEX.into(), pod.index.to_string());
        all.insert(MANUAL_STATUS_LABEL.into(), "true".into());
        let owner = json!({
            "apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "name": podclique,
            "uid": uid, "controller": true,
        });
        json!({
            "metadata": {"name": pod.name, "labels": all, "ownerReferences": [owner]},
            "spec": pod_spec(Some(self.index % NODES)),
        })
    }

    fn meta(self, name: &str) -> Value {
        json!({"name": name, "labels": labels::default_labels(&self.name())})
    }
}

fn pods_of(podclique: &str, pods: u32) -> impl Iterator<Item = Pod> + use<> {
    let podclique = podclique.to_owned();
    (0..pods).map(move |index| Pod {
        name: format!("{podclique}-{index:05}"),
        index,
    })
}

/// As large as an ordinary one, so that decoding takes as long; on the node with that number.
fn pod_spec(node: Option<u32>) -> Value {
    let variable = |index: u32| json!({"name": format!("VARIABLE_{index}"), "value": "a value"});
    let variables: Vec<Value> = (0..20).map(variable).collect();
    let mut spec = json!({"containers": [{
        "name": "main", "image": "registry.k8s.io/pause:3.10", "env": variables,
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
    }]});
    if let (Some(node), Some(spec)) = (node, spec.as_object_mut()) {
        spec.insert("nodeName".into(), json!(format!("node-{node}")));
    }
    spec
}

fn set_spec() -> Value {
    let clique = |name: &str, pods: u32| {
        let spec = json!({"roleName": name, "replicas": pods, "podSpec": pod_spec(None)});
        json!({"name": name, "spec": spec})
    };
    let group = json!({
        "name": "workers", "cliqueNames": ["worker"], "replicas": 2, "minAvailable": 1,
    });
    json!({"replicas": 1, "template": {
        "cliques": [clique("router", 4), clique("worker", 8)],
        "podCliqueScalingGroups": [group],
    }})
}

fn ready() -> Value {
    json!({
        "type": "Ready", "status": "True", "reason": "AllReady", "message": "everything runs",
        "lastTransitionTime": SINCE,
    })
}

/// A kind: group and version, kind, resource.
type Kind = (&'static str, &'static str, &'static str);
const PODCLIQUESETS: Kind = ("grove.io/v1alpha1", "PodCliqueSet", "podcliquesets");
const SCALING_GROUPS: Kind = (
    "grove.io/v1alpha1",
    "PodCliqueScalingGroup",
    "podcliquescalinggroups",
);
const PODCLIQUES: Kind = ("grove.io/v1alpha1", "PodClique", "podcliques");
const PODGANGS: Kind = ("scheduler.grove.io/v1alpha1", "PodGang", "podgangs");
const PODS: Kind = ("v1", "Pod", "pods");

/// Returns the uid of the stored object.
async fn store(client: &Client, kind: &Kind, manifest: Value, status: &Value) -> Result<String> {
    let (version, kind, resource) = kind;
    let mut manifest = manifest;
    if let Some(manifest) = manifest.as_object_mut() {
        manifest.insert("apiVersion".into(), json!(version));
        manifest.insert("kind".into(), json!(kind));
    }
    let root = if version.contains('/') { "apis" } else { "api" };
    let all = calls::path(format!("{root}/{version}"), NAMESPACE, resource);
    let stored: Stored = calls::send(client, calls::post(&all, &manifest)?).await?;
    let name = stored.metadata.name;
    let change = json!({"status": status});
    let write = calls::merge_patch(&format!("{all}/{name}/status"), &change)?;
    calls::send::<IgnoredAny>(client, write).await?;
    Ok(stored.metadata.uid)
}

#[derive(Debug, Deserialize)]
struct Stored {
    metadata: StoredMetadata,
}

#[derive(Debug, Deserialize)]
struct StoredMetadata {
    name: String,
    uid: String,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PODS_OF_SET, Workload};

    #[test]
    fn a_set_has_as_many_pods_as_it_says_each_by_its_own_name() {
        let names: BTreeSet<String> = Workload { index: 7 }.pods().map(|pod| pod.name).collect();
        assert_eq!(names.len(), PODS_OF_SET as usize);
        assert!(names.iter().all(|name| name.starts_with("svc-7-0-")));
    }
}
