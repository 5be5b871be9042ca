//! The consequences of a raised fence.

use std::sync::Arc;

use api::labels;
use api::podcliqueset::{LiveReplicas, ReplicaAttempt};
use domain::health::fence::{AttemptCause, begin_attempts};
use insta::assert_snapshot;
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after};

use crate::situation::{carry_out, demo, fill_all, laid_out, plan, writes};

/// A running set whose replica 0 was just terminated: only the status is written so far.
fn terminating() -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    for _ in 0..2 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
    }
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    set_attempts(&mut snapshot, begin_attempts(&[], [(0, cause)], after(60)));
    snapshot
}

fn set_attempts(snapshot: &mut Snapshot, attempts: Vec<ReplicaAttempt>) {
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored.status.get_or_insert_default().replica_attempts = attempts;
}

#[test]
fn deletes_every_clique_of_the_replica_and_creates_none_before_all_are_gone() {
    let mut snapshot = terminating();
    assert_snapshot!(writes(&plan(&snapshot)));
    snapshot
        .podcliques
        .retain(|name, _| name == "demo-0-g-0-leader");
    let plan = plan(&snapshot);
    assert!(!writes(&plan).contains("create PodClique"), "{plan}");
}

#[test]
fn recreates_the_cliques_in_the_present_attempt_with_their_live_replicas() {
    let mut snapshot = terminating();
    snapshot.podcliques.clear();
    let stored = Arc::make_mut(&mut snapshot.stored);
    let live = LiveReplicas {
        replica: 0,
        clique: "frontend".into(),
        replicas: 5,
        template: None,
    };
    stored.status.as_mut().unwrap().live_replicas = vec![live];
    let next = plan(&snapshot);
    assert_snapshot!(writes(&next));
    carry_out(&mut snapshot, &next);
    let front = &snapshot.podcliques["demo-0-frontend"].podclique;
    assert_eq!(
        front.metadata.labels.as_ref().unwrap()[labels::ATTEMPT],
        "1"
    );
    assert_eq!(front.spec.replicas, 5);
}

#[test]
fn counts_nothing_of_an_earlier_attempt() {
    let status = plan(&terminating()).status.unwrap();
    assert_eq!(status.available_replicas, 0);
}

/// The group has terminated its replica 0 alone: the PodCliques that it is about to delete are of
/// an earlier attempt, though their pods are still Ready.
#[test]
fn counts_nothing_of_an_earlier_attempt_of_a_group_replica() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    assert_eq!(plan(&snapshot).status.unwrap().available_replicas, 1);
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    let attempts = begin_attempts(&[], [(0, cause.clone()), (1, cause)], after(60));
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    group.status.get_or_insert_default().replica_attempts = attempts;
    let next = plan(&snapshot);
    assert_eq!(next.status.as_ref().unwrap().available_replicas, 0);
    let done = writes(&next);
    assert!(
        !done.contains("delete PodClique"),
        "the group deletes them: {done}"
    );
}

#[test]
fn does_not_list_pods_of_an_earlier_attempt() {
    let gangs = writes(&plan(&terminating()));
    assert!(!gangs.contains("replace PodGang"), "{gangs}");
}

#[test]
fn leaves_other_replicas_alone() {
    let mut snapshot = laid_out(&demo().replicas(2).build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    set_attempts(&mut snapshot, begin_attempts(&[], [(1, cause)], after(60)));
    let deleted = writes(&plan(&snapshot));
    assert!(
        deleted.contains("delete PodClique demo-1-frontend"),
        "{deleted}"
    );
    assert!(!deleted.contains("delete PodClique demo-0-"), "{deleted}");
}

#[test]
fn raises_the_fence_to_a_higher_attempt_that_exists_and_does_nothing_else() {
    let mut snapshot = laid_out(&demo().build());
    let found = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let all = Arc::make_mut(&mut found.podclique)
        .metadata
        .annotations
        .as_mut()
        .unwrap();
    all.insert(labels::ATTEMPT.into(), "3".into());
    let plan = plan(&snapshot);
    assert!(plan.writes_nothing() && plan.events.is_empty());
    let attempts = plan.status.unwrap().replica_attempts;
    assert_eq!((attempts[0].replica, attempts[0].attempt), (0, 3));
}

/// Orphaned and applied again after all its PodCliques were deleted: only the group knows the
/// attempt of the replica.
#[test]
fn follows_the_attempt_that_a_group_has_stored_and_does_nothing_else() {
    let mut snapshot = laid_out(&demo().build());
    snapshot.podcliques.clear();
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    group.status.get_or_insert_default().observed_attempt = Some(2);
    let plan = plan(&snapshot);
    assert!(plan.writes_nothing() && plan.events.is_empty());
    let attempts = plan.status.unwrap().replica_attempts;
    assert_eq!((attempts[0].replica, attempts[0].attempt), (0, 2));
}
