//! Allowed contents of a pod spec.

use super::{Case, create, edits};
use crate::good_set::{CLIQUES, FRONTEND, at};

pub(super) fn cases() -> Vec<Case> {
    [placement(), variables(), schedulers()].concat()
}

fn pod(field: &str) -> String {
    at(FRONTEND, &format!("spec/podSpec/{field}"))
}

fn told(field: &str) -> String {
    format!("spec.template.cliques[0].spec.podSpec.{field}")
}

fn placement() -> Vec<Case> {
    vec![
        create("no-container", edits! {pod("containers") => []}).refused([&told("containers")]),
        create("node", edits! {pod("nodeName") => "node-1"}).refused([&told("nodeName")]),
        create(
            "node-selector",
            edits! {pod("nodeSelector") => {"pool": "gpu"}},
        ),
        create(
            "spread",
            edits! {pod("topologySpreadConstraints") => [
                {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}
            ]},
        )
        .refused([&told("topologySpreadConstraints")]),
        create("no-spread", edits! {pod("topologySpreadConstraints") => []}),
    ]
}

fn variables() -> Vec<Case> {
    let env = pod("containers/0/env");
    let of_init = |name: &str| {
        let init = serde_json::json!([{"name": "i", "env": [{"name": name}]}]);
        [(pod("initContainers"), init)]
    };
    let create_with = |name, edits: [(String, serde_json::Value); 1]| {
        create(
            name,
            &edits
                .each_ref()
                .map(|(at, value)| (at.as_str(), value.clone())),
        )
    };
    vec![
        create("variable-without-a-name", edits! {env => [{"name": ""}]})
            .refused([&told("containers[0].env[0].name")]),
        create(
            "variable-with-an-equals-sign",
            edits! {env => [{"name": "A=B"}]},
        )
        .refused([&told("containers[0].env[0].name")]),
        create(
            "variable-twice",
            edits! {env => [{"name": "A"}, {"name": "A"}]},
        )
        .refused([&told("containers[0].env[1].name")]),
        create("odd-variable", edits! {env => [{"name": "odd.but-fine 1"}]}),
        create_with("variable-of-an-init-container", of_init("é"))
            .refused([&told("initContainers[0].env[0].name")]),
        create_with("good-variable-of-an-init-container", of_init("E")),
    ]
}

/// A gang has one scheduler.
fn schedulers() -> Vec<Case> {
    let scheduler = |i: usize| format!("{CLIQUES}/{i}/spec/podSpec/schedulerName");
    let told = |i: usize| format!("spec.template.cliques[{i}].spec.podSpec.schedulerName");
    vec![
        create("two-schedulers", edits! {scheduler(0) => "kai-scheduler"})
            .refused([&told(1), &told(2)]),
        create(
            "another-scheduler-for-the-last",
            edits! {scheduler(2) => "kai-scheduler"},
        )
        .refused([&told(2)]),
        create(
            "default-scheduler-by-name",
            edits! {scheduler(0) => "default-scheduler"},
        ),
    ]
}
