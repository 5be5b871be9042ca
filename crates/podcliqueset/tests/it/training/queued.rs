//! A job that waits in a queue: its clock stands still, and pods that go with its quota are no failures.

use std::sync::Arc;

use api::PodGang;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podgang::{GangQuota, PodGroup};
use domain::health::suspension;
use jiff::Timestamp;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use testkit::builders::{after, stored as metadata};

use super::suspended::set_start;
use super::{complete, failed_because, job, running, set_breached, stored};
use crate::situation::{carry_out, fill};
use crate::suspend::set_status;

const FRONT: &str = "demo-0-frontend";

/// All gangs of the set have quota, or none has.
fn set_quota(snapshot: &mut Snapshot, is_reserved: bool) {
    snapshot.scheduler.is_queued = true;
    snapshot.children.gangs = vec![Arc::new(gang("demo-0", is_reserved))];
}

/// A gang with or without quota.
fn gang(name: &str, is_reserved: bool) -> PodGang {
    let mut gang = PodGang {
        metadata: metadata(name),
        ..PodGang::default()
    };
    let condition = ConditionUpdate {
        type_: ConditionType::QuotaReserved,
        status: Status::from(is_reserved),
        reason: Reason::QuotaEvicted,
        message: String::new(),
    };
    let status = gang.status.get_or_insert_default();
    conditions::set(&mut status.conditions, condition, Some(1), after(0));
    gang
}

fn step_at(snapshot: &mut Snapshot, at: Timestamp) {
    let next = decide(snapshot, at);
    carry_out(snapshot, &next);
}

/// 30 s of run time, 20 of them before a minute without quota.
#[test]
fn max_runtime_stands_still() {
    let mut snapshot = running(job(0, Some("30s")));
    set_start(&mut snapshot, 0);
    set_quota(&mut snapshot, false);
    step_at(&mut snapshot, after(20));
    let stop = stored(&snapshot).suspension.clone().unwrap();
    assert_eq!(stop.since.map(|since| since.0), Some(after(20)));
    assert_eq!(failed_because(&decide(&snapshot, after(79))), None);
    set_quota(&mut snapshot, true);
    step_at(&mut snapshot, after(80));
    let stop = stored(&snapshot).suspension.clone().unwrap();
    assert_eq!(stop.since, None);
    assert_eq!(suspension::total(stored(&snapshot)).as_secs(), 60);
    assert_eq!(failed_because(&decide(&snapshot, after(89))), None);
    assert_eq!(
        failed_because(&decide(&snapshot, after(90))),
        Some("MaxRuntimeExceeded")
    );
}

/// One gang that runs is enough.
#[test]
fn the_clock_goes_on_while_a_gang_has_quota() {
    let mut snapshot = running(job(0, Some("30s")));
    set_start(&mut snapshot, 0);
    set_quota(&mut snapshot, false);
    let mut other = (*snapshot.children.gangs[0]).clone();
    other.metadata = metadata("demo-0-g-0");
    other.status = None;
    snapshot.children.gangs.push(Arc::new(other));
    step_at(&mut snapshot, after(20));
    assert_eq!(stored(&snapshot).suspension, None);
}

/// Kueue takes the quota of the base gang after a scaled one has done its work: that one keeps its state
/// (decision 183), and nothing of the job runs.
#[test]
fn a_gang_that_has_done_its_work_does_not_keep_the_clock_going() {
    const PARTS: [&str; 2] = ["demo-0-g-2-leader", "demo-0-g-2-worker"];
    let mut snapshot = running(job(0, Some("30s")));
    set_start(&mut snapshot, 0);
    set_quota(&mut snapshot, false);
    let mut scaled = gang("demo-0-g-0", true);
    let part = |name: &str| PodGroup {
        name: name.to_owned(),
        ..PodGroup::default()
    };
    scaled.spec.pod_groups = PARTS.map(part).to_vec();
    snapshot.children.gangs.push(Arc::new(scaled));
    complete(&mut snapshot, PARTS[0], true);
    let half = decide(&snapshot, after(20)).status.unwrap();
    assert_eq!(half.suspension, None, "its worker runs");
    complete(&mut snapshot, PARTS[1], true);
    step_at(&mut snapshot, after(20));
    assert_eq!(suspension::since(stored(&snapshot)), Some(after(20)));
    assert_eq!(failed_because(&decide(&snapshot, after(3600))), None);
}

/// Its peers went with their quota.
#[test]
fn a_pod_that_fails_without_quota_is_no_failure() {
    let mut snapshot = running(job(0, None));
    fill(&mut snapshot, FRONT, 1, |p| p.bound().phase("Failed"));
    let failures = |snapshot: &Snapshot| {
        let status = decide(snapshot, after(60)).status.unwrap();
        status.last_failures.len()
    };
    assert_eq!(failures(&snapshot), 1);
    set_quota(&mut snapshot, false);
    assert_eq!(failures(&snapshot), 0);
}

/// A pod that has ended does not hold the quota: Kueue admits the gang again before a PodClique that comes
/// late has deleted it.
#[test]
fn nor_is_it_one_when_the_gang_has_quota_again() {
    let mut snapshot = running(job(0, None));
    fill(&mut snapshot, FRONT, 2, |p| p.bound().phase("Failed"));
    set_breached(&mut snapshot, FRONT, 60);
    set_status(&mut snapshot, FRONT, |s| s.was_idle = Some(true));
    set_quota(&mut snapshot, true);
    let first_round = decide(&snapshot, after(60));
    assert_eq!(failed_because(&first_round), Some("MaxRestartsExceeded"));
    let gang = Arc::make_mut(&mut snapshot.children.gangs[0]);
    gang.status.get_or_insert_default().quota = Some(GangQuota {
        round: 1,
        grants: Vec::new(),
    });
    let again = decide(&snapshot, after(60));
    assert_eq!(failed_because(&again), None);
    assert_eq!(again.status.unwrap().last_failures, []);
}

/// The job keeps it from before the loss.
#[test]
fn an_earlier_failure_counts_when_the_gang_has_quota_again() {
    let mut snapshot = running(job(0, None));
    fill(&mut snapshot, FRONT, 2, |p| p.bound().phase("Failed"));
    step_at(&mut snapshot, after(60));
    assert_eq!(stored(&snapshot).last_failures.len(), 2);
    set_breached(&mut snapshot, FRONT, 60);
    set_quota(&mut snapshot, true);
    let gang = Arc::make_mut(&mut snapshot.children.gangs[0]);
    gang.status.get_or_insert_default().quota = Some(GangQuota {
        round: 1,
        grants: Vec::new(),
    });
    let again = decide(&snapshot, after(60));
    assert_eq!(failed_because(&again), Some("MaxRestartsExceeded"));
    assert_eq!(again.status.unwrap().last_failures.len(), 2);
}
