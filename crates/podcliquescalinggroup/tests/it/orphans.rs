//! PodCliques without a controller, and edited labels.

use std::sync::Arc;

use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, labels};
use domain::health::fence::{AttemptCause, begin_attempts};
use podcliquescalinggroup::Snapshot;
use testkit::builders::after;

use crate::situation::{complete, demo, plan, situation, writes};

fn raised(replica: i32) -> Vec<ReplicaAttempt> {
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    begin_attempts(&[], [(replica, cause)], after(60))
}

fn recycled(mut snapshot: Snapshot, replica: i32) -> Snapshot {
    let status = &mut Arc::make_mut(&mut snapshot.group).status;
    status.get_or_insert_default().replica_attempts = raised(replica);
    snapshot
}

fn clique<'a>(all: &'a mut [PodClique], name: &str) -> &'a mut PodClique {
    let mut all = all.iter_mut();
    all.find(|c| c.metadata.name.as_deref() == Some(name))
        .unwrap()
}

fn note_attempt(podclique: &mut PodClique, attempt: &str) {
    let all = podclique.metadata.annotations.as_mut().unwrap();
    all.insert(labels::GROUP_ATTEMPT.into(), attempt.into());
}

/// The POST for a name that it holds is answered by 409, and the status reports that.
#[test]
fn one_of_an_earlier_attempt_is_neither_deleted_nor_waited_for() {
    let set = demo().build();
    let mut all = complete(&set, 3);
    all.retain(|c| c.metadata.name.as_deref() != Some("demo-0-g-1-worker"));
    clique(&mut all, "demo-0-g-1-leader")
        .metadata
        .owner_references = None;
    let done = writes(&plan(&recycled(situation(&set, 3, all), 1)));
    assert!(!done.contains("delete"), "{done}");
    assert!(
        done.contains("create PodClique demo-0-g-1-worker"),
        "{done}"
    );
    assert!(
        done.contains("create PodClique demo-0-g-1-leader"),
        "{done}"
    );
}

#[test]
fn one_raises_the_fence_only_if_it_is_wanted_and_nothing_has_run_beside_it() {
    let set = demo().build();
    let fence = |replicas: i32, has_run: bool| {
        let mut all = complete(&set, 3);
        let orphan = clique(&mut all, "demo-0-g-2-leader");
        orphan.metadata.owner_references = None;
        note_attempt(orphan, "2");
        let beside = clique(&mut all, "demo-0-g-2-worker");
        beside.status.as_mut().unwrap().was_available = has_run;
        let status = plan(&situation(&set, replicas, all)).status.unwrap();
        status.replica_attempts.first().map(|a| a.attempt)
    };
    assert_eq!(fence(3, false), Some(2));
    assert_eq!(fence(2, false), None);
    assert_eq!(fence(3, true), None);
}

#[test]
fn an_edited_index_label_deletes_nothing() {
    let set = demo().build();
    let mut all = complete(&set, 3);
    for name in ["demo-0-g-1-leader", "demo-0-g-1-worker"] {
        note_attempt(clique(&mut all, name), "1");
    }
    let edited = clique(&mut all, "demo-0-g-0-leader");
    let index = labels::SCALING_GROUP_REPLICA_INDEX.to_owned();
    let labels = edited.metadata.labels.as_mut().unwrap();
    labels.insert(index, "1".into());
    let plan = plan(&recycled(situation(&set, 3, all), 1));
    let done = writes(&plan);
    assert!(!done.contains("delete"), "{done}");
    assert!(
        done.contains("replace PodClique demo-0-g-0-leader"),
        "{done}"
    );
    assert_eq!(plan.status.unwrap().available_replicas, 3);
}
