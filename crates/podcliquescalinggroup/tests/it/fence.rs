//! The consequences of raised fences.

use std::sync::Arc;

use api::labels;
use api::podcliqueset::ReplicaAttempt;
use domain::health::fence::{AttemptCause, begin_attempts};
use domain::object::ownership;
use insta::assert_snapshot;
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;

use crate::situation::{complete, created, demo, plan, situation, writes};

fn raised(replica: i32) -> Vec<ReplicaAttempt> {
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    begin_attempts(&[], [(replica, cause)], after(60))
}

fn with_set_attempt(mut snapshot: Snapshot) -> Snapshot {
    let set = &mut snapshot.owner.as_mut().unwrap().set;
    set.status.get_or_insert_default().replica_attempts = raised(0);
    snapshot
}

#[test]
fn forgets_its_own_attempts_when_the_whole_replica_was_terminated_and_creates_nothing_before() {
    let set = demo().build();
    let mut snapshot = with_set_attempt(situation(&set, 3, vec![]));
    let status = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    status.replica_attempts = raised(1);
    let plan = plan(&snapshot);
    assert!(plan.writes_nothing());
    let status = plan.status.unwrap();
    assert_eq!(
        (status.observed_attempt, status.replica_attempts.len()),
        (Some(1), 0)
    );
}

#[test]
fn creates_cliques_in_the_present_attempt() {
    let set = demo().build();
    let mut snapshot = with_set_attempt(situation(&set, 1, vec![]));
    let status = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    status.observed_attempt = Some(1);
    status.replica_attempts = raised(0);
    let all = created(&plan(&snapshot)).remove(0).metadata.labels.unwrap();
    assert_eq!(
        (
            all[labels::ATTEMPT].as_str(),
            all[labels::GROUP_ATTEMPT].as_str()
        ),
        ("1", "1")
    );
}

#[test]
fn recycles_one_group_replica_and_fills_it_when_it_is_empty() {
    let set = demo().build();
    let mut snapshot = situation(&set, 3, complete(&set, 3));
    let status = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    status.replica_attempts = raised(1);
    let first = writes(&plan(&snapshot));
    let mut half = snapshot.clone();
    half.podcliques.remove("demo-0-g-1-leader");
    let waiting = writes(&plan(&half));
    snapshot
        .podcliques
        .retain(|name, _| !name.starts_with("demo-0-g-1-"));
    let then = writes(&plan(&snapshot));
    assert_snapshot!(format!("{first}half gone\n{waiting}gone\n{then}"));
}

#[test]
fn creates_nothing_while_an_earlier_attempt_is_left_anywhere_in_the_replica() {
    let set = demo().build();
    let mut snapshot = with_set_attempt(situation(&set, 3, vec![]));
    let status = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    status.observed_attempt = Some(1);
    snapshot.is_set_replica_terminating = true;
    assert!(plan(&snapshot).writes_nothing());
}

#[test]
fn follows_a_higher_attempt_that_exists_and_does_nothing_else() {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    let all = podcliques[0].metadata.annotations.as_mut().unwrap();
    all.insert(labels::GROUP_ATTEMPT.into(), "2".into());
    let plan = plan(&situation(&set, 3, podcliques));
    assert!(plan.writes_nothing() && plan.events.is_empty());
    let attempts = plan.status.unwrap().replica_attempts;
    assert_eq!((attempts[0].replica, attempts[0].attempt), (0, 2));
}

/// The next status of a running group whose set is in this state.
fn after_recycle(adapt: impl FnOnce(&mut Snapshot)) -> api::PodCliqueScalingGroupStatus {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    for podclique in &mut podcliques {
        let meta = &mut podclique.metadata;
        let of_replica_1 = ownership::group_replica_in("demo-0-g", meta) == Some(1);
        let all = meta.annotations.as_mut().unwrap();
        all.insert(labels::ATTEMPT.into(), "1".into());
        if of_replica_1 {
            all.insert(labels::GROUP_ATTEMPT.into(), "1".into());
        }
    }
    let mut snapshot = with_set_attempt(situation(&set, 3, podcliques));
    let status = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    status.observed_attempt = Some(1);
    status.replica_attempts = raised(1);
    adapt(&mut snapshot);
    plan(&snapshot).status.unwrap()
}

fn remembers(status: &api::PodCliqueScalingGroupStatus) -> (Option<i32>, usize, i32) {
    let attempts = status.replica_attempts.len();
    (status.observed_attempt, attempts, status.available_replicas)
}

/// The set is being deleted, or the group was orphaned: its attempts are unknown.
#[test]
fn keeps_its_fences_while_its_set_goes() {
    let status = after_recycle(|snapshot| snapshot.owner = None);
    assert_eq!(remembers(&status), (Some(1), 1, 3));
}

/// The set was recreated, and has not observed the attempt of its children yet.
#[test]
fn keeps_its_fences_while_its_new_set_knows_of_no_attempt() {
    let status = after_recycle(|snapshot| {
        snapshot.owner.as_mut().unwrap().set.status = None;
    });
    assert_eq!(remembers(&status), (Some(1), 1, 3));
}
