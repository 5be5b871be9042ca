//! The PodGroups of a gang for Kubernetes' own scheduler.

mod claims;
mod resumed;
mod scaled;
mod settled;
mod topology;
mod units;

use std::collections::BTreeMap;
use std::sync::Arc;

use podgang::backend::kubernetes::{Facts, GroupPosition, Member, Shape};
use rstest::rstest;
use testkit::builders::stored;

use settled::{carry_out, describe_composite, describe_group, plan, settle, unsupported};

/// A cluster that has all kinds, and pods of these PodCliques: name, PodGroup, minimum.
fn cluster(members: &[(&str, &str, u32)]) -> Facts {
    let member = |(name, group, minimum): &(&str, &str, u32)| Member {
        podclique: format!("demo-0-{name}"),
        group: (*group).to_owned(),
        minimum: *minimum,
        pods: *minimum,
        is_listed: true,
        ..Member::default()
    };
    Facts {
        members: members.iter().map(member).collect(),
        serves_groups: true,
        serves_composites: true,
        ..Facts::default()
    }
}

#[test]
fn parts_that_need_all_their_pods_share_one_pod_group() {
    let mut facts = cluster(&[("leader", "demo-0", 1), ("worker", "demo-0", 3)]);
    assert_eq!(settle(&mut facts), ["PodGroup demo-0: 4 pods"]);
    facts.is_begun = true;
    facts.members[1].minimum = 2;
    assert_eq!(settle(&mut facts), ["demo-0 needs 3 pods now"]);
}

/// Pods of the one must not be placed without pods of the other.
#[test]
fn a_gang_that_waits_for_nodes_needs_all_pods_of_those_that_share() {
    let mut facts = cluster(&[("leader", "demo-0", 1), ("worker", "demo-0", 3)]);
    settle(&mut facts);
    facts.members[1].pods = 5;
    assert_eq!(settle(&mut facts), ["demo-0 needs 6 pods now"]);
    let leader = facts.members.remove(0);
    facts.lacks_pods = true;
    assert!(settle(&mut facts).is_empty(), "its pod comes back");
    facts.members.push(leader);
    (facts.lacks_pods, facts.is_begun) = (false, true);
    assert_eq!(settle(&mut facts), ["demo-0 needs 4 pods now"]);
}

/// The pods come back one by one, and are listed once all exist.
#[test]
fn a_gang_that_waits_for_nodes_needs_pods_that_came_back_and_are_not_listed_yet() {
    for groups in [["demo-0", "demo-0"], ["demo-0-leader", "demo-0-worker"]] {
        let mut facts = cluster(&[("leader", groups[0], 1), ("worker", groups[1], 3)]);
        settle(&mut facts);
        facts.members[1].is_listed = false;
        assert!(settle(&mut facts).is_empty(), "{groups:?}");
        facts.is_begun = true;
        assert!(
            !settle(&mut facts).is_empty(),
            "{groups:?}: the leader runs"
        );
    }
}

/// After a termination: pods of a new start wait until the previous PodGroups are gone.
#[test]
fn previous_pod_groups_go_although_a_part_has_no_pods_yet() {
    let mut facts = cluster(&[("a", "demo-0-a", 1), ("b", "demo-0-b", 2)]);
    settle(&mut facts);
    facts.groups.remove("demo-0-b");
    facts.members.remove(0);
    facts.members[0].is_listed = false;
    facts.lacks_pods = true;
    assert_eq!(
        settle(&mut facts),
        [
            "delete PodGroup demo-0-a",
            "delete CompositePodGroup demo-0.groups"
        ]
    );
}

/// Where a cluster has no CompositePodGroups, the groups are placed one by one rather than never.
#[test]
fn a_pod_that_joins_is_placed_without_groups_of_groups_too() {
    let mut facts = cluster(&[("a", "demo-0", 3)]);
    settle(&mut facts);
    facts.serves_composites = false;
    facts
        .members
        .extend(cluster(&[("b", "demo-0-b", 1), ("c", "demo-0-c", 2)]).members);
    assert_eq!(
        settle(&mut facts),
        ["PodGroup demo-0-b: 1 pods", "PodGroup demo-0-c: 2 pods"]
    );
}

#[test]
fn others_have_one_each_and_start_together() {
    let mut facts = cluster(&[
        ("a", "demo-0", 1),
        ("b", "demo-0", 2),
        ("c", "demo-0-c", 2),
        ("d", "demo-0-d", 1),
    ]);
    assert_eq!(
        settle(&mut facts),
        [
            "create Workload demo-0",
            "PodGroup demo-0: 3 pods in demo-0.groups",
            "PodGroup demo-0-c: 2 pods in demo-0.groups",
            "PodGroup demo-0-d: 1 pods in demo-0.groups",
            "CompositePodGroup demo-0.groups: 3 groups",
        ]
    );
}

