//! Topology constraints.

use serde_json::{Value, json};

use super::{Case, create, edits, update, update_of};
use crate::good_set::{CLIQUES, GROUP, at};

const OWN: &str = "/spec/template/topologyConstraint";
const TOLD: &str = "spec.template.topologyConstraint";
const OLD: &str = "spec.template.topologyConstraint.packDomain";

pub(super) fn cases() -> Vec<Case> {
    [named(), fixed(), modernized()].concat()
}

fn clique(i: usize) -> String {
    format!("{CLIQUES}/{i}/topologyConstraint")
}

fn rack() -> Value {
    json!({"topologyName": "c", "pack": {"required": "rack"}})
}

fn named() -> Vec<Case> {
    let group = at(GROUP, "topologyConstraint");
    let nameless = || json!({"pack": {"required": "host"}});
    let other = json!({"topologyName": "d", "pack": {"required": "host"}});
    vec![
        create("constraint", &[(OWN, rack())]).warned([TOLD]),
        create("constraint-without-a-name", &[(OWN, nameless())])
            .refused(["spec.template.topologyConstraint.topologyName"]),
        create(
            "constraint-without-a-name-further-out",
            &[(&group, rack()), (&clique(0), nameless())],
        )
        .refused(["spec.template.cliques[0].topologyConstraint.topologyName"]),
        create(
            "inherited-name",
            &[(&group, rack()), (&clique(1), nameless())],
        )
        .warned([
            "spec.template.cliques[1].topologyConstraint",
            "spec.template.podCliqueScalingGroups[0].topologyConstraint",
        ]),
        create("two-topologies", &[(OWN, rack()), (&clique(0), other)])
            .refused(["spec.template.cliques[0].topologyConstraint.topologyName"]),
    ]
}

fn fixed() -> Vec<Case> {
    vec![
        update("constraint-is-added", &[(OWN, rack())]).refused([TOLD]),
        update("constraint-of-a-clique-is-added", &[(&clique(0), rack())])
            .refused(["spec.template.cliques[0].topologyConstraint"]),
        update_of(
            "constraint-is-removed",
            &[(OWN, rack())],
            edits! {OWN => null},
        )
        .refused([TOLD]),
        update_of(
            "constraint-is-changed",
            &[(OWN, rack())],
            edits! {at(OWN, "pack") => {"required": "host"}},
        )
        .refused([TOLD]),
        update_of(
            "constraint-is-kept",
            &[(OWN, rack())],
            edits! {"/spec/replicas" => 2},
        )
        .warned([TOLD]),
    ]
}

/// Objects that have `packDomain` may keep it; the definition refuses it in new objects.
fn modernized() -> Vec<Case> {
    let old = || [(OWN, json!({"topologyName": "c", "packDomain": "rack"}))];
    let nameless = [(OWN, json!({"packDomain": "rack"}))];
    let change = |name, edits| update_of(name, &old(), edits).of_an_invalid_set();
    vec![
        change("old-constraint-is-kept", edits! {"/spec/replicas" => 2}).warned([OLD, TOLD]),
        change("old-constraint-is-modernized", &[(OWN, rack())]).warned([TOLD]),
        change(
            "old-constraint-is-modernized-wrongly",
            edits! {OWN => {"topologyName": "c", "pack": {"required": "host"}}},
        )
        .refused([TOLD]),
        change(
            "old-constraint-is-renamed",
            edits! {at(OWN, "topologyName") => "d"},
        )
        .refused([TOLD]),
        update_of(
            "old-constraint-is-named",
            &nameless,
            edits! {at(OWN, "topologyName") => "c"},
        )
        .of_an_invalid_set()
        .warned([OLD, TOLD]),
    ]
}
