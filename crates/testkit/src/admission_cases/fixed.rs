//! Fields that keep the value they were created with.

use serde_json::{Value, json};

use super::{Case, edits, update, update_of};
use crate::good_set::{CLIQUES, FRONTEND, GROUP, at};

pub(super) fn cases() -> Vec<Case> {
    [of_set(), of_cliques(), of_groups(), nvlink()].concat()
}

fn sharing() -> Value {
    json!([{"name": "claim", "scope": "AllReplicas"}])
}

fn of_set() -> Vec<Case> {
    let template = "/spec/template/resourceClaimTemplates";
    let claim = json!([{"name": "claim", "templateSpec": {
        "spec": {"devices": {"requests": [{"name": "gpu"}]}}
    }}]);
    let start = "/spec/template/cliqueStartupType";
    vec![
        update(
            "set-becomes-a-job",
            edits! {"/spec/workloadType" => "Training"},
        )
        .refused(["spec.workloadType"]),
        update(
            "start-order-is-changed",
            edits! {start => "CliqueStartupTypeInOrder"},
        )
        .refused(["spec.template.cliqueStartupType"]),
        update(
            "start-order-is-named",
            edits! {start => "CliqueStartupTypeAnyOrder"},
        ),
        update("claim-template-is-added", &[(template, claim)])
            .refused(["spec.template.resourceClaimTemplates"]),
        update(
            "sharing-is-added",
            &[("/spec/template/resourceSharing", sharing())],
        )
        .refused(["spec.template.resourceSharing"]),
    ]
}

fn of_cliques() -> Vec<Case> {
    let spec = |field: &str| format!("spec.template.cliques[0].{field}");
    let scheduler = |i: usize| format!("{CLIQUES}/{i}/spec/podSpec/schedulerName");
    let told = |i: usize| format!("spec.template.cliques[{i}].spec.podSpec.schedulerName");
    vec![
        update("role-is-changed", edits! {at(FRONTEND, "spec/roleName") => "other"})
            .refused([&spec("spec.roleName")]),
        update("minimum-is-changed", edits! {at(FRONTEND, "spec/minAvailable") => 1})
            .refused([&spec("spec.minAvailable")]),
        update("minimum-is-named", edits! {at(FRONTEND, "spec/minAvailable") => 2}),
        update("start-is-changed", edits! {at(FRONTEND, "spec/startsAfter") => ["leader"]})
            .refused([&spec("spec.startsAfter")]),
        update("sharing-of-a-clique-is-added", &[(&at(FRONTEND, "resourceSharing"), sharing())])
            .refused([&spec("resourceSharing")]),
        update(
            "scheduler-is-changed",
            edits! {scheduler(0) => "volcano", scheduler(1) => "volcano", scheduler(2) => "volcano"},
        )
        .refused([&told(0), &told(1), &told(2)]),
        update("scheduler-is-named", edits! {scheduler(1) => "default-scheduler"}),
    ]
}

fn of_groups() -> Vec<Case> {
    let told = |field: &str| format!("spec.template.podCliqueScalingGroups[0].{field}");
    let constraint = json!({"topologyName": "c", "pack": {"required": "rack"}});
    vec![
        update(
            "members-are-changed",
            edits! {at(GROUP, "cliqueNames") => ["leader"]},
        )
        .refused([&told("cliqueNames")]),
        update(
            "minimum-of-a-group-is-changed",
            edits! {at(GROUP, "minAvailable") => 2},
        )
        .refused([&told("minAvailable")]),
        update(
            "minimum-of-a-group-is-named",
            edits! {at(GROUP, "minAvailable") => 1},
        ),
        update(
            "sharing-of-a-group-is-added",
            &[(&at(GROUP, "resourceSharing"), sharing())],
        )
        .refused([&told("resourceSharing")]),
        update(
            "constraint-of-a-group-is-added",
            &[(&at(GROUP, "topologyConstraint"), constraint)],
        )
        .refused([&told("topologyConstraint")]),
    ]
}

fn nvlink() -> Vec<Case> {
    const OF_SET: &str = "metadata.annotations[grove.io/mnnvl-group]";
    let all = "/metadata/annotations";
    let fast = json!({"grove.io/mnnvl-group": "fast"});
    let added = [(all, fast.clone())];
    vec![
        update("nvlink-group-is-added", &added).refused([OF_SET]),
        update_of("nvlink-group-is-removed", &added, edits! {all => {}}).refused([OF_SET]),
        update_of(
            "nvlink-group-is-kept",
            &added,
            edits! {"/metadata/annotations/x" => "y"},
        )
        .warned([OF_SET]),
        update(
            "nvlink-group-of-a-clique-is-added",
            &[(&at(FRONTEND, "annotations"), fast.clone())],
        )
        .refused(["spec.template.cliques[0].annotations[grove.io/mnnvl-group]"]),
        update(
            "nvlink-group-of-a-group-is-added",
            &[(&at(GROUP, "annotations"), fast)],
        )
        .refused(["spec.template.podCliqueScalingGroups[0].annotations[grove.io/mnnvl-group]"]),
    ]
}