/// A pod that is not listed yet must not be placed.
#[test]
fn no_pod_group_is_written_before_the_gang_lists_its_pods() {
    let mut facts = cluster(&[("a", "demo-0", 1)]);
    facts.members[0].is_listed = false;
    assert!(settle(&mut facts).is_empty());
}

/// Running pods must not wait for it if they lose a pod while there is no room for all.
#[test]
fn a_pod_that_joins_is_placed_by_itself() {
    let mut facts = cluster(&[("a", "demo-0", 3)]);
    settle(&mut facts);
    let joined = |name: &str| cluster(&[(name, &format!("demo-0-{name}"), 2)]).members;
    facts.members.extend(joined("b"));
    assert_eq!(settle(&mut facts), ["PodGroup demo-0-b: 2 pods"]);
    facts.members.extend(joined("c"));
    facts.members.extend(joined("d"));
    assert_eq!(
        settle(&mut facts),
        [
            "create Workload demo-0",
            "PodGroup demo-0-c: 2 pods in demo-0.groups",
            "PodGroup demo-0-d: 2 pods in demo-0.groups",
            "CompositePodGroup demo-0.groups: 2 groups",
        ]
    );
    facts.members.extend(joined("e"));
    facts.members.extend(joined("f"));
    assert_eq!(
        settle(&mut facts),
        [
            "PodGroup demo-0-e: 2 pods in demo-0.groups.1",
            "PodGroup demo-0-f: 2 pods in demo-0.groups.1",
            "CompositePodGroup demo-0.groups.1: 2 groups",
        ]
    );
}

/// The operator ends after each write; the next process continues there.
#[test]
fn a_begun_start_is_completed() {
    let members = [
        ("a", "demo-0-a", 1),
        ("b", "demo-0-b", 2),
        ("c", "demo-0-c", 1),
    ];
    let mut whole = cluster(&members);
    settle(&mut whole);
    for writes in 0..5 {
        let mut facts = cluster(&members);
        for _ in 0..writes {
            let first = plan(&facts).concat().remove(0);
            carry_out(&mut facts, &first);
        }
        settle(&mut facts);
        let groups = |facts: &Facts| -> Vec<String> {
            let groups = facts.groups.values().map(|g| describe_group(g));
            let composites = facts.composites.values().map(|c| describe_composite(c));
            groups.chain(composites).collect()
        };
        assert_eq!(groups(&facts), groups(&whole), "after {writes}");
    }
}

/// The same names come back, so nothing is begun before their previous holders are gone.
#[test]
fn a_start_waits_until_the_previous_pod_groups_are_gone() {
    let members = [("a", "demo-0-a", 1), ("b", "demo-0-b", 2)];
    let mut facts = cluster(&members);
    settle(&mut facts);
    facts.groups.clear();
    let mut going = facts.clone();
    let composite = going.composites.get_mut("demo-0.groups").unwrap();
    Arc::make_mut(composite).metadata.deletion_timestamp = stored("x").creation_timestamp;
    assert!(settle(&mut going).is_empty());
    assert_eq!(
        settle(&mut facts),
        [
            "delete CompositePodGroup demo-0.groups",
            "PodGroup demo-0-a: 1 pods in demo-0.groups",
            "PodGroup demo-0-b: 2 pods in demo-0.groups",
            "CompositePodGroup demo-0.groups: 2 groups",
        ]
    );
    let composite = facts.composites.get_mut("demo-0.groups").unwrap();
    Arc::make_mut(composite).metadata.owner_references = None;
    facts.groups.clear();
    assert_eq!(
        settle(&mut facts),
        [
            "PodGroup demo-0-a: 1 pods in demo-0.groups.1",
            "PodGroup demo-0-b: 2 pods in demo-0.groups.1",
            "CompositePodGroup demo-0.groups.1: 2 groups",
        ]
    );
}

/// Its demand cannot be changed, and the others would wait for it for ever.
#[test]
fn a_part_that_is_gone_is_not_waited_for() {
    let mut facts = cluster(&[("a", "demo-0-a", 1), ("b", "demo-0-b", 2)]);
    settle(&mut facts);
    let gone = facts.members.pop().unwrap();
    assert_eq!(
        settle(&mut facts),
        [
            "delete PodGroup demo-0-b",
            "delete CompositePodGroup demo-0.groups",
            "CompositePodGroup demo-0.groups: 1 groups",
        ]
    );
    facts.members.clear();
    assert_eq!(
        settle(&mut facts),
        [
            "delete PodGroup demo-0-a",
            "delete CompositePodGroup demo-0.groups"
        ]
    );
    facts.members.push(gone);
    assert_eq!(settle(&mut facts), ["PodGroup demo-0-b: 2 pods"]);
}

