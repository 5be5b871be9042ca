//! Changes that a job of fixed size refuses, with and without access to its set.

use serde_json::{Value, json};

use super::{ends, is, job, succeed};
use crate::harness::Namespace;
use crate::harness::manifest::{clique, group, set};
use crate::termination::started;

/// A standalone clique and a group.
fn service(name: &str) -> Value {
    let cliques = [clique("a", 2), clique("b", 1)];
    job(name, 1, &cliques, &[group("g", "b", 2, 1)])
}

/// The same set with another value at that place.
fn with(place: &str, value: Value) -> Value {
    let mut job = service("x");
    set_at(&mut job, place, value);
    job
}

fn set_at(object: &mut Value, place: &str, value: Value) {
    let (parent, key) = place.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[key] = value;
}

const CLIQUES: &str = "spec.template.cliques";
const GROUPS: &str = "spec.template.podCliqueScalingGroups";
const CLIQUE: &str = "/spec/template/cliques/0/spec";
const GROUP: &str = "/spec/template/podCliqueScalingGroups/0";

#[test]
fn an_impossible_job_is_refused_at_its_creation() {
    let ns = Namespace::new("job-refused");
    let scale = json!({"maxReplicas": 4, "metrics": []});
    let mut inference = set("x", &[clique("a", 1)], &[]);
    inference["spec"]["trainingSpec"] = json!({"maxRestarts": 1});
    let of_clique = |field: &str, value: Value| with(&format!("{CLIQUE}/{field}"), value);
    let of_group = |field: &str, value: Value| with(&format!("{GROUP}/{field}"), value);
    let limits = "spec.trainingSpec";
    let of_job = |field: &str, value: Value| with(&format!("/spec/trainingSpec/{field}"), value);
    let always = |policy: &str| of_clique("podSpec/restartPolicy", json!(policy));
    let cases = [
        (
            of_job("maxRestarts", json!(-1)),
            "spec.trainingSpec.maxRestarts",
        ),
        (
            of_job("maxRuntime", json!("0s")),
            "spec.trainingSpec.maxRuntime",
        ),
        (
            of_job("maxRuntime", json!("-5s")),
            "spec.trainingSpec.maxRuntime",
        ),
        (
            of_job("maxRuntime", json!("soon")),
            "spec.trainingSpec.maxRuntime",
        ),
        (inference, limits),
        (with("/spec/replicas", json!(0)), "spec.replicas"),
        (of_clique("replicas", json!(0)), CLIQUES),
        (of_group("replicas", json!(0)), GROUPS),
        (always("Always"), CLIQUES),
        (of_clique("autoScalingConfig", scale.clone()), CLIQUES),
        (of_group("scaleConfig", scale), GROUPS),
    ];
    for (manifest, path) in cases {
        refuses(&ns, &manifest, path);
    }
    for policy in ["Never", "OnFailure"] {
        let mut accepted = always(policy);
        accepted["metadata"]["name"] = json!(policy.to_lowercase());
        ns.apply(&accepted);
    }
}

fn refuses(ns: &Namespace<'_>, manifest: &Value, path: &str) {
    let output = ns.feed(&["apply", "-f", "-"], manifest);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{manifest} was accepted");
    assert!(stderr.contains(&format!("{path}: ")), "{path}: {stderr}");
}

#[test]
fn a_job_that_runs_cannot_be_changed_but_for_its_limits() {
    let ns = Namespace::new("job-fixed");
    started(&ns, &[(service("x"), 1)]);
    let image = format!("{CLIQUE}/podSpec/containers");
    let containers = json!([{"name": "main", "image": "registry.k8s.io/pause:3.9"}]);
    let more = json!([clique("a", 2), clique("b", 1), clique("c", 1)]);
    let mut inference = service("x");
    let spec = inference["spec"].as_object_mut().unwrap();
    spec.retain(|key, _| !["workloadType", "trainingSpec"].contains(&key.as_str()));
    let cases = [
        (with(&image, containers), CLIQUES),
        (
            with("/spec/template/cliques/0/labels", json!({"a": "b"})),
            CLIQUES,
        ),
        (with(&format!("{CLIQUE}/replicas"), json!(3)), CLIQUES),
        (with(&format!("{CLIQUE}/minAvailable"), json!(1)), CLIQUES),
        (with("/spec/template/cliques", more), CLIQUES),
        (with(&format!("{GROUP}/replicas"), json!(3)), GROUPS),
        (with(&format!("{GROUP}/minAvailable"), json!(2)), GROUPS),
        (with(&format!("{GROUP}/name"), json!("h")), GROUPS),
        (with(&format!("{GROUP}/cliqueNames"), json!(["a"])), GROUPS),
        (
            with("/spec/template/podCliqueScalingGroups", json!([])),
            GROUPS,
        ),
        (
            with("/spec/template/priorityClassName", json!("high")),
            "spec.template.priorityClassName",
        ),
        (with("/spec/replicas", json!(2)), "spec.replicas"),
        (inference, "spec.workloadType"),
    ];
    for (manifest, path) in cases {
        refuses(&ns, &manifest, path);
    }
    for object in ["pcs/x", "pclq/x-0-a", "pclq/x-0-g-0-b", "pcsg/x-0-g"] {
        let output = ns.command(&["scale", object, "--replicas=3"]).output();
        let output = output.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{object} was scaled");
        assert!(
            stderr.contains("replicas is immutable for Training"),
            "{stderr}"
        );
    }
    ns.apply(&set("served", &[clique("a", 1)], &[]));
    let mut becomes_a_job = set("served", &[clique("a", 1)], &[]);
    becomes_a_job["spec"]["workloadType"] = json!("Training");
    refuses(&ns, &becomes_a_job, "spec.workloadType");

    ns.apply(&with(
        "/spec/trainingSpec",
        json!({"maxRestarts": 5, "maxRuntime": "2h"}),
    ));
    succeed(&ns, &["x-0-a", "x-0-g-0-b", "x-0-g-1-b"]);
    ends(&ns, "x", "Succeeded", 0);
    ns.until("no change went through", |seen| {
        is(seen, "x", &json!({"replicas": 1}))
    });
}
