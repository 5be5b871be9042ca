//! Requests in the form of the API server.

use serde_json::{Value, json};
use webhook::answers::{Hook, Judge};
use webhook::review::{Answer, Review};

pub const SETS: &str = "podcliquesets";
pub const PODCLIQUES: &str = "podcliques";
pub const GROUPS: &str = "podcliquescalinggroups";

/// A request about an object of this group's kind, in namespace `default`. `what` may end in
/// `/scale`.
pub fn question(operation: &str, what: &str, object: &Value, old: &Value) -> Value {
    let (resource, subresource) = what.split_once('/').unwrap_or((what, ""));
    let named = if object.is_null() { old } else { object };
    let kind = match subresource {
        "scale" => json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}),
        _ => json!({"group": "grove.io", "version": "v1alpha1", "kind": kind_of(resource)}),
    };
    let resource = json!({"group": "grove.io", "version": "v1alpha1", "resource": resource});
    let mut request = json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": kind, "requestKind": kind,
        "resource": resource, "requestResource": resource,
        "name": named["metadata"]["name"].as_str().unwrap_or_default(),
        "namespace": "default",
        "operation": operation,
        "userInfo": {"username": "alice", "uid": "7", "groups": ["staff"], "extra": {"a": ["b"]}},
        "object": object, "oldObject": old,
        "dryRun": false,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
    });
    if !subresource.is_empty() {
        request["subResource"] = json!(subresource);
        request["requestSubResource"] = json!(subresource);
    }
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request})
}

fn kind_of(resource: &str) -> &str {
    match resource {
        SETS => "PodCliqueSet",
        PODCLIQUES => "PodClique",
        GROUPS => "PodCliqueScalingGroup",
        _ => "ClusterTopologyBinding",
    }
}

pub fn create(what: &str, object: &Value) -> Value {
    question("CREATE", what, object, &Value::Null)
}

pub fn update(what: &str, old: &Value, new: &Value) -> Value {
    question("UPDATE", what, new, old)
}

pub fn delete(what: &str, old: &Value) -> Value {
    question("DELETE", what, &Value::Null, old)
}

/// A request to `/scale` of an object of this name.
pub fn scale(resource: &str, name: &str, replicas: i32) -> Value {
    let of = |replicas: i32| {
        let spec = if replicas == 0 {
            json!({})
        } else {
            json!({"replicas": replicas})
        };
        json!({
            "kind": "Scale", "apiVersion": "autoscaling/v1",
            "metadata": {"name": name, "namespace": "default"},
            "spec": spec, "status": {"replicas": 1},
        })
    };
    update(&format!("{resource}/scale"), &of(1), &of(replicas))
}

/// The answer to a request.
pub fn ask(judge: &Judge, hook: Hook, question: &Value) -> Answer {
    let text = question.to_string();
    let review: Review<'_> = serde_json::from_str(&text).unwrap();
    judge.answer(hook, &review.request)
}
