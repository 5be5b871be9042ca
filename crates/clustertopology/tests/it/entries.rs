//! Topologies that others maintain: they are compared and never changed.

use rstest::rstest;

use super::*;

#[rstest]
#[case::missing(vec![], "KAI Topology \"dc\" not found", 0)]
#[case::the_same(vec![topology("dc", &["zone", "rack"])], "", 2)]
#[case::different(vec![topology("dc", &["zone", "host"])],
    "levels differ: zone,rack here, zone,kubernetes.io/hostname there", 2)]
#[case::own_name_only(vec![topology("fabric", &["zone", "rack"])],
    "KAI Topology \"dc\" not found", 0)]
fn are_compared_and_left_alone(
    #[case] existing: Vec<KaiTopology>,
    #[case] report: &str,
    #[case] generation: i64,
) {
    let bound = with_entries(binding(&["zone", "rack"]), &[(KAI, "dc")]);
    let snapshot = snapshot(bound, existing);
    assert!(plan(&snapshot).writes_nothing());
    let expected = SchedulerTopologyStatus {
        scheduler_name: KAI.to_owned(),
        topology_reference: "dc".to_owned(),
        in_sync: report.is_empty(),
        scheduler_backend_topology_observed_generation: generation,
        message: report.to_owned(),
    };
    assert_eq!(judged(&snapshot), expected);
}

/// It was maintained before the entry came, and running gangs may refer to it.
#[test]
fn an_own_topology_stays_once_there_is_an_entry() {
    let bound = with_entries(binding(&["zone"]), &[(KAI, "dc")]);
    let snapshot = snapshot(bound, vec![own(&["rack"]), topology("dc", &["zone"])]);
    assert!(plan(&snapshot).writes_nothing());
    assert!(judged(&snapshot).in_sync);
}

#[test]
fn a_name_without_an_entry_still_has_the_own_topology() {
    let bound = with_entries(binding(&["zone"]), &[("kai-tree", "dc")]);
    let mut two = snapshot(bound, vec![topology("dc", &["zone"])]);
    two.schedulers = vec![KAI.to_owned(), "kai-tree".to_owned()];
    assert_eq!(writes(&two), ["create Topology fabric"]);
    let all = status(&two).scheduler_topology_statuses;
    let all: Vec<(&str, bool)> = all
        .iter()
        .map(|judged| (&*judged.topology_reference, judged.in_sync))
        .collect();
    assert_eq!(all, [("fabric", false), ("dc", true)]);
}

#[test]
fn an_unknown_scheduler_is_reported_beside_the_others_in_the_order_of_names() {
    let bound = with_entries(binding(&["zone"]), &[("z", "x"), (KAI, "dc"), ("a", "y")]);
    let snapshot = snapshot(bound, vec![topology("dc", &["zone"])]);
    let all = status(&snapshot).scheduler_topology_statuses;
    let all: Vec<(&str, &str, bool, &str)> = all
        .iter()
        .map(|judged| {
            let (name, reference) = (&*judged.scheduler_name, &*judged.topology_reference);
            (name, reference, judged.in_sync, &*judged.message)
        })
        .collect();
    assert_eq!(
        all,
        [
            ("a", "y", false, "scheduler \"a\" is not available"),
            (KAI, "dc", true, ""),
            ("z", "x", false, "scheduler \"z\" is not available"),
        ]
    );
}

/// Stored before the webhook refused it.
#[test]
fn of_two_entries_for_one_scheduler_the_first_counts() {
    let bound = with_entries(binding(&["zone"]), &[(KAI, "dc"), (KAI, "other")]);
    let snapshot = snapshot(bound, vec![topology("dc", &["zone"])]);
    assert_eq!(judged(&snapshot).topology_reference, "dc");
}

#[test]
fn a_cluster_without_topologies_is_reported() {
    let bound = with_entries(binding(&["zone"]), &[(KAI, "dc")]);
    let mut unserved = snapshot(bound, vec![]);
    unserved.is_served = false;
    let message = judged(&unserved).message;
    assert!(
        message.starts_with("topologies.kai.scheduler is not served"),
        "{message}"
    );
}
