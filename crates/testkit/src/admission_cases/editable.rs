//! Fields that may be changed at any time.

use super::{Case, edits, update, update_of};
use crate::good_set::{FRONTEND, GROUP, at};

pub(super) fn cases() -> Vec<Case> {
    [of_set(), of_cliques(), replicas(), of_groups()].concat()
}

fn of_set() -> Vec<Case> {
    let delay = "/spec/template/terminationDelay";
    let service = "/spec/template/headlessServiceConfig";
    vec![
        update("nothing-is-changed", &[]),
        update("set-is-scaled", edits! {"/spec/replicas" => 7}),
        update("set-is-put-to-sleep", edits! {"/spec/replicas" => 0}),
        update("set-is-scaled-too-far", edits! {"/spec/replicas" => 4_001})
            .refused(["spec.replicas"]),
        update(
            "strategy-is-changed",
            edits! {"/spec/updateStrategy" => {"type": "OnDelete"}},
        ),
        update(
            "priority-is-changed",
            edits! {"/spec/template/priorityClassName" => "high"},
        ),
        update("delay-is-added", edits! {delay => "1h"}),
        update_of(
            "delay-is-removed",
            edits! {delay => "1h"},
            edits! {delay => null},
        ),
        update("delay-is-broken", edits! {delay => "0s"})
            .refused(["spec.template.terminationDelay"]),
        update(
            "service-is-changed",
            edits! {service => {"publishNotReadyAddresses": false}},
        ),
        update(
            "reconciliation-is-asked-for",
            edits! {"/metadata/annotations" => {"grove.io/reconcile-trigger": "1"}},
        ),
        update(
            "restart-of-a-replica-is-asked-for",
            edits! {"/metadata/annotations" => {
                "grove.io/restart-replica": r#"{"replica": 0, "attempt": 0}"#
            }},
        ),
        update(
            "restart-of-an-attempt-that-is-not-the-stored-one",
            edits! {"/metadata/annotations" => {
                "grove.io/restart-replica": r#"{"replica": 0, "attempt": 7}"#
            }},
        )
        .refused(["metadata.annotations[grove.io/restart-replica]"]),
        update(
            "restart-of-no-replica",
            edits! {"/metadata/annotations" => {"grove.io/restart-replica": "0"}},
        )
        .refused(["metadata.annotations[grove.io/restart-replica]"]),
    ]
}

fn of_cliques() -> Vec<Case> {
    let image = at(FRONTEND, "spec/podSpec/containers/0/image");
    let containers = at(FRONTEND, "spec/podSpec/containers/-");
    let rolling = at(FRONTEND, "rollingUpdate");
    vec![
        update("image-is-changed", edits! {image => "llm:2"}),
        update(
            "container-is-added",
            edits! {containers => {"name": "side", "image": "side:1"}},
        ),
        update(
            "labels-are-added",
            edits! {at(FRONTEND, "labels") => {"a": "b"}},
        ),
        update(
            "annotations-are-added",
            edits! {at(FRONTEND, "annotations") => {"a": "b c"}},
        ),
        update("budget-is-added", edits! {rolling => {"maxUnavailable": 2}}),
        update(
            "budget-is-broken",
            edits! {rolling => {"maxUnavailable": 0}},
        )
        .refused(["spec.template.cliques[0].rollingUpdate.maxUnavailable"]),
        update(
            "node-is-added",
            edits! {at(FRONTEND, "spec/podSpec/nodeName") => "node-1"},
        )
        .refused(["spec.template.cliques[0].spec.podSpec.nodeName"]),
        update(
            "autoscaler-is-added",
            edits! {at(FRONTEND, "spec/autoScalingConfig") => {"maxReplicas": 5}},
        ),
    ]
}

/// The minimum that a clique was created with stays; an update without a minimum is no change.
fn replicas() -> Vec<Case> {
    const MINIMUM: &str = "spec.template.cliques[0].spec.minAvailable";
    let (replicas, minimum) = (
        at(FRONTEND, "spec/replicas"),
        at(FRONTEND, "spec/minAvailable"),
    );
    vec![
        update("clique-without-a-minimum-grows", edits! {replicas => 4}),
        update(
            "clique-without-a-minimum-is-put-to-sleep",
            edits! {replicas => 0},
        ),
        update_of(
            "clique-that-names-its-minimum-no-more-shrinks",
            edits! {minimum => 2},
            edits! {minimum => null, replicas => 1},
        )
        .refused([MINIMUM]),
        update_of(
            "idle-clique-without-a-minimum-wakes",
            edits! {replicas => 0},
            edits! {replicas => 4},
        ),
        update_of(
            "clique-with-a-minimum-shrinks",
            edits! {minimum => 1},
            edits! {replicas => 1},
        ),
        update_of(
            "clique-shrinks-below-its-minimum",
            edits! {minimum => 2},
            edits! {replicas => 1},
        )
        .refused([MINIMUM]),
    ]
}

fn of_groups() -> Vec<Case> {
    let (replicas, scaling) = (at(GROUP, "replicas"), at(GROUP, "scaleConfig"));
    vec![
        update("group-is-scaled", edits! {replicas => 5}),
        update("group-is-put-to-sleep", edits! {replicas => 0}),
        update_of(
            "group-shrinks-below-its-minimum",
            edits! {at(GROUP, "minAvailable") => 2},
            edits! {replicas => 1},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].minAvailable"]),
        update(
            "group-autoscaler-is-added",
            edits! {scaling => {"maxReplicas": 5}},
        ),
        update_of(
            "group-autoscaler-is-broken",
            edits! {scaling => {"maxReplicas": 5}},
            edits! {scaling => {"maxReplicas": 1}},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].scaleConfig.maxReplicas"]),
        update(
            "annotations-of-a-group-are-added",
            edits! {at(GROUP, "annotations") => {"a": "b"}},
        ),
    ]
}
