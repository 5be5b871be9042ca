//! Strategies of updates, and partitions of cliques and groups: refusals, changes and warnings.

use rstest::rstest;
use serde_json::json;
use testkit::good_set::{CLIQUES, Edit, FRONTEND, GROUP, at};

use crate::cases::{cases, changes_of, describe_errors, set, verdict};
use crate::warnings::told;

const STRATEGY: &str = "/spec/updateStrategy";

/// `frontend` has two pods and needs both; of group `prefill` one of two replicas is needed.
#[test]
fn budgets_of_coherent_updates() {
    let coherent = json!({"type": "Coherent"});
    let clique = at(FRONTEND, "rollingUpdate");
    let group = at(GROUP, "rollingUpdate");
    let found = cases! {
        "less than a version":
            STRATEGY => coherent, &clique => {"maxUnavailable": 1},
            at(GROUP, "minAvailable") => 2, &group => {"maxUnavailable": 1};
        "a version":
            STRATEGY => coherent, &clique => {"maxUnavailable": 2}, &group => {"maxUnavailable": 1};
        "more than there are": STRATEGY => coherent, &clique => {"maxUnavailable": 3};
        "none may be missing":
            STRATEGY => coherent, &clique => {"maxUnavailable": 0}, &group => {"maxUnavailable": -1};
        "none may be missing, and one surges by less than a version":
            STRATEGY => coherent,
            &clique => {"maxSurge": 1}, &group => {"maxUnavailable": 0, "maxSurge": 1};
        "none may be missing, and two surge by less than a version":
            STRATEGY => coherent,
            at(FRONTEND, "spec/replicas") => 4, at(FRONTEND, "spec/minAvailable") => 2,
            at(GROUP, "replicas") => 4, at(GROUP, "minAvailable") => 2,
            &clique => {"maxUnavailable": 0, "maxSurge": 1}, &group => {"maxSurge": 1};
        "none may be missing, and one surges by nothing, as it is idle":
            STRATEGY => coherent, at(FRONTEND, "spec/replicas") => 0,
            &group => {"maxUnavailable": 0, "maxSurge": 1};
        "none may be missing, and all surge":
            STRATEGY => coherent,
            &clique => {"maxUnavailable": 0, "maxSurge": 2},
            &group => {"maxUnavailable": 0, "maxSurge": 1};
        "the default beside surge of one": STRATEGY => coherent, &group => {"maxSurge": 1};
        "less than a version of a job":
            "/spec/workloadType" => "Training", STRATEGY => coherent, &clique => {"maxUnavailable": 1};
        "less than a version with RollingRecreate":
            STRATEGY => {"type": "RollingRecreate"}, &clique => {"maxUnavailable": 1};
    };
    insta::assert_snapshot!(found);
}

#[test]
fn partitions_of_cliques_and_groups() {
    let clique = at(FRONTEND, "rollingUpdate");
    let member = format!("{CLIQUES}/1/rollingUpdate");
    let group = at(GROUP, "rollingUpdate");
    let found = cases! {
        "below 0 with Coherent":
            STRATEGY => {"type": "Coherent"},
            &clique => {"partition": -1}, &group => {"partition": -1};
        "with OnDelete":
            STRATEGY => {"type": "OnDelete"},
            &clique => {"partition": 1}, &group => {"partition": 0};
        "on a member of a group": &member => {"partition": 1};
        "good ones": &clique => {"partition": 0}, &group => {"partition": 9};
    };
    insta::assert_snapshot!(found);
}

#[rstest]
fn the_strategy_can_be_switched(
    #[values("RollingRecreate", "Coherent", "OnDelete")] before: &str,
    #[values("RollingRecreate", "Coherent", "OnDelete")] after: &str,
) {
    let by = |type_: &str| set(&[(STRATEGY, json!({"type": type_}))]);
    assert_eq!(changes_of(&by(before), &by(after)), "");
}

#[rstest]
fn a_partition_can_be_changed(
    #[values(FRONTEND, GROUP)] part: &str,
    #[values(0, 1, 9)] partition: i32,
) {
    let rolling = at(part, "rollingUpdate");
    let with = |partition: i32| set(&[(rolling.as_str(), json!({"partition": partition}))]);
    assert_eq!(changes_of(&set(&[]), &with(partition)), "");
    assert_eq!(changes_of(&with(2), &with(partition)), "");
}

