//! A suspended job: its clock stands still, and what the suspension takes away is no failure.

use std::sync::Arc;

use api::podcliqueset::PodCliqueSetPhase;
use domain::health::suspension;
use jiff::Timestamp;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use testkit::builders::{PodBuilder, after};

use super::{complete, fail, failed_because, job, running, set_breached, settle, stored};
use crate::situation::{carry_out, fill, plan};
use crate::suspend::{ask, note_all, step, told};

const FRONT: &str = "demo-0-frontend";

fn suspend(snapshot: &mut Snapshot) {
    ask(snapshot, true);
    step(snapshot);
    assert!(suspension::is_stored(stored(snapshot)));
}

fn clear(snapshot: &mut Snapshot) {
    snapshot
        .podcliques
        .values_mut()
        .for_each(|c| c.pods.clear());
}

/// Decides at that time, and stores the result.
fn step_at(snapshot: &mut Snapshot, at: Timestamp) {
    let next = decide(snapshot, at);
    carry_out(snapshot, &next);
}

/// Within one second, without a restart to spare.
#[test]
fn suspended_and_resumed_at_once_it_never_fails() {
    let mut snapshot = running(job(0, None));
    suspend(&mut snapshot);
    ask(&mut snapshot, false);
    clear(&mut snapshot);
    assert!(
        told(&plan(&snapshot)).starts_with("True/"),
        "a latch is not stored"
    );
    note_all(&mut snapshot);
    assert_eq!(
        told(&step(&mut snapshot)),
        "False/Resumed: the set was resumed"
    );
    let next = plan(&snapshot);
    let status = next.status.as_ref().unwrap();
    assert_eq!(failed_because(&next), None);
    assert_eq!(status.restart_count, Some(0));
    assert_eq!(status.replica_attempts[0].attempt, 0);
}

/// Nothing is judged meanwhile, but an earlier failure is judged after the resume.
#[test]
fn a_failure_from_before_counts_after_the_resume() {
    let mut snapshot = running(job(0, None));
    fail(&mut snapshot, FRONT, 60);
    suspend(&mut snapshot);
    let kept = stored(&snapshot).last_failures.len();
    assert_eq!(kept, 2, "both pods had failed");
    let meanwhile = plan(&snapshot);
    assert_eq!(failed_because(&meanwhile), None);
    clear(&mut snapshot);
    note_all(&mut snapshot);
    fill(&mut snapshot, FRONT, 2, |p| p.bound().phase("Failed"));
    crate::suspend::set_status(&mut snapshot, FRONT, |s| s.conditions.clear());
    ask(&mut snapshot, false);
    assert_eq!(
        told(&step(&mut snapshot)),
        "False/Resumed: the set was resumed"
    );
    set_breached(&mut snapshot, FRONT, 60);
    assert_eq!(
        failed_because(&plan(&snapshot)),
        Some("MaxRestartsExceeded")
    );
}

/// Its peers were deleted: the failure is not kept, and the resume waits until the pod is gone.
#[test]
fn a_pod_that_fails_meanwhile_is_no_failure() {
    let mut snapshot = running(job(0, None));
    suspend(&mut snapshot);
    clear(&mut snapshot);
    note_all(&mut snapshot);
    fill(&mut snapshot, FRONT, 1, |p| p.bound().phase("Failed"));
    ask(&mut snapshot, false);
    let next = plan(&snapshot);
    assert_eq!(
        told(&next),
        "True/SuspendRequested: resuming: 1 pods are still ending"
    );
    assert_eq!(next.status.unwrap().last_failures, []);
}

/// One of two pods failed before, and one is required: the index has to be free after the resume.
#[test]
fn an_earlier_failure_that_is_not_judged_is_waited_for() {
    let mut snapshot = running(job(0, None));
    fill(&mut snapshot, FRONT, 1, |p| p.bound().phase("Failed"));
    suspend(&mut snapshot);
    assert_eq!(stored(&snapshot).last_failures.len(), 1);
    clear(&mut snapshot);
    note_all(&mut snapshot);
    fill(&mut snapshot, FRONT, 1, |p| p.bound().phase("Failed"));
    ask(&mut snapshot, false);
    assert_eq!(
        told(&plan(&snapshot)),
        "True/SuspendRequested: resuming: 1 pods are still ending"
    );
}

/// 30 s of run time, 20 of them before a suspension of a minute.
#[test]
fn max_runtime_stands_still() {
    let mut snapshot = running(job(0, Some("30s")));
    set_start(&mut snapshot, 0);
    ask(&mut snapshot, true);
    step_at(&mut snapshot, after(20));
    assert_eq!(failed_because(&decide(&snapshot, after(79))), None);
    clear(&mut snapshot);
    note_all(&mut snapshot);
    ask(&mut snapshot, false);
    step_at(&mut snapshot, after(80));
    for seen in snapshot.podcliques.values_mut() {
        let podclique = seen.podclique.clone();
        let pods = (0..podclique.spec.replicas).map(|k| testkit::builders::pod(&podclique, k));
        seen.pods = pods.map(|p| p.ready().build()).collect();
    }
    let running = decide(&snapshot, after(89));
    assert_eq!(failed_because(&running), None);
    assert_eq!(running.wake_at, Some(after(90)));
    let over = decide(&snapshot, after(90));
    assert_eq!(failed_because(&over), Some("MaxRuntimeExceeded"));
}

pub(super) fn set_start(snapshot: &mut Snapshot, at: i64) {
    let mut stored = (*snapshot.stored).clone();
    let start = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(after(at));
    stored.status.as_mut().unwrap().start_time = Some(start);
    snapshot.validated = admission::validated_set::validate_set(
        &stored,
        &admission::defaults::DefaultsConfig::default(),
    );
    snapshot.stored = Arc::new(stored);
}

#[test]
fn a_time_that_was_over_before_counts() {
    let mut snapshot = running(job(0, Some("30s")));
    set_start(&mut snapshot, 0);
    ask(&mut snapshot, true);
    step_at(&mut snapshot, after(31));
    assert_eq!(
        failed_because(&decide(&snapshot, after(32))),
        Some("MaxRuntimeExceeded")
    );
}

#[test]
fn a_job_that_finishes_meanwhile_is_done() {
    let mut snapshot = running(job(0, None));
    suspend(&mut snapshot);
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        complete(&mut snapshot, &name, true);
    }
    settle(&mut snapshot);
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Succeeded));
}

/// The condition stays, and has no effect.
#[test]
fn a_job_that_is_over_is_not_suspended() {
    let mut snapshot = running(job(0, None));
    let names: Vec<String> = snapshot.podcliques.keys().cloned().collect();
    for name in names {
        complete(&mut snapshot, &name, true);
    }
    settle(&mut snapshot);
    ask(&mut snapshot, true);
    step(&mut snapshot);
    assert!(!suspension::is_stored(stored(&snapshot)));
}

/// Between runs no rank works, though some are done.
#[test]
fn it_is_pending_while_no_pod_runs() {
    let mut snapshot = running(job(0, None));
    suspend(&mut snapshot);
    clear(&mut snapshot);
    fill(&mut snapshot, FRONT, 1, |p: PodBuilder| {
        p.bound().phase("Succeeded")
    });
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.phase, Some(PodCliqueSetPhase::Pending));
}
