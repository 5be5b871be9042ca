//! Topology constraints.

use serde_json::{Value, json};

use super::{Case, create, edits, update, update_of};
use crate::good_set::{CLIQUES, Edit, GROUP, at};

/// The topology that the constraints name. A cluster in which they are accepted has it.
pub const TOPOLOGY: &str = "c";
/// Its levels, broadest first.
pub const LEVELS: [&str; 2] = ["rack", "host"];
/// The scheduler of the sets that are accepted. It keeps pods in a domain if the operator has a
/// profile for it.
pub const SCHEDULER: &str = "kai-scheduler";

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
    json!({"topologyName": TOPOLOGY, "pack": {"required": "rack"}})
}

/// The set with these values and that scheduler.
fn scheduled<'a>(edits: &[Edit<'a>]) -> Vec<Edit<'a>> {
    const NAMES: [&str; 3] = [
        "/spec/template/cliques/0/spec/podSpec/schedulerName",
        "/spec/template/cliques/1/spec/podSpec/schedulerName",
        "/spec/template/cliques/2/spec/podSpec/schedulerName",
    ];
    let mut all = edits.to_vec();
    for name in NAMES {
        all.push((name, json!(SCHEDULER)));
    }
    all
}

fn placed(name: &'static str, edits: &[Edit<'_>]) -> Case {
    create(name, &scheduled(edits))
}

fn named() -> Vec<Case> {
    let group = at(GROUP, "topologyConstraint");
    let all = at(GROUP, "allReplicasTopologyConstraint");
    let nameless = || json!({"pack": {"required": "host"}});
    let other = json!({"topologyName": "d", "pack": {"required": "host"}});
    vec![
        placed("constraint", &[(OWN, rack())]),
        placed("constraint-without-a-name", &[(OWN, nameless())])
            .refused(["spec.template.topologyConstraint.topologyName"]),
        placed(
            "constraint-without-a-name-further-out",
            &[(&group, rack()), (&clique(0), nameless())],
        )
        .refused(["spec.template.cliques[0].topologyConstraint.topologyName"]),
        placed(
            "inherited-name",
            &[(&group, rack()), (&clique(1), nameless())],
        ),
        placed("two-topologies", &[(OWN, rack()), (&clique(0), other)])
            .refused(["spec.template.cliques[0].topologyConstraint.topologyName"]),
        placed(
            "all-replicas-in-an-old-field",
            &[(&all, json!({"topologyName": TOPOLOGY, "packDomain": "rack"}))],
        )
        .refused([
            "spec.template.podCliqueScalingGroups[0].allReplicasTopologyConstraint.packDomain",
        ]),
        placed(
            "constraint-that-prefers-what-it-requires",
            &[(
                OWN,
                json!({"topologyName": TOPOLOGY, "pack": {"required": "rack", "preferred": "rack"}}),
            )],
        )
        .warned(["spec.template.topologyConstraint.pack.preferred"]),
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
        ),
    ]
}

/// Objects that have `packDomain` may keep it; the definition refuses it in new objects.
fn modernized() -> Vec<Case> {
    let old = || [(OWN, json!({"topologyName": "c", "packDomain": "rack"}))];
    let nameless = [(OWN, json!({"packDomain": "rack"}))];
    let change = |name, edits| update_of(name, &old(), edits).of_an_invalid_set();
    vec![
        change("old-constraint-is-kept", edits! {"/spec/replicas" => 2}).warned([OLD]),
        change("old-constraint-is-modernized", &[(OWN, rack())]),
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
            &scheduled(&nameless),
            edits! {at(OWN, "topologyName") => (TOPOLOGY)},
        )
        .of_an_invalid_set()
        .warned([OLD]),
    ]
}
