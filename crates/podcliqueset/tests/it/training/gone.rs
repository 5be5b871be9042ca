//! PodCliques that are deleted, or missing, before their work is done.

use std::sync::Arc;

use insta::assert_snapshot;
use podcliqueset::Snapshot;
use rstest::rstest;

use super::{delete_by_hand, job, running};
use crate::situation::{carry_out, fill, plan, writes};

#[test]
fn a_podclique_deleted_before_it_is_done_is_a_failure() {
    let mut snapshot = running(job(1, None));
    delete_by_hand(&mut snapshot, "demo-0-g-0-leader", 59);
    let plan = plan(&snapshot);
    let status = plan.status.unwrap();
    assert_eq!(status.restart_count, Some(1));
    assert_snapshot!(status.replica_attempts[0].message);
}

/// Its finalizer may be removed between two decisions, or with the operator away; a new one beside
/// its old peers would wait for them for ever, and they for the old one.
#[rstest]
#[case::standalone("demo-0-frontend")]
#[case::grouped("demo-0-g-0-leader")]
fn one_that_was_there_and_is_gone_is_a_failure_and_not_made_again(#[case] name: &str) {
    let mut snapshot = running(job(1, None));
    snapshot.podcliques.remove(name);
    let plan = plan(&snapshot);
    assert!(plan.writes_nothing(), "{plan}");
    let status = plan.status.unwrap();
    assert_eq!(status.restart_count, Some(1));
    let why = format!("restart 1 of 1: PodClique {name}: it was deleted before its work was done");
    assert_eq!(status.replica_attempts[0].message, why);
}

/// It stores that before its pods go; the set waits for that.
#[test]
fn one_that_goes_with_its_work_done_is_no_failure() {
    let name = "demo-0-g-0-leader";
    let mut snapshot = running(job(1, None));
    delete_by_hand(&mut snapshot, name, 59);
    let restarts = |snapshot: &Snapshot| plan(snapshot).status.unwrap().restart_count;
    fill(&mut snapshot, name, 1, |p| p.bound().phase("Succeeded"));
    assert_eq!(restarts(&snapshot), Some(0));
    fill(&mut snapshot, name, 1, |p| {
        p.bound().phase("Succeeded").terminating(60)
    });
    assert_eq!(restarts(&snapshot), Some(1));
}

/// Its group was deleted with `--cascade=orphan`, and the next one adopts it.
#[test]
fn one_that_is_in_other_hands_is_not_gone() {
    let mut snapshot = running(job(1, None));
    let name = "demo-0-g-0-leader";
    snapshot.podcliques.remove(name);
    snapshot.strays.podcliques.insert(name.into());
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(0));
}

/// The status of an older version does not record whether the job was complete.
#[test]
fn one_that_may_never_have_been_there_is_made() {
    let mut snapshot = running(job(1, None));
    let set = Arc::make_mut(&mut snapshot.stored);
    set.status.as_mut().unwrap().replica_attempts.clear();
    snapshot.podcliques.remove("demo-0-frontend");
    let plan = plan(&snapshot);
    assert!(writes(&plan).contains("create PodClique demo-0-frontend"));
    assert_eq!(plan.status.unwrap().restart_count, Some(0));
}

/// The API server stamps the deletion, and its clock may be ahead of ours.
#[test]
fn one_that_is_deleted_is_a_failure_at_once_whatever_the_clock_says() {
    let mut snapshot = running(job(1, None));
    delete_by_hand(&mut snapshot, "demo-0-frontend", 90);
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

#[test]
fn a_deleted_podclique_is_reported_as_failed() {
    let events = |max_restarts| {
        let mut snapshot = running(job(max_restarts, None));
        delete_by_hand(&mut snapshot, "demo-0-frontend", 59);
        let first = plan(&snapshot);
        carry_out(&mut snapshot, &first);
        let failed = plan(&snapshot).events.into_iter();
        let mut failed = failed.filter(|n| n.reason == api::events::PODCLIQUE_FAILED);
        failed.next().expect("an event").message
    };
    let should = "PodClique demo-0-frontend: it was deleted before its work was done";
    assert_eq!(events(1), should);
    assert_eq!(events(0), should, "the job is given up");
}
