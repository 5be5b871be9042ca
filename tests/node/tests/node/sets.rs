//! Manifests of rows, as short as possible.

use node_tests::images::BUSYBOX;
use serde_json::{Value, json};

/// A container `main` that runs this shell script.
pub fn sh(script: &str) -> Value {
    container("main", script)
}

/// A container that runs this shell script.
pub fn container(name: &str, script: &str) -> Value {
    json!({
        "name": name,
        "image": BUSYBOX,
        "command": ["sh", "-c", script],
        "resources": {"requests": {"cpu": "1m", "memory": "4Mi"}},
    })
}

/// An init container with `restartPolicy: Always` that runs this shell script.
pub fn sidecar(name: &str, script: &str) -> Value {
    let mut sidecar = container(name, script);
    sidecar["restartPolicy"] = "Always".into();
    sidecar
}

/// The script of a process that ends at once on SIGTERM.
pub const OBEDIENT: &str = "trap 'exit 0' TERM; while :; do sleep 1000 & wait; done";

/// A clique of that many pods with these containers.
pub fn clique(name: &str, replicas: u32, containers: &[Value]) -> Value {
    json!({
        "name": name,
        "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"terminationGracePeriodSeconds": 1, "containers": containers},
        },
    })
}

/// A set of these cliques.
pub fn serving(name: &str, cliques: &[Value]) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": name},
        "spec": {"replicas": 1, "template": {"cliques": cliques}},
    })
}

/// A training job of these cliques, with that budget of restarts.
pub fn job(name: &str, max_restarts: u32, cliques: &[Value]) -> Value {
    let mut job = serving(name, cliques);
    job["spec"]["workloadType"] = "Training".into();
    job["spec"]["trainingSpec"] = json!({"maxRestarts": max_restarts});
    job
}

/// The value with these fields changed, as `kubectl patch --type=merge` does.
pub fn with(mut value: Value, patch: &Value) -> Value {
    merge(&mut value, patch);
    value
}

fn merge(value: &mut Value, patch: &Value) {
    match (value, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (key, change) in patch {
                merge(fields.entry(key.clone()).or_insert(Value::Null), change);
            }
        }
        (value, patch) => *value = patch.clone(),
    }
}

/// The clique with these fields of its `podSpec` changed.
pub fn with_pod(clique: Value, patch: &Value) -> Value {
    with(clique, &json!({"spec": {"podSpec": patch}}))
}

/// The set with that termination delay.
pub fn with_delay(set: Value, delay: &str) -> Value {
    with(
        set,
        &json!({"spec": {"template": {"terminationDelay": delay}}}),
    )
}

/// The set whose cliques start one after the other.
pub fn in_order(set: Value) -> Value {
    let order = json!({"spec": {"template": {"cliqueStartupType": "CliqueStartupTypeInOrder"}}});
    with(set, &order)
}
