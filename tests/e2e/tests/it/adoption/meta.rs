//! The set, and the metadata that all its children share.

use serde_json::{Value, json};

use crate::harness::seen::controlled_by;

/// Time of all its objects.
pub const THEN: &str = "2026-01-01T00:00:00Z";
/// The Go operator's hash of the set's template.
pub const GENERATION: &str = "c7d5868794b65cf8b4f";

/// The Go operator's hash of a clique's pods: digits of a number, in letters.
pub fn template_hash(clique: &str) -> String {
    let letters = clique.bytes().rev().cycle().take(10);
    letters.map(|b| char::from(b'b' + b % 8)).collect()
}

/// The set `llm`, with the defaults that the Go operator's webhook stores: a router, and a group
/// `model` of a leader and two workers of which one replica is required.
pub fn set_as_stored() -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {
            "name": "llm",
            "labels": {"example.com/team": "search"},
            "finalizers": ["grove.io/podcliqueset.grove.io"],
        },
        "spec": {"replicas": 1, "template": {
            "cliqueStartupType": "CliqueStartupTypeAnyOrder",
            "terminationDelay": "4h",
            "headlessServiceConfig": {"publishNotReadyAddresses": true},
            "cliques": [clique("router", 2, 1), clique("leader", 1, 1), clique("worker", 2, 2)],
            "podCliqueScalingGroups": [{
                "name": "model",
                "cliqueNames": ["leader", "worker"],
                "replicas": 3,
                "minAvailable": 1,
                "scaleConfig": {"minReplicas": 1, "maxReplicas": 5},
            }],
        }},
    })
}

fn clique(name: &str, replicas: u32, min_available: u32) -> Value {
    json!({
        "name": name,
        "labels": {"example.com/role": name},
        "annotations": {"example.com/port": "8080"},
        "spec": {
            "roleName": name,
            "replicas": replicas,
            "minAvailable": min_available,
            "podSpec": {
                "restartPolicy": "Always",
                "terminationGracePeriodSeconds": 30,
                "containers": [{
                    "name": "main",
                    "image": "registry.k8s.io/pause:3.10",
                    "env": [{"name": "MODEL", "value": "large"}],
                    "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                    "resources": {"requests": {"cpu": "100m"}},
                }],
            },
        },
    })
}

/// The template of a clique of the set.
pub fn template<'a>(set: &'a Value, clique: &str) -> &'a Value {
    let cliques = set["spec"]["template"]["cliques"].as_array().unwrap();
    cliques.iter().find(|c| c["name"] == clique).unwrap()
}

/// The two labels of everything.
pub fn managed(set: &str) -> Value {
    json!({
        "app.kubernetes.io/managed-by": "grove-operator",
        "app.kubernetes.io/part-of": set,
    })
}

/// Metadata of objects that the set controls.
pub fn controlled(set: &Value, name: &str, name_label: &str, component: &str) -> Value {
    let mut labels = managed(set["metadata"]["name"].as_str().unwrap());
    labels["app.kubernetes.io/name"] = json!(name_label);
    labels["app.kubernetes.io/component"] = json!(component);
    json!({"name": name, "labels": labels, "ownerReferences": controlled_by(set)})
}
