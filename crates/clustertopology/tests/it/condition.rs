//! Condition `SchedulerTopologyDrift`.

use api::conditions::{self, ConditionType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use rstest::rstest;

use super::*;

fn drift(status: &ClusterTopologyBindingStatus) -> Option<&Condition> {
    conditions::find(&status.conditions, ConditionType::SchedulerTopologyDrift)
}

#[rstest]
#[case::in_sync(&[], vec![own(&["zone"])], "False/InSync", "all schedulers have the same levels")]
#[case::compared(&[(KAI, "dc")], vec![topology("dc", &["zone"])], "False/InSync",
    "all schedulers have the same levels")]
#[case::missing(&[(KAI, "dc")], vec![], "True/Drift",
    "kai-scheduler: KAI Topology \"dc\" not found")]
#[case::foreign(&[], vec![topology("fabric", &["zone"])], "True/Drift",
    "kai-scheduler: Topology \"fabric\" is not owned by ClusterTopologyBinding \"fabric\": delete \
     it, or name it in schedulerTopologyBindings")]
#[case::unknown_scheduler(&[("volcano", "x")], vec![own(&["zone"])], "Unknown/TopologyNotFound",
    "volcano: scheduler \"volcano\" is not available")]
#[case::unknown_scheduler_beside_a_difference(&[("volcano", "x"), (KAI, "dc")], vec![],
    "Unknown/TopologyNotFound",
    "kai-scheduler: KAI Topology \"dc\" not found; volcano: scheduler \"volcano\" is not available")]
fn sums_up_the_schedulers(
    #[case] entries: &[(&str, &str)],
    #[case] existing: Vec<KaiTopology>,
    #[case] verdict: &str,
    #[case] message: &str,
) {
    let bound = with_entries(binding(&["zone"]), entries);
    let status = status(&snapshot(bound, existing));
    let found = drift(&status).unwrap();
    assert_eq!(format!("{}/{}", found.status, found.reason), verdict);
    assert_eq!(found.message, message);
    assert_eq!(found.observed_generation, Some(1));
    assert_eq!(found.last_transition_time.0, after(60));
    assert_eq!(status.observed_generation, Some(1));
}

#[test]
fn names_the_first_of_many() {
    let names: Vec<String> = (0..7).map(|i| format!("s{i}")).collect();
    let entries: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let bound = with_entries(binding(&["zone"]), &entries);
    let mut many = snapshot(bound, vec![]);
    many.schedulers.clear();
    let status = status(&many);
    assert_eq!(status.scheduler_topology_statuses.len(), 7);
    let message = &drift(&status).unwrap().message;
    assert!(
        message.starts_with("s0: scheduler \"s0\" is not available; s1: "),
        "{message}"
    );
    assert!(message.ends_with("; and 2 more"), "{message}");
}

/// An equal status is not written: nothing in it moves by itself.
#[test]
fn is_the_same_until_something_changes() {
    let mut same = snapshot(binding(&["zone"]), vec![own(&["zone"])]);
    let first = status(&same);
    Arc::make_mut(&mut same.binding).status = Some(first.clone());
    assert_eq!(decide(&same, after(600)).status, Some(first.clone()));

    let mut drifted = snapshot(binding(&["zone"]), vec![topology("fabric", &["zone"])]);
    Arc::make_mut(&mut drifted.binding).status = Some(first.clone());
    let next = decide(&drifted, after(600)).status.unwrap();
    assert_eq!(drift(&next).unwrap().last_transition_time.0, after(600));
    assert_eq!(drift(&first).unwrap().last_transition_time.0, after(60));
}

#[test]
fn goes_with_the_last_scheduler() {
    let mut same = snapshot(binding(&["zone"]), vec![own(&["zone"])]);
    let before = status(&same);
    Arc::make_mut(&mut same.binding).status = Some(before);
    same.schedulers.clear();
    let status = status(&same);
    assert_eq!(
        (status.conditions, status.scheduler_topology_statuses),
        (vec![], vec![])
    );
}

#[test]
fn follows_the_generation_of_the_spec() {
    let mut changed = binding(&["zone"]);
    changed.metadata.generation = Some(7);
    let status = status(&snapshot(changed, vec![own(&["zone"])]));
    assert_eq!(status.observed_generation, Some(7));
    assert_eq!(drift(&status).unwrap().observed_generation, Some(7));
}
