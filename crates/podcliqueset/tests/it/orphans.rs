//! PodCliques without a controller: left by `--cascade=orphan`, or with a removed owner reference.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::labels;
use api::podcliqueset::ReplicaAttempt;
use domain::health::fence::{AttemptCause, begin_attempts};
use podcliqueset::Snapshot;
use podcliqueset::observe::ObservedClique;
use rstest::rstest;
use testkit::builders::{after, pod, podclique};

use crate::situation::{alone, carry_out, demo, laid_out, plan, writes};

const FRONT: &str = "demo-0-frontend";

fn raised() -> Vec<ReplicaAttempt> {
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    begin_attempts(&[], [(0, cause)], after(60))
}

/// The set has stored one termination of replica 0.
fn in_attempt_1(mut snapshot: Snapshot) -> Snapshot {
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored.status.get_or_insert_default().replica_attempts = raised();
    snapshot
}

/// A PodClique without a controller, of this attempt.
fn put_orphan(snapshot: &mut Snapshot, name: &str, attempt: i32) {
    let orphan = podclique(name).with(|c| {
        c.metadata.owner_references = None;
        let all = c.metadata.annotations.as_mut().unwrap();
        all.insert(labels::ATTEMPT.into(), attempt.to_string());
    });
    let seen = ObservedClique {
        podclique: orphan.build(),
        pods: vec![],
        lost: vec![],
    };
    snapshot.podcliques.insert(name.to_owned(), seen);
}

fn fence(snapshot: &Snapshot) -> Vec<(i32, i32)> {
    let attempts = plan(snapshot).status.unwrap().replica_attempts;
    attempts.iter().map(|a| (a.replica, a.attempt)).collect()
}

/// Its POST is answered by 409, and the status names the holder of the name.
#[test]
fn one_of_an_earlier_attempt_is_neither_deleted_nor_waited_for() {
    let mut snapshot = in_attempt_1(laid_out(&demo().build()));
    snapshot.podcliques.clear();
    put_orphan(&mut snapshot, FRONT, 0);
    put_orphan(&mut snapshot, "demo-0-g-7-leader", 0);
    let done = writes(&plan(&snapshot));
    assert!(!done.contains("delete PodClique"), "{done}");
    assert!(done.contains("create PodClique demo-0-frontend"), "{done}");
}

#[test]
fn one_that_is_wanted_raises_the_fence_to_its_attempt() {
    let mut snapshot = alone(&demo().build());
    put_orphan(&mut snapshot, FRONT, 3);
    assert!(plan(&snapshot).writes_nothing());
    assert_eq!(fence(&snapshot), [(0, 3)]);
    put_orphan(&mut snapshot, "demo-0-g-1-leader", 4);
    assert_eq!(fence(&snapshot), [(0, 4)], "of a group that is gone, too");
}

#[test]
fn one_that_is_not_wanted_raises_no_fence() {
    let mut snapshot = alone(&demo().build());
    put_orphan(&mut snapshot, "demo-0-former", 3);
    put_orphan(&mut snapshot, "demo-0-g-7-leader", 3);
    assert_eq!(fence(&snapshot), []);
}

#[test]
fn none_raises_a_fence_over_pods_that_have_run() {
    let mut snapshot = laid_out(&demo().build());
    put_orphan(&mut snapshot, FRONT, 3);
    let leader = snapshot.podcliques.get_mut("demo-0-g-0-leader").unwrap();
    let leader = Arc::make_mut(&mut leader.podclique);
    leader.status.get_or_insert_default().was_available = true;
    assert_eq!(fence(&snapshot), []);
    let done = writes(&plan(&snapshot));
    assert!(done.contains("create PodClique demo-0-frontend"), "{done}");
}

/// Annotations count, not labels.
#[test]
fn a_clique_keeps_its_attempt_when_its_labels_are_edited() {
    for edited in [None, Some("0"), Some("2147483647")] {
        let mut snapshot = in_attempt_1(laid_out(&demo().build()));
        snapshot.podcliques.clear();
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
        let front = snapshot.podcliques.get_mut(FRONT).unwrap();
        let front = Arc::make_mut(&mut front.podclique);
        let all = front.metadata.labels.as_mut().unwrap();
        all.remove(labels::ATTEMPT);
        all.extend(edited.map(|n| (labels::ATTEMPT.to_owned(), n.to_owned())));
        assert_eq!(fence(&snapshot), [(0, 1)]);
        let done = writes(&plan(&snapshot));
        assert!(!done.contains("delete PodClique"), "{done}");
    }
}

/// The earlier attempts of a group are known once it is adopted.
#[test]
fn nothing_is_made_beside_a_group_that_is_about_to_be_adopted() {
    let mut snapshot = laid_out(&demo().build());
    snapshot.podcliques.remove(FRONT);
    Arc::make_mut(&mut snapshot.children.groups[0])
        .metadata
        .owner_references = None;
    let done = writes(&plan(&snapshot));
    assert!(
        done.contains("replace PodCliqueScalingGroup demo-0-g"),
        "{done}"
    );
    assert!(!done.contains("create PodClique"), "{done}");
}

fn leftovers(snapshot: &Snapshot) -> Option<String> {
    let status = plan(snapshot).status.unwrap();
    let found = conditions::find(&status.conditions, ConditionType::LeftoverPods)?;
    Some(found.message.clone())
}

/// Its PodClique was deleted with `--cascade=orphan`, and the next attempt runs beside it.
#[rstest]
#[case::of_an_earlier_attempt(0, "Running", true)]
#[case::about_to_be_adopted(1, "Running", false)]
#[case::that_has_ended(0, "Succeeded", false)]
fn a_pod_that_was_left_behind_is_named(
    #[case] attempt: i32,
    #[case] phase: &str,
    #[case] is_named: bool,
) {
    let mut snapshot = in_attempt_1(laid_out(&demo().build()));
    put_orphan(&mut snapshot, FRONT, 1);
    let clique = snapshot.podcliques[FRONT].podclique.clone();
    let left = pod(&clique, 0).ready().phase(phase).with(|p| {
        p.metadata.owner_references = None;
        let all = p.metadata.labels.get_or_insert_default();
        all.insert(labels::ATTEMPT.into(), attempt.to_string());
    });
    snapshot.strays.pods = vec![left.build()];
    let message = leftovers(&snapshot);
    assert_eq!(message.is_some(), is_named, "{message:?}");
    let remedy = "`kubectl -n default delete pod demo-0-frontend-p0`";
    assert!(message.is_none_or(|m| m.contains(remedy)));
}