/// A budget for `RollingRecreate` may be less than a version. A set that was stored with it stays
/// editable.
#[test]
fn a_switch_is_refused_for_a_budget_that_it_makes_wrong() {
    let clique = at(FRONTEND, "rollingUpdate");
    let budget = (clique.as_str(), json!({"maxUnavailable": 1}));
    let coherent = [
        budget.clone(),
        (STRATEGY, json!({"type": "Coherent"})),
        ("/spec/replicas", json!(1)),
    ];
    let mut scaled = coherent.clone();
    scaled[2].1 = json!(2);
    assert_eq!(
        changes_of(&set(&[budget]), &set(&coherent)),
        "  spec.template.cliques[0].rollingUpdate.maxUnavailable: 1: must be at least minAvailable (2) \
         with updateStrategy Coherent: a version is whole with 2; raise it, or omit it for minAvailable"
    );
    assert_eq!(changes_of(&set(&coherent), &set(&scaled)), "");
}

fn describe_warnings(cases: &[(&str, &[Edit<'_>])]) -> String {
    let lines = cases
        .iter()
        .map(|(case, edits)| verdict(case, &told(None, edits)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn partitions_with_and_without_a_warning() {
    let (clique, group) = (at(FRONTEND, "rollingUpdate"), at(GROUP, "rollingUpdate"));
    let (clique, group) = (clique.as_str(), group.as_str());
    let (pods, scaling) = (at(FRONTEND, "spec/replicas"), at(GROUP, "scaleConfig"));
    let autoscaler = json!({"maxReplicas": 5});
    let partition = |index: i32| json!({"partition": index});
    let found = describe_warnings(&[
        ("of all", &[(clique, partition(2)), (group, partition(2))]),
        ("of some", &[(clique, partition(1)), (group, partition(1))]),
        (
            "of some that an autoscaler may add",
            &[(group, partition(4)), (&scaling, autoscaler.clone())],
        ),
        (
            "of all that an autoscaler may add",
            &[(group, partition(5)), (&scaling, autoscaler)],
        ),
        (
            "of an idle clique",
            &[(clique, partition(1)), (&pods, json!(0))],
        ),
        (
            "of a job",
            &[
                ("/spec/workloadType", json!("Training")),
                (group, partition(2)),
            ],
        ),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn coherent_updates_with_and_without_a_warning() {
    let (clique, group) = (at(FRONTEND, "rollingUpdate"), at(GROUP, "rollingUpdate"));
    let (clique, group) = (clique.as_str(), group.as_str());
    let (pods, members) = (at(FRONTEND, "spec/replicas"), at(GROUP, "cliqueNames"));
    let minimum = at(FRONTEND, "spec/minAvailable");
    let (replicas, of_group) = (at(GROUP, "replicas"), at(GROUP, "minAvailable"));
    let coherent = (STRATEGY, json!({"type": "Coherent"}));
    let surge = |count: i32| json!({"maxSurge": count});
    let all = json!(["frontend", "leader", "worker"]);
    let found = describe_warnings(&[
        ("one part", &[coherent.clone(), (&members, all)]),
        (
            "surge of less than a version",
            &[coherent.clone(), (clique, surge(1)), (group, surge(1))],
        ),
        (
            "surge of less than a version of two parts",
            &[
                coherent.clone(),
                (&pods, json!(4)),
                (&minimum, json!(2)),
                (&replicas, json!(4)),
                (&of_group, json!(2)),
                (clique, surge(1)),
                (group, surge(1)),
            ],
        ),
        (
            "surge of a version",
            &[coherent.clone(), (clique, surge(2)), (group, surge(1))],
        ),
        (
            "a partition keeps some",
            &[coherent.clone(), (clique, json!({"partition": 1}))],
        ),
        ("an idle clique", &[coherent.clone(), (&pods, json!(0))]),
        (
            "a job",
            &[("/spec/workloadType", json!("Training")), coherent],
        ),
        // Every set of single replicas would be warned about.
        ("one pod with RollingRecreate", &[(&pods, json!(1))]),
    ]);
    insta::assert_snapshot!(found);
}
