//! Counts, and the size of a set.

use super::{Case, create, edits};
use crate::good_set::{CLIQUES, FRONTEND, GROUP, GROUPS, at};

const REPLICAS: &str = "/spec/replicas";
const MINIMUM: &str = "spec.template.cliques[0].spec.minAvailable";
const GROUP_MINIMUM: &str = "spec.template.podCliqueScalingGroups[0].minAvailable";
const GROUP_REPLICAS: &str = "spec.template.podCliqueScalingGroups[0].replicas";

pub(super) fn cases() -> Vec<Case> {
    [cliques(), groups(), members(), limits(), together()].concat()
}

fn cliques() -> Vec<Case> {
    let (replicas, minimum) = (
        at(FRONTEND, "spec/replicas"),
        at(FRONTEND, "spec/minAvailable"),
    );
    vec![
        create("set-of-no-replicas", edits! {REPLICAS => 0}).warned(["spec.replicas"]),
        create("negative-replicas", edits! {REPLICAS => (-1)}).refused(["spec.replicas"]),
        create("no-clique", edits! {CLIQUES => [], GROUPS => []})
            .refused(["spec.template.cliques"]),
        create("no-group", edits! {GROUPS => []}),
        create("negative-clique", edits! {replicas => (-2)})
            .refused(["spec.template.cliques[0].spec.replicas"]),
        create("minimum", edits! {minimum => 1}),
        create("minimum-of-none", edits! {minimum => 0}).refused([MINIMUM]),
        create("minimum-above-replicas", edits! {minimum => 3}).refused([MINIMUM]),
        create("idle-clique-without-a-minimum", edits! {replicas => 0}),
        create(
            "idle-clique-with-any-minimum",
            edits! {replicas => 0, minimum => 5},
        ),
        create(
            "idle-clique-with-a-minimum-of-none",
            edits! {replicas => 0, minimum => 0},
        )
        .refused([MINIMUM]),
    ]
}

fn groups() -> Vec<Case> {
    let (replicas, minimum) = (at(GROUP, "replicas"), at(GROUP, "minAvailable"));
    vec![
        create("idle-group", edits! {replicas => 0}),
        create(
            "idle-group-with-any-minimum",
            edits! {replicas => 0, minimum => 3},
        ),
        create("negative-group", edits! {replicas => (-1)}).refused([GROUP_REPLICAS]),
        create("group-minimum-of-none", edits! {minimum => 0}).refused([GROUP_MINIMUM]),
        create("group-minimum-of-all", edits! {minimum => 2}),
        create("group-minimum-above-replicas", edits! {minimum => 3}).refused([GROUP_MINIMUM]),
        create(
            "group-minimum-above-the-default",
            edits! {GROUP => {"name": "prefill", "cliqueNames": ["leader"], "minAvailable": 2}},
        )
        .refused([GROUP_MINIMUM]),
    ]
}

fn members() -> Vec<Case> {
    let names = at(GROUP, "cliqueNames");
    vec![
        create("group-of-no-clique", edits! {names => []})
            .refused(["spec.template.podCliqueScalingGroups[0].cliqueNames"]),
        create(
            "group-of-an-unknown-clique",
            edits! {names => ["decode", "worker"]},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].cliqueNames[0]"]),
        create(
            "clique-twice-in-a-group",
            edits! {names => ["leader", "worker", "leader"]},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].cliqueNames[2]"]),
        create(
            "clique-in-two-groups",
            edits! {at(GROUPS, "-") => {"name": "decode", "cliqueNames": ["frontend", "worker"]}},
        )
        .refused(["spec.template.podCliqueScalingGroups[1].cliqueNames[1]"]),
        create(
            "all-cliques-in-groups",
            edits! {at(GROUPS, "-") => {"name": "decode", "cliqueNames": ["frontend"]}},
        ),
    ]
}

/// Single counts and lists.
fn limits() -> Vec<Case> {
    let clique = |i: usize| {
        serde_json::json!({"name": format!("q{i}"), "spec": {
            "roleName": format!("q{i}"), "replicas": 1, "podSpec": {"containers": [{"name": "main"}]}
        }})
    };
    let many = |n: usize| (0..n).map(clique).collect::<Vec<_>>();
    vec![
        create("too-many-replicas", edits! {REPLICAS => 10_001}).refused(["spec.replicas"]),
        create("too-large-a-clique", edits! {at(FRONTEND, "spec/replicas") => 10_001}).refused([
            "spec.template.cliques[0].spec.replicas",
            MINIMUM,
        ]),
        create(
            "too-large-a-clique-with-a-minimum",
            edits! {at(FRONTEND, "spec/replicas") => 10_001, at(FRONTEND, "spec/minAvailable") => 1},
        )
        .refused(["spec.template.cliques[0].spec.replicas"]),
        create("too-large-a-minimum", edits! {at(FRONTEND, "spec/minAvailable") => 10_001})
            .refused([MINIMUM]),
        create("too-large-a-group", edits! {at(GROUP, "replicas") => 10_001})
            .refused([GROUP_REPLICAS]),
        create("too-large-a-group-minimum", edits! {at(GROUP, "minAvailable") => 10_001})
            .refused([GROUP_MINIMUM]),
        create("too-many-cliques", edits! {CLIQUES => (many(501)), GROUPS => []})
            .refused(["spec.template.cliques"]),
        create("as-many-cliques-as-allowed", edits! {CLIQUES => (many(500)), GROUPS => []}),
    ]
}

/// Products and sums of counts.
fn together() -> Vec<Case> {
    let front = at(FRONTEND, "spec/replicas");
    let minimum = at(FRONTEND, "spec/minAvailable");
    vec![
        create("too-many-podcliques", edits! {REPLICAS => 4_001}).refused(["spec.replicas"]),
        create("as-many-podcliques-as-allowed", edits! {REPLICAS => 4_000}),
        create(
            "too-many-pods",
            edits! {REPLICAS => 101, front => 1_000, minimum => 1},
        )
        .refused(["spec.replicas"]),
        create("too-large-a-gang", edits! {front => 4_997, minimum => 1})
            .refused(["spec.template.cliques"]),
        create(
            "as-large-a-gang-as-allowed",
            edits! {front => 4_996, minimum => 1},
        ),
    ]
}
