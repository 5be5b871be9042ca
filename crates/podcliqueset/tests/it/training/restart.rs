//! A failure restarts the whole replica, and is counted once.

use std::sync::Arc;

use insta::assert_snapshot;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::after;

use super::{complete, fail, failed_because, job, reasons_of, recreate, running, set_breached};
use crate::situation::{carry_out, demo, fill, plan, writes};

#[test]
fn a_failure_restarts_the_whole_replica_and_is_counted_once() {
    let mut snapshot = running(job(2, None));
    fail(&mut snapshot, "demo-0-g-2-worker", 60);
    let first = plan(&snapshot);
    assert!(first.writes_nothing() && first.events.is_empty());
    let status = first.status.as_ref().unwrap();
    assert_eq!(
        (status.restart_count, status.replica_attempts[0].attempt),
        (Some(1), 1)
    );
    assert_snapshot!(status.replica_attempts[0].message);
    carry_out(&mut snapshot, &first);
    let then = plan(&snapshot);
    assert_eq!(then.status.as_ref().unwrap().restart_count, Some(1));
    let text = then.to_string();
    assert_snapshot!(text.split("status").next().unwrap());
}

#[rstest]
#[case::no_delay(None, 60, Some(1))]
#[case::the_delay_runs(Some("10s"), 51, Some(0))]
#[case::the_delay_is_over(Some("10s"), 50, Some(1))]
fn waits_for_the_delay(
    #[case] delay: Option<&str>,
    #[case] since: i64,
    #[case] restarts: Option<i32>,
) {
    let set = job(1, None).with(|s| s.spec.template.termination_delay = delay.map(Into::into));
    let mut snapshot = running(set);
    fail(&mut snapshot, "demo-0-frontend", since);
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, restarts);
}

/// Two replicas fail at once, and the budget is enough for this many.
#[rstest]
#[case(2, Some(2), None)]
#[case(1, Some(0), Some("MaxRestartsExceeded"))]
fn replicas_that_fail_together_are_taken_together(
    #[case] budget: i32,
    #[case] restarts: Option<i32>,
    #[case] failed: Option<&str>,
) {
    let set = demo().replicas(2).build();
    let mut snapshot = running(job(budget, None).replicas(2));
    assert_eq!(set.spec.replicas, 2);
    fail(&mut snapshot, "demo-0-frontend", 50);
    fail(&mut snapshot, "demo-1-frontend", 55);
    let plan = plan(&snapshot);
    assert_eq!(failed_because(&plan), failed);
    assert_eq!(plan.status.unwrap().restart_count, restarts);
}

/// PodCliques that finish one after the other do not delay a due restart.
#[test]
fn a_due_restart_does_not_wait_for_noted_failures() {
    let mut snapshot = running(job(1, Some("1m")));
    complete(&mut snapshot, "demo-0-frontend", true);
    let late = decide(&snapshot, after(120));
    assert_eq!(failed_because(&late), Some("MaxRuntimeExceeded"));
    fail(&mut snapshot, "demo-0-g-0-leader", 60);
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

#[test]
fn a_terminated_replica_goes_while_another_replica_finishes() {
    let mut snapshot = running(job(5, None).replicas(2));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let fence = plan(&snapshot);
    carry_out(&mut snapshot, &fence);
    complete(&mut snapshot, "demo-1-frontend", true);
    let plan = plan(&snapshot);
    let writes = writes(&plan);
    assert!(
        writes.contains("delete PodClique demo-0-frontend"),
        "{plan}"
    );
    let latched = &plan.status.unwrap().replica_attempts[1].succeeded;
    assert_eq!(latched, &["demo-1-frontend"]);
}

/// The operator may be ended after any write, and be away for long.
#[test]
fn the_event_of_a_restart_is_posted_until_all_is_recreated_and_never_again() {
    let mut snapshot = running(job(1, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let fence = plan(&snapshot);
    carry_out(&mut snapshot, &fence);
    let an_hour_later = |snapshot: &Snapshot| decide(snapshot, after(4000));
    assert_eq!(reasons_of(&an_hour_later(&snapshot)), ["ReplicaRestarting"]);
    let whole = snapshot.podcliques.clone();
    snapshot.podcliques.clear();
    assert_eq!(reasons_of(&an_hour_later(&snapshot)), ["ReplicaRestarting"]);
    snapshot.podcliques = whole;
    recreate(&mut snapshot);
    let complete = an_hour_later(&snapshot);
    assert_eq!(
        reasons_of(&complete),
        ["ReplicaRestarting"],
        "the last time"
    );
    carry_out(&mut snapshot, &complete);
    assert_eq!(reasons_of(&an_hour_later(&snapshot)), [""; 0]);
}

/// Restarted before its adoption it would be a leftover of an earlier attempt, with its pods.
#[test]
fn a_restart_waits_until_orphans_are_adopted() {
    let mut snapshot = running(job(2, None));
    fail(&mut snapshot, "demo-0-g-0-leader", 0);
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let references = &mut Arc::make_mut(&mut front.podclique)
        .metadata
        .owner_references;
    let owners = references.take();
    let held = plan(&snapshot);
    assert_eq!(held.status.as_ref().unwrap().restart_count, Some(0));
    assert_eq!(held.wake_at, None, "its adoption wakes the set");
    assert!(writes(&held).contains("replace PodClique demo-0-frontend"));
    let front = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    Arc::make_mut(&mut front.podclique)
        .metadata
        .owner_references = owners;
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

/// The rank may be back without an event. A deleted pod stays deleted.
#[test]
fn restarts_nothing_while_a_watch_is_lost() {
    let mut snapshot = running(job(5, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    snapshot.view.is_outdated = true;
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(0));
    snapshot.view.is_outdated = false;
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}

/// Waiting for the delay changes nothing: another holder of the slot would fail, too.
#[test]
fn a_slot_that_is_given_up_is_due_at_once() {
    let name = "demo-0-frontend";
    let mut snapshot = running(job(1, None).with(|s| {
        s.spec.template.termination_delay = Some("10m".into());
    }));
    fill(&mut snapshot, name, 2, |p| {
        p.bound().phase("Failed").with(|p| {
            let all = p.metadata.annotations.get_or_insert_default();
            all.insert(api::labels::POD_FAILURE_COUNT.into(), "3".into());
        })
    });
    set_breached(&mut snapshot, name, 59);
    let restarts = |snapshot: &Snapshot| plan(snapshot).status.unwrap().restart_count;
    assert_eq!(restarts(&snapshot), Some(0));
    fill(&mut snapshot, name, 2, |p| {
        p.bound().phase("Failed").with(|p| {
            let all = p.metadata.annotations.get_or_insert_default();
            all.insert(api::labels::POD_FAILURE_COUNT.into(), "4".into());
        })
    });
    assert_eq!(restarts(&snapshot), Some(1));
}
