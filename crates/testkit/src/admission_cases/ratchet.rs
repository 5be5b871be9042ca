//! Ratcheting validation: an update is refused only for errors that it introduces.

mod moved;

use super::{Case, edits, update_of};
use crate::good_set::{CLIQUES, Edit, FRONTEND, GROUP, at};

pub(super) fn cases() -> Vec<Case> {
    [kept(), kept_in_lists(), touched(), moved::cases()].concat()
}

/// The set is scaled, and its errors stay.
fn scaled(name: &'static str, wrong: &[Edit<'_>]) -> Case {
    update_of(name, wrong, edits! {"/spec/replicas" => 2}).of_an_invalid_set()
}

fn kept() -> Vec<Case> {
    let minimum = at(FRONTEND, "spec/minAvailable");
    let size = at(FRONTEND, "spec/replicas");
    vec![
        scaled(
            "dotted-set-is-scaled",
            edits! {"/metadata/name" => "old.v1"},
        ),
        scaled(
            "set-with-a-dotted-clique-is-scaled",
            edits! {at(FRONTEND, "name") => "front.end"},
        ),
        scaled("set-with-a-high-minimum-is-scaled", edits! {minimum => 5}),
        scaled(
            "set-without-a-delay-is-scaled",
            edits! {"/spec/template/terminationDelay" => "0s"},
        ),
        scaled(
            "set-with-a-node-is-scaled",
            edits! {at(FRONTEND, "spec/podSpec/nodeName") => "node-1"},
        ),
        scaled(
            "set-with-one-role-twice-is-scaled",
            edits! {at(FRONTEND, "spec/roleName") => "leader"},
        ),
        scaled(
            "set-with-limits-of-a-job-is-scaled",
            edits! {"/spec/trainingSpec" => {}},
        ),
        update_of(
            "image-of-too-large-a-gang-is-changed",
            edits! {size => 4_997, minimum => 1},
            edits! {at(FRONTEND, "spec/podSpec/containers/0/image") => "llm:2"},
        )
        .of_an_invalid_set(),
    ]
}

fn kept_in_lists() -> Vec<Case> {
    vec![
        scaled(
            "set-with-a-variable-twice-is-scaled",
            edits! {at(FRONTEND, "spec/podSpec/containers/0/env") => [{"name": "A"}, {"name": "A"}]},
        ),
        scaled(
            "set-with-two-schedulers-is-scaled",
            edits! {at(FRONTEND, "spec/podSpec/schedulerName") => "volcano"},
        ),
        scaled(
            "set-with-a-stranger-in-a-group-is-scaled",
            edits! {at(GROUP, "cliqueNames") => ["leader", "decode"]},
        ),
        scaled(
            "set-with-a-circle-is-scaled",
            edits! {
                "/spec/template/cliqueStartupType" => "CliqueStartupTypeExplicit",
                at(CLIQUES, "0/spec/startsAfter") => ["leader"],
                at(CLIQUES, "1/spec/startsAfter") => ["frontend"],
            },
        ),
        scaled(
            "set-with-a-wrong-group-autoscaler-is-scaled",
            edits! {at(GROUP, "scaleConfig") => {"minReplicas": 5, "maxReplicas": 4}},
        ),
    ]
}

fn touched() -> Vec<Case> {
    let minimum = at(FRONTEND, "spec/minAvailable");
    let node = at(FRONTEND, "spec/podSpec/nodeName");
    let delay = "/spec/template/terminationDelay";
    vec![
        update_of(
            "high-minimum-stays-too-high",
            edits! {minimum => 5},
            edits! {at(FRONTEND, "spec/replicas") => 4},
        )
        .of_an_invalid_set()
        .refused(["spec.template.cliques[0].spec.minAvailable"]),
        update_of(
            "high-minimum-is-reached",
            edits! {minimum => 5},
            edits! {at(FRONTEND, "spec/replicas") => 5},
        )
        .of_an_invalid_set(),
        update_of(
            "node-is-changed",
            edits! {node => "node-1"},
            edits! {node => "node-2"},
        )
        .of_an_invalid_set()
        .refused(["spec.template.cliques[0].spec.podSpec.nodeName"]),
        update_of(
            "node-is-removed",
            edits! {node => "node-1"},
            edits! {node => null},
        )
        .of_an_invalid_set(),
        update_of(
            "wrong-delay-is-removed",
            edits! {delay => "0s"},
            edits! {delay => null},
        )
        .of_an_invalid_set(),
        update_of(
            "another-error-is-added",
            edits! {node => "node-1"},
            edits! {delay => "0s"},
        )
        .of_an_invalid_set()
        .refused(["spec.template.terminationDelay"]),
    ]
}
