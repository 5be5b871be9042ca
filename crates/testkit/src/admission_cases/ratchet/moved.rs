//! Errors that existed before and look different now: the error is in another place, it is smaller,
//! or another error hid it.

use serde_json::{Map, Value, json};

use super::super::{Case, edits, update_of};
use crate::good_set::{CLIQUES, Edit, FRONTEND, at, edited};

const REPLICAS: &str = "/spec/replicas";

pub(super) fn cases() -> Vec<Case> {
    [in_another_place(), less(), hidden()].concat()
}

fn change(name: &'static str, before: &[Edit<'_>], after: &[Edit<'_>]) -> Case {
    update_of(name, before, after).of_an_invalid_set()
}

fn in_another_place() -> Vec<Case> {
    let env = at(FRONTEND, "spec/podSpec/containers/0/env");
    let variables = |names: &[&str]| {
        let all = names.iter().map(|name| json!({ "name": name }));
        [(env.as_str(), all.collect::<Value>())]
    };
    let node = at(FRONTEND, "spec/podSpec/nodeName");
    let node = [(node.as_str(), json!("node-1"))];
    let listed = edited(&node).pointer(CLIQUES).cloned();
    let mut listed = listed
        .and_then(|all| all.as_array().cloned())
        .unwrap_or_default();
    listed.reverse();
    vec![
        change(
            "variable-before-one-that-is-there-twice-is-removed",
            &variables(&["X", "A", "A"]),
            &variables(&["A", "A"]),
        ),
        change(
            "variable-that-is-there-twice-is-added-again",
            &variables(&["A", "A", "B"]),
            &variables(&["A", "B", "A", "A"]),
        )
        .refused(["spec.template.cliques[0].spec.podSpec.containers[0].env[3].name"]),
        change(
            "another-variable-is-there-twice",
            &variables(&["A", "A", "B"]),
            &variables(&["A", "B", "B"]),
        )
        .refused(["spec.template.cliques[0].spec.podSpec.containers[0].env[2].name"]),
        change(
            "clique-with-a-node-gets-another-place",
            &node,
            &[(CLIQUES, listed.into())],
        ),
    ]
}

fn labels(count: usize) -> Value {
    let label = |i| (format!("l{i}"), json!("x"));
    Value::Object((0..count).map(label).collect::<Map<_, _>>())
}

fn less() -> Vec<Case> {
    let size = at(FRONTEND, "spec/replicas");
    let minimum = at(FRONTEND, "spec/minAvailable");
    let own = "/metadata/labels";
    vec![
        change(
            "too-large-a-gang-shrinks",
            edits! {size => 4_999, minimum => 1},
            edits! {size => 4_998},
        ),
        change(
            "too-large-a-gang-grows",
            edits! {size => 4_998, minimum => 1},
            edits! {size => 4_999},
        )
        .refused(["spec.template.cliques"]),
        change(
            "too-many-pods-become-fewer",
            edits! {REPLICAS => 110, size => 1_000, minimum => 1},
            edits! {REPLICAS => 105},
        ),
        change(
            "too-many-pods-become-more",
            edits! {REPLICAS => 105, size => 1_000, minimum => 1},
            edits! {REPLICAS => 110},
        )
        .refused(["spec.replicas"]),
        change(
            "too-many-labels-become-fewer",
            &[(own, labels(502))],
            &[(own, labels(501))],
        ),
        change(
            "too-many-labels-become-more",
            &[(own, labels(501))],
            &[(own, labels(502))],
        )
        .refused(["metadata.labels"]),
    ]
}

fn hidden() -> Vec<Case> {
    let size = at(FRONTEND, "spec/replicas");
    let minimum = at(FRONTEND, "spec/minAvailable");
    let node = at(FRONTEND, "spec/podSpec/nodeName");
    vec![
        change(
            "node-that-too-large-a-gang-hid-is-kept",
            edits! {size => 4_999, minimum => 1, node => "node-1"},
            edits! {size => 4},
        ),
        change(
            "pods-that-too-many-podcliques-hid-are-still-too-many",
            edits! {REPLICAS => 4_100, size => 100, minimum => 1},
            edits! {REPLICAS => 3_000},
        ),
        change(
            "pods-become-too-many-where-podcliques-were",
            edits! {REPLICAS => 4_100, minimum => 1},
            edits! {REPLICAS => 3_000, size => 100},
        )
        .refused(["spec.replicas"]),
    ]
}
