//! The cliques and groups of a set, and their order; and sets that are being deleted.

use serde_json::{Value, json};

use super::{Case, edits, update, update_of};
use crate::good_set::{CLIQUES, FRONTEND, GROUP, GROUPS, at, good};

const START: &str = "/spec/template/cliqueStartupType";
const TYPE: &str = "/spec/workloadType";
const TOLD: &str = "spec.template.cliques";
const GROUPS_TOLD: &str = "spec.template.podCliqueScalingGroups";

pub(super) fn cases() -> Vec<Case> {
    [cliques(), groups(), orders(), deleted()].concat()
}

fn without_frontend() -> Value {
    let mut list = listed();
    list.remove(0);
    list.into()
}

fn reversed() -> Value {
    listed().into_iter().rev().collect()
}

fn listed() -> Vec<Value> {
    let good = good();
    let list = good.pointer(CLIQUES).and_then(Value::as_array);
    list.cloned().unwrap_or_default()
}

fn cliques() -> Vec<Case> {
    let clique = json!({"name": "extra", "spec": {
        "roleName": "extra", "replicas": 1, "podSpec": {"containers": [{"name": "main"}]}
    }});
    vec![
        update("clique-is-added", &[(&at(CLIQUES, "-"), clique)]).refused([TOLD]),
        update("clique-is-removed", &[(CLIQUES, without_frontend())]).refused([TOLD]),
        update(
            "clique-is-renamed",
            edits! {at(FRONTEND, "name") => "backend"},
        )
        .refused([TOLD]),
        update(
            "member-is-removed",
            edits! {at(CLIQUES, "2/name") => "other"},
        )
        .refused([
            "spec.template.podCliqueScalingGroups[0].cliqueNames[1]",
            TOLD,
        ]),
    ]
}

fn groups() -> Vec<Case> {
    let decode = json!({"name": "decode", "cliqueNames": ["frontend"]});
    vec![
        update("group-is-added", &[(&at(GROUPS, "-"), decode)]).refused([GROUPS_TOLD]),
        update("group-is-removed", edits! {GROUPS => []}).refused([GROUPS_TOLD]),
        update("group-is-renamed", edits! {at(GROUP, "name") => "decode"}).refused([GROUPS_TOLD]),
    ]
}

fn orders() -> Vec<Case> {
    let groups = |names: [(&str, &str); 2]| {
        let groups = names.map(|(name, clique)| json!({"name": name, "cliqueNames": [clique]}));
        (GROUPS, groups.to_vec().into())
    };
    let (one, two) = (("one", "leader"), ("two", "worker"));
    let job = (TYPE, json!("Training"));
    vec![
        update("cliques-are-reordered", &[(CLIQUES, reversed())]),
        update_of(
            "cliques-that-start-in-order-are-reordered",
            edits! {START => "CliqueStartupTypeInOrder"},
            &[(CLIQUES, reversed())],
        )
        .refused([TOLD]),
        update_of(
            "cliques-that-start-explicitly-are-reordered",
            edits! {START => "CliqueStartupTypeExplicit"},
            &[(CLIQUES, reversed())],
        )
        .refused([TOLD]),
        update_of(
            "groups-are-reordered",
            &[groups([one, two])],
            &[groups([two, one])],
        ),
        update_of(
            "groups-of-a-job-are-reordered",
            &[job, groups([one, two])],
            &[groups([two, one])],
        )
        .refused([GROUPS_TOLD]),
    ]
}

/// The finalizer can be removed with any change.
fn deleted() -> Vec<Case> {
    let deleted = [
        ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z")),
        ("/metadata/finalizers", json!(["example.com/hold"])),
    ];
    vec![
        update_of(
            "deleted-set-loses-its-cliques",
            &deleted,
            edits! {CLIQUES => [], GROUPS => []},
        ),
        update_of(
            "deleted-set-loses-its-finalizer",
            &deleted,
            edits! {"/metadata/finalizers" => []},
        ),
        update_of(
            "deleted-set-is-scaled-too-far",
            &deleted,
            edits! {"/spec/replicas" => 9_999},
        ),
        update_of(
            "deleted-set-changes-its-minimum",
            &deleted,
            edits! {at(FRONTEND, "spec/minAvailable") => 1},
        ),
    ]
}
