//! Manifests as a user would write them, as short as possible.

use localcluster::MANUAL_STATUS_LABEL;
use serde_json::{Value, json};

/// A PodCliqueSet of one replica.
pub fn set(name: &str, cliques: &[Value], groups: &[Value]) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": name},
        "spec": {
            "replicas": 1,
            "template": {"cliques": cliques, "podCliqueScalingGroups": groups},
        },
    })
}

/// A clique whose pods request next to nothing.
pub fn clique(name: &str, replicas: u32) -> Value {
    json!({
        "name": name,
        "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]},
        },
    })
}

/// A clique whose pods become ready only by [`super::Namespace::set_pod_ready`].
pub fn held_clique(name: &str, replicas: u32) -> Value {
    let mut clique = clique(name, replicas);
    clique["labels"] = json!({MANUAL_STATUS_LABEL: "true"});
    clique
}

/// A scaling group of one clique.
pub fn group(name: &str, clique: &str, replicas: u32, min_available: u32) -> Value {
    json!({
        "name": name,
        "cliqueNames": [clique],
        "replicas": replicas,
        "minAvailable": min_available,
    })
}
