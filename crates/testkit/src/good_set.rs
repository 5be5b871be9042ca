//! A good set as JSON, and variants of it.

use serde_json::{Value, json};

/// A good set: a standalone clique and a group of two. Its name is [`NAME`].
pub fn good() -> Value {
    let clique = |name: &str, replicas: i32| {
        json!({"name": name, "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [{"name": "main", "image": "llm:1"}]}
        }})
    };
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": NAME},
        "spec": {
            "replicas": 1,
            "template": {
                "cliques": [clique("frontend", 2), clique("leader", 1), clique("worker", 3)],
                "podCliqueScalingGroups": [
                    {"name": "prefill", "cliqueNames": ["leader", "worker"], "replicas": 2}
                ]
            }
        }
    })
}

/// Name of the good set.
pub const NAME: &str = "serve";
/// Its cliques.
pub const CLIQUES: &str = "/spec/template/cliques";
/// Its standalone clique, of two pods.
pub const FRONTEND: &str = "/spec/template/cliques/0";
/// The first clique of its scaling group, of one pod.
pub const LEADER: &str = "/spec/template/cliques/1";
/// The second clique of its scaling group, of three pods.
pub const WORKER: &str = "/spec/template/cliques/2";
/// Its scaling groups.
pub const GROUPS: &str = "/spec/template/podCliqueScalingGroups";
/// Its scaling group `prefill`, of two replicas.
pub const GROUP: &str = "/spec/template/podCliqueScalingGroups/0";
/// Too long for a clique, and good in itself.
pub const LONG: &str = "a-name-that-takes-up-more-room-than-there-is";

/// A place as a JSON pointer, and its new value. A place that ends in `-` is the end of a list.
pub type Edit<'a> = (&'a str, Value);

/// A place within another one.
pub fn at(parent: &str, field: &str) -> String {
    format!("{parent}/{field}")
}

/// The good set with other values in some places.
pub fn edited(edits: &[Edit<'_>]) -> Value {
    changed(good(), edits)
}

/// An object with other values in some places.
///
/// # Panics
///
/// If the parent of a place does not exist: the case does not test its own change then.
pub fn changed(mut object: Value, edits: &[Edit<'_>]) -> Value {
    for (pointer, value) in edits {
        let (parent, field) = pointer.rsplit_once('/').unwrap_or_default();
        let parent = object.pointer_mut(parent);
        let is_there = parent.is_some_and(|parent| put(parent, field, value));
        assert!(is_there, "{pointer}: there is no such place");
    }
    object
}

fn put(parent: &mut Value, field: &str, value: &Value) -> bool {
    match parent {
        Value::Object(fields) => {
            fields.insert(field.to_owned(), value.clone());
            true
        }
        Value::Array(items) if field == "-" => {
            items.push(value.clone());
            true
        }
        Value::Array(items) => {
            let item = field.parse().ok().and_then(|i: usize| items.get_mut(i));
            item.is_some_and(|item| {
                item.clone_from(value);
                true
            })
        }
        _ => false,
    }
}