/// Its pods still name it, but the gang does not wait for pods that have done their work.
#[test]
fn a_part_whose_work_is_done_is_not_waited_for() {
    let mut facts = cluster(&[("a", "demo-0-a", 1), ("b", "demo-0-b", 2)]);
    settle(&mut facts);
    facts.members[1].minimum = 0;
    assert_eq!(
        settle(&mut facts),
        [
            "delete CompositePodGroup demo-0.groups",
            "CompositePodGroup demo-0.groups: 1 groups"
        ]
    );
}

/// A router, and replicas 0 to 2 of a group of which 2 are required.
fn tree() -> Facts {
    let grouped = |replica: i32, clique: &str| Member {
        place: Some(GroupPosition {
            group: "demo-0-g".into(),
            replica,
            required: 2,
        }),
        podclique: format!("demo-0-g-{replica}-{clique}"),
        group: format!("demo-0-g-{replica}-{clique}"),
        minimum: 1,
        pods: 1,
        is_listed: true,
        listed: 1,
        is_scaled: replica >= 2,
    };
    let mut facts = cluster(&[("router", "demo-0-router", 1)]);
    for replica in 0..3 {
        facts.members.push(grouped(replica, "lead"));
        facts.members.push(grouped(replica, "work"));
    }
    facts.shape = Shape::Tree;
    facts
}

#[test]
fn all_gangs_of_a_replica_are_one_tree() {
    let mut facts = tree();
    assert_eq!(
        settle(&mut facts),
        [
            "create Workload demo-0",
            "PodGroup demo-0-router: 1 pods in demo-0.groups",
            "PodGroup demo-0-g-0-lead: 1 pods in demo-0-g-0.groups",
            "PodGroup demo-0-g-0-work: 1 pods in demo-0-g-0.groups",
            "PodGroup demo-0-g-1-lead: 1 pods in demo-0-g-1.groups",
            "PodGroup demo-0-g-1-work: 1 pods in demo-0-g-1.groups",
            "CompositePodGroup demo-0-g-0.groups: 2 groups in demo-0-g.groups",
            "CompositePodGroup demo-0-g-1.groups: 2 groups in demo-0-g.groups",
            "CompositePodGroup demo-0-g.groups: 2 groups in demo-0.groups",
            "CompositePodGroup demo-0.groups: 2 groups",
        ]
    );
    facts.is_placed = true;
    assert_eq!(
        settle(&mut facts),
        [
            "PodGroup demo-0-g-2-lead: 1 pods in demo-0-g-2.groups",
            "PodGroup demo-0-g-2-work: 1 pods in demo-0-g-2.groups",
            "CompositePodGroup demo-0-g-2.groups: 2 groups in demo-0-g.groups",
        ]
    );
    facts.is_placed = false;
    assert!(settle(&mut facts).is_empty(), "written PodGroups stay");
    facts.members.truncate(3);
    assert_eq!(
        settle(&mut facts).last().unwrap(),
        "CompositePodGroup demo-0-g.groups: 1 groups in demo-0.groups"
    );
}

#[rstest]
#[case::no_pod_groups(false, false, 1, "podgroups.scheduling.k8s.io/v1beta1 is not served")]
#[case::one_is_enough(true, false, 1, "")]
#[case::no_composites(
    true,
    false,
    2,
    "compositepodgroups.scheduling.k8s.io/v1alpha3 is not served"
)]
#[case::all(true, true, 2, "")]
fn a_missing_api_of_the_cluster_is_reported(
    #[case] serves_groups: bool,
    #[case] serves_composites: bool,
    #[case] members: usize,
    #[case] expected: &str,
) {
    let all = [("a", "demo-0-a", 1), ("b", "demo-0-b", 2)];
    for is_listed in [true, false] {
        let mut facts = cluster(&all[..members]);
        facts
            .members
            .iter_mut()
            .for_each(|m| m.is_listed = is_listed);
        facts.serves_groups = serves_groups;
        facts.serves_composites = serves_composites;
        let message = unsupported(&facts);
        assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
        assert!(message.starts_with(expected), "{message}");
        assert!(expected.is_empty() || settle(&mut facts).is_empty());
    }
}

/// A pod may name a PodGroup that a user created by hand.
#[test]
fn a_foreign_pod_group_is_left_alone() {
    let mut facts = cluster(&[("a", "demo-0-a", 1)]);
    settle(&mut facts);
    for group in facts.groups.values_mut() {
        Arc::make_mut(group).metadata.owner_references = None;
    }
    facts.members[0].minimum = 5;
    assert!(settle(&mut facts).is_empty());
    facts.members.clear();
    assert!(settle(&mut facts).is_empty());
    assert_eq!(facts.groups.len(), 1);
    assert_eq!(facts.composites, BTreeMap::new());
}
