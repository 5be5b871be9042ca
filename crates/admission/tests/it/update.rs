//! Fields that may not change in the life of a set, with the words of the refusals.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, Edit, FRONTEND, GROUP, at, good};

use crate::cases::{changes_of, set, verdict};

/// The errors of a change from one set to another.
fn changed(before: &[Edit<'_>], after: &[Edit<'_>]) -> String {
    changes_of(&set(before), &set(after))
}

fn changes(cases: &[(&str, Edit<'_>)]) -> String {
    let lines = cases
        .iter()
        .map(|(case, edit)| verdict(case, &changed(&[], std::slice::from_ref(edit))));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_cannot_be_changed() {
    let frontend = |field: &str| at(FRONTEND, field);
    let group = |field: &str| at(GROUP, field);
    let mnnvl = json!({"grove.io/mnnvl-group": "fast"});
    let constraint = json!({"topologyName": "c", "pack": {"required": "rack"}});
    let sharing = json!([{"name": "claim", "scope": "AllReplicas"}]);
    let claim = json!([{"name": "claim", "templateSpec": {
        "spec": {"devices": {"requests": [{"name": "gpu"}]}}
    }}]);
    insta::assert_snapshot!(changes(&[
        ("workload type", ("/spec/workloadType", json!("Training"))),
        (
            "start order",
            (
                "/spec/template/cliqueStartupType",
                json!("CliqueStartupTypeInOrder")
            )
        ),
        (
            "claim templates",
            ("/spec/template/resourceClaimTemplates", claim)
        ),
        (
            "sharing of the set",
            ("/spec/template/resourceSharing", sharing.clone())
        ),
        (
            "topology of the set",
            ("/spec/template/topologyConstraint", constraint.clone())
        ),
        ("NVLink group", ("/metadata/annotations", mnnvl.clone())),
        ("name of a clique", (&frontend("name"), json!("backend"))),
        ("role", (&frontend("spec/roleName"), json!("other"))),
        ("minimum", (&frontend("spec/minAvailable"), json!(1))),
        (
            "starts after",
            (&frontend("spec/startsAfter"), json!(["leader"]))
        ),
        (
            "sharing of a clique",
            (&frontend("resourceSharing"), sharing.clone())
        ),
        (
            "NVLink group of a clique",
            (&frontend("annotations"), mnnvl.clone())
        ),
        ("name of a group", (&group("name"), json!("decode"))),
        (
            "cliques of a group",
            (&group("cliqueNames"), json!(["leader"]))
        ),
        ("minimum of a group", (&group("minAvailable"), json!(2))),
        ("sharing of a group", (&group("resourceSharing"), sharing)),
        (
            "topology of a group",
            (&group("topologyConstraint"), constraint)
        ),
        ("NVLink group of a group", (&group("annotations"), mnnvl)),
    ]));
}

#[rstest]
#[case("/spec/replicas", json!(7))]
#[case("/spec/updateStrategy", json!({"type": "OnDelete"}))]
#[case("/spec/updateStrategy", json!({"type": "Coherent"}))]
#[case("/spec/template/priorityClassName", json!("high"))]
#[case("/spec/template/terminationDelay", json!("1h"))]
#[case("/spec/template/cliques/0/spec/podSpec/containers/0/image", json!("llm:2"))]
#[case("/spec/template/cliques/1/labels", json!({"a": "b"}))]
#[case("/spec/template/podCliqueScalingGroups/0/replicas", json!(5))]
#[case("/spec/template/podCliqueScalingGroups/0/scaleConfig", json!({"maxReplicas": 5}))]
fn fields_that_can_be_changed(#[case] pointer: &str, #[case] value: Value) {
    assert_eq!(changed(&[], &[(pointer, value)]), "");
}

/// Lowering the minimum would be refused too.
#[test]
fn a_minimum_is_not_offered_to_be_lowered() {
    let minimum = at(FRONTEND, "spec/minAvailable");
    let replicas = at(FRONTEND, "spec/replicas");
    let autoscaling = at(FRONTEND, "spec/autoScalingConfig");
    let autoscaler = json!({"minReplicas": 1, "maxReplicas": 4});
    let before = [(minimum.as_str(), json!(2))];
    let after = [
        before[0].clone(),
        (replicas.as_str(), json!(1)),
        (autoscaling.as_str(), autoscaler),
    ];
    insta::assert_snapshot!(changed(&before, &after));
}

#[test]
fn the_order_of_cliques_counts_where_they_start_in_it() {
    let type_ = (
        "/spec/template/cliqueStartupType",
        json!("CliqueStartupTypeInOrder"),
    );
    let mut list = good().pointer(CLIQUES).unwrap().as_array().unwrap().clone();
    list.reverse();
    let reversed = (CLIQUES, Value::from(list));
    assert_eq!(changed(&[], std::slice::from_ref(&reversed)), "");
    insta::assert_snapshot!(changed(
        std::slice::from_ref(&type_),
        &[type_.clone(), reversed]
    ));
}

#[test]
fn the_scheduler_cannot_be_changed() {
    let on = |name: &'static str| {
        let at = |i: i32| format!("{CLIQUES}/{i}/spec/podSpec/schedulerName");
        let edits = [0, 1, 2].map(|i| (at(i), json!(name)));
        let edits: Vec<_> = edits
            .iter()
            .map(|(at, name)| (at.as_str(), name.clone()))
            .collect();
        set(&edits)
    };
    assert_eq!(changes_of(&set(&[]), &on("default-scheduler")), "");
    insta::assert_snapshot!(changes_of(&set(&[]), &on("kai-scheduler")));
}

#[test]
fn a_training_job_keeps_its_size_and_pods() {
    let training = ("/spec/workloadType", json!("Training"));
    let image = at(FRONTEND, "spec/podSpec/containers/0/image");
    let group = at(GROUP, "replicas");
    let after = [
        training.clone(),
        ("/spec/replicas", json!(2)),
        (image.as_str(), json!("llm:2")),
        (group.as_str(), json!(3)),
        ("/spec/trainingSpec", json!({"maxRestarts": 5})),
    ];
    insta::assert_snapshot!(changed(&[training], &after));
}

#[rstest]
#[case::moved(json!({"topologyName": "c", "packDomain": "rack"}), json!({"topologyName": "c", "pack": {"required": "rack"}}), true)]
#[case::moved_elsewhere(json!({"topologyName": "c", "packDomain": "rack"}), json!({"topologyName": "c", "pack": {"required": "host"}}), false)]
#[case::named(json!({"packDomain": "rack"}), json!({"topologyName": "c", "packDomain": "rack"}), true)]
#[case::renamed(json!({"topologyName": "c", "packDomain": "rack"}), json!({"topologyName": "d", "packDomain": "rack"}), false)]
#[case::removed(json!({"topologyName": "c", "packDomain": "rack"}), Value::Null, false)]
fn an_old_constraint_may_be_modernized(
    #[case] before: Value,
    #[case] after: Value,
    #[case] accepted: bool,
) {
    let at = "/spec/template/topologyConstraint";
    assert_eq!(
        changed(&[(at, before)], &[(at, after)]).is_empty(),
        accepted
    );
}

#[test]
fn errors_of_the_stored_version_do_not_block_a_change() {
    let dotted = ("/metadata/name", json!("llm.v1"));
    let edits = [dotted.clone(), ("/spec/replicas", json!(3))];
    assert_eq!(changed(&[dotted], &edits), "");
}

#[test]
fn a_set_that_is_being_deleted_may_be_anything() {
    let deleted = ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    assert_eq!(changed(&[], &[deleted, (CLIQUES, json!([]))]), "");
}

/// Older definitions filled it in; a manifest without it is the same.
#[test]
fn the_operator_of_a_toleration_may_be_left_out_again() {
    let claim = |toleration: Value| {
        json!([{"name": "claim", "templateSpec": {"spec": {"devices": {"requests": [
            {"name": "gpu", "exactly": {
                "deviceClassName": "gpu", "tolerations": [toleration.clone()]
            }},
            {"name": "any", "firstAvailable": [{
                "name": "a", "deviceClassName": "gpu", "tolerations": [toleration]
            }]},
        ]}}}}])
    };
    let at = "/spec/template/resourceClaimTemplates";
    let stored = claim(json!({"key": "a", "value": "b", "operator": "Equal"}));
    let sent = claim(json!({"key": "a", "value": "b"}));
    assert_eq!(changed(&[(at, stored.clone())], &[(at, sent)]), "");
    let other = claim(json!({"key": "a", "operator": "Exists"}));
    assert_ne!(changed(&[(at, stored)], &[(at, other)]), "");
}
