//! A group replica that was recycled is unhealthy until it came back once, and starts like any
//! other later on (docs/semantics.md §2.4).

use std::sync::Arc;

use api::PodCliqueScalingGroupStatus;
use api::conditions::{self, ConditionType};
use api::podcliqueset::ReplicaAttempt;
use domain::health::fence::{AttemptCause, begin_attempts};
use domain::object::ownership;
use domain::plan::Plan;
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;

use crate::situation::{complete, created, demo, plan, situation};

/// 3 replicas of which 2 are required. Replica 1 was terminated, and none of its PodCliques exists.
fn recycled(recovered: Option<bool>) -> Snapshot {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    podcliques.retain(|c| !ownership::name(&c.metadata).starts_with("demo-0-g-1-"));
    let mut snapshot = situation(&set, 3, podcliques);
    let cause = AttemptCause {
        reason: "MinAvailableBreached".into(),
        message: "test".into(),
    };
    let mut attempts = begin_attempts(&[], [(1, cause)], after(60));
    attempts[0].recovered = recovered;
    let status = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    status.replica_attempts = attempts;
    snapshot
}

/// The missing PodCliques were created and wait for room.
fn start(snapshot: &mut Snapshot) {
    for podclique in created(&plan(snapshot)) {
        let name = ownership::name(&podclique.metadata).to_owned();
        snapshot.podcliques.insert(name, Arc::new(podclique));
    }
}

/// All of replica 1 is available.
fn come_up(snapshot: &mut Snapshot) {
    for (name, podclique) in &mut snapshot.podcliques {
        if name.starts_with("demo-0-g-1-") {
            let podclique = Arc::make_mut(podclique);
            let status = podclique.status.get_or_insert_default();
            (status.was_available, status.ready_replicas) = (true, podclique.spec.replicas);
        }
    }
}

/// One more is broken: with one healthy replica left, the group is breached.
fn lose(snapshot: &mut Snapshot, name: &str) {
    let podclique = Arc::make_mut(snapshot.podcliques.get_mut(name).unwrap());
    let status = podclique.status.get_or_insert_default();
    let verdict = conditions::ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status: conditions::Status::True,
        reason: conditions::Reason::InsufficientReadyPods,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, after(60));
}

fn scale(snapshot: &mut Snapshot, replicas: i32) {
    Arc::make_mut(&mut snapshot.group).spec.replicas = replicas;
}

/// Writes the status, and deletes the objects that the plan deletes.
fn carry_out(snapshot: &mut Snapshot, plan: &Plan<PodCliqueScalingGroupStatus>) {
    Arc::make_mut(&mut snapshot.group)
        .status
        .clone_from(&plan.status);
    for action in plan.waves.iter().flatten().filter(|a| a.verb() == "delete") {
        snapshot.podcliques.remove(&action.key().name);
    }
}

fn latch(plan: &Plan<PodCliqueScalingGroupStatus>) -> Option<bool> {
    let attempts: &[ReplicaAttempt] = &plan.status.as_ref().unwrap().replica_attempts;
    attempts[0].recovered
}

fn is_breached(plan: &Plan<PodCliqueScalingGroupStatus>) -> bool {
    let status = plan.status.as_ref().unwrap();
    conditions::is_true(&status.conditions, ConditionType::MinAvailableBreached)
}

#[test]
fn a_replica_that_is_being_recycled_is_none_to_rely_on() {
    let mut snapshot = recycled(Some(false));
    start(&mut snapshot);
    lose(&mut snapshot, "demo-0-g-0-leader");
    let plan = plan(&snapshot);
    assert_eq!((is_breached(&plan), latch(&plan)), (true, Some(false)));
}

#[test]
fn it_came_back_for_good_once_all_of_it_was_available() {
    let mut snapshot = recycled(Some(false));
    start(&mut snapshot);
    come_up(&mut snapshot);
    let next = plan(&snapshot);
    assert_eq!(latch(&next), Some(true));
    carry_out(&mut snapshot, &next);
    snapshot.podcliques.remove("demo-0-g-1-worker");
    start(&mut snapshot);
    lose(&mut snapshot, "demo-0-g-0-leader");
    let plan = plan(&snapshot);
    assert!(!is_breached(&plan), "a start is no breach");
    assert_eq!(latch(&plan), Some(true));
}

/// Replicas 3, 0, 2, and no room for the new ones.
#[test]
fn an_index_that_was_scaled_in_starts_like_any_other() {
    let mut snapshot = recycled(Some(false));
    scale(&mut snapshot, 0);
    let next = plan(&snapshot);
    assert!(next.writes_nothing(), "the latch is stored first: {next}");
    assert_eq!(latch(&next), Some(true));
    carry_out(&mut snapshot, &next);
    let next = plan(&snapshot);
    carry_out(&mut snapshot, &next);
    assert!(snapshot.podcliques.is_empty());
    scale(&mut snapshot, 2);
    start(&mut snapshot);
    assert!(!is_breached(&plan(&snapshot)));
}

#[test]
fn an_entry_of_before_there_was_the_latch_breaches_nothing() {
    let mut snapshot = recycled(None);
    start(&mut snapshot);
    lose(&mut snapshot, "demo-0-g-0-leader");
    let plan = plan(&snapshot);
    assert_eq!((is_breached(&plan), latch(&plan)), (false, None));
}
