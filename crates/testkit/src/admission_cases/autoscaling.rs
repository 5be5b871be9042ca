//! Limits of autoscalers.

use super::{Case, create, edits};
use crate::good_set::{FRONTEND, GROUP, at};

pub(super) fn cases() -> Vec<Case> {
    [cliques(), groups()].concat()
}

fn cliques() -> Vec<Case> {
    const LOWEST: &str = "spec.template.cliques[0].spec.autoScalingConfig.minReplicas";
    const HIGHEST: &str = "spec.template.cliques[0].spec.autoScalingConfig.maxReplicas";
    let own = at(FRONTEND, "spec/autoScalingConfig");
    let minimum = at(FRONTEND, "spec/minAvailable");
    let idle = at(FRONTEND, "spec/replicas");
    vec![
        create("autoscaler", edits! {own => {"maxReplicas": 4}}),
        create(
            "autoscaler-below-the-minimum",
            edits! {own => {"minReplicas": 1, "maxReplicas": 4}},
        )
        .refused([LOWEST]),
        create(
            "autoscaler-in-the-wrong-order",
            edits! {own => {"minReplicas": 3, "maxReplicas": 2}},
        )
        .refused([HIGHEST]),
        create(
            "autoscaler-without-room-for-replicas",
            edits! {minimum => 1, own => {"minReplicas": 1, "maxReplicas": 1}},
        )
        .refused([HIGHEST]),
        create(
            "autoscaler-of-what-is-idle",
            edits! {idle => 0, own => {"maxReplicas": 1}},
        ),
        create(
            "autoscaler-of-a-member",
            edits! {"/spec/template/cliques/1/spec/autoScalingConfig" => {"maxReplicas": 3}},
        )
        .refused(["spec.template.cliques[1].spec.autoScalingConfig"]),
    ]
}

fn groups() -> Vec<Case> {
    const LOWEST: &str = "spec.template.podCliqueScalingGroups[0].scaleConfig.minReplicas";
    const HIGHEST: &str = "spec.template.podCliqueScalingGroups[0].scaleConfig.maxReplicas";
    let group = at(GROUP, "scaleConfig");
    let minimum = at(GROUP, "minAvailable");
    vec![
        create("group-autoscaler", edits! {group => {"maxReplicas": 4}}),
        create(
            "group-autoscaler-below-the-minimum",
            edits! {minimum => 2, group => {"minReplicas": 1, "maxReplicas": 4}},
        )
        .refused([LOWEST]),
        create(
            "group-autoscaler-in-the-wrong-order",
            edits! {group => {"minReplicas": 3, "maxReplicas": 2}},
        )
        .refused([HIGHEST]),
        create(
            "group-autoscaler-below-the-replicas",
            edits! {group => {"maxReplicas": 1}},
        )
        .refused([HIGHEST]),
        create(
            "group-autoscaler-that-scales-in-at-once",
            edits! {group => {"minReplicas": 1, "maxReplicas": 1}},
        )
        .warned(["spec.template.podCliqueScalingGroups[0].replicas"]),
    ]
}
