//! `plan`.

mod cluster;
mod coherent;
mod config;
mod edits;
mod examples;
mod folded;
mod hostile;
mod live;
mod nvlink;
mod properties;
mod queues;
mod sets;
mod surge;
mod topology;

use cli::plan::{Outline, Plan, Planned, Rules, Surroundings, draw_plan, plan_new};
use serde_json::{Value, json};
use testkit::builders::after;

/// A clique whose pods request a core each.
fn clique(name: &str, replicas: u32) -> Value {
    let resources = json!({"requests": {"cpu": "1"}});
    let container = json!({"name": "main", "image": "example/main:1", "resources": resources});
    json!({
        "name": name,
        "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [container]},
        },
    })
}

/// A set of these cliques and groups.
fn set(cliques: &[Value], groups: &[Value]) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": "svc"},
        "spec": {
            "replicas": 1,
            "template": {"cliques": cliques, "podCliqueScalingGroups": groups},
        },
    })
}

/// A group `grp` of one clique.
fn group(clique: &str, replicas: u32, minimum: u32) -> Value {
    json!({
        "name": "grp", "cliqueNames": [clique], "replicas": replicas, "minAvailable": minimum,
    })
}

/// The value with another value at that place.
fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = object.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        parent => parent[name] = value,
    }
    object
}

fn rules() -> Rules {
    let mut rules = Rules::default();
    "grove-initc:test".clone_into(&mut rules.cliques.init_container_image);
    rules
}

fn planned(set: &Value) -> Planned {
    planned_in(set, &Surroundings::default())
}

/// With these bindings and nodes.
fn planned_in(set: &Value, around: &Surroundings) -> Planned {
    plan_new(set, "default", &rules(), around, after(0)).unwrap()
}

fn outline(set: &Value) -> Outline {
    outline_in(set, &Surroundings::default())
}

fn outline_in(set: &Value, around: &Surroundings) -> Outline {
    match planned_in(set, around) {
        Planned::New(outline) => *outline,
        other => panic!("{other:?}"),
    }
}

/// The output to a pipe.
fn text(planned: Planned) -> String {
    let plan = Plan {
        sets: vec![planned],
    };
    let text = draw_plan(&plan, false);
    anstream::adapter::strip_str(&text).to_string()
}
