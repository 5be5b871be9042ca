//! The life of a training job (docs/semantics.md §5.3), in the order of judgement.
//!
//! ```text
//! Pending ──▶ Running ──▶ Succeeded                  all PodCliques have done their work
//!                │  ▲
//!                │  └── restart: the attempt is raised, and restartCount
//!                └─▶ Failed=True ──▶ Failed          no budget left, or it took too long;
//!                                                    the phase once its last pod ended
//! ```
//!
//! Each of these transitions is a status write of its own; its consequences are decided from the
//! status stored then.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{PodCliqueSetPhase, ReplicaAttempt};
use api::{GoDuration, PodCliqueSetStatus};
use domain::health::culprit::find_culprit;
use domain::health::fence::{AttemptCause, begin_attempts};
use domain::health::termination::Breach;
use domain::health::{suspension, training};
use domain::plan::Plan;
use domain::roster::Roster;
use jiff::Timestamp;

use super::{failures, fence, plan_status};
use crate::last_pods::next_end;
use crate::observe::Snapshot;
use crate::status::job;

type JobPlan = Plan<PodCliqueSetStatus>;

/// The plan if the job moves on.
pub(super) fn judge(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<JobPlan> {
    let stored = snapshot.stored.status.clone().unwrap_or_default();
    if training::is_terminal(stored.phase) {
        return None;
    }
    if training::has_failed(&stored) {
        let is_over =
            next_end(snapshot, roster, now).is_none() && !snapshot.view.may_have_more_pods;
        return is_over.then(|| end_job(snapshot, roster, status, PodCliqueSetPhase::Failed));
    }
    if roster
        .layout
        .slots()
        .all(|part| roster.is_stored_as_done(part.replica, &part.name))
    {
        let mut status = status.clone();
        job::note_success(&mut status, snapshot, now);
        let mut plan = end_job(snapshot, roster, &status, PodCliqueSetPhase::Succeeded);
        plan.events.push(failures::success_event(snapshot));
        return Some(plan);
    }
    let stopped = (!is_done(roster)).then(|| stop_job(snapshot, roster, status, now));
    let stopped = stopped.flatten();
    let has_latched = status.replica_attempts != stored.replica_attempts;
    stopped.or_else(|| has_latched.then(|| plan_latch(snapshot, roster, status, now)))
}

/// Whether all its work is done, stored or not: then nothing stops the job any more.
fn is_done(roster: &Roster<'_>) -> bool {
    roster.layout.slots().all(|part| roster.is_done(part))
}

/// The plan at the end of its time, or for failures that are due. Its time does not end while the observed
/// pods may be older than a lost watch: the last ones may have ended well (decision 194).
fn stop_job(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> Option<JobPlan> {
    let is_late = training::deadline(&snapshot.validated.set).is_some_and(|at| at <= now);
    if is_late && !snapshot.view.is_outdated {
        let mut next = fail_job(snapshot, status, explain_expiry(snapshot, roster), now);
        job::note_crashes(&mut next, roster);
        return Some(plan_status(next));
    }
    let mut due = failures::breaches(snapshot, roster, now);
    due.retain(|breach| breach.due() <= now);
    (!due.is_empty()).then(|| plan_status(restart_or_fail(snapshot, status, &due, now)))
}

/// Stores newly found completions and complete replicas before any decision depends on them. The
/// same plan deletes PodCliques of earlier attempts: a job whose PodCliques finish one after the
/// other delays neither that nor a due failure (decision 62).
fn plan_latch(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    now: Timestamp,
) -> JobPlan {
    let mut plan = plan_status(status.clone());
    plan.events = failures::job_events(snapshot, roster);
    plan.wave(fence::plan_terminations(roster));
    plan.wake_at = wake_at(snapshot, roster, now);
    plan
}

/// When to decide again without a trigger.
pub(super) fn wake_at(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Option<Timestamp> {
    let stored = snapshot.stored.status.clone().unwrap_or_default();
    if training::is_terminal(stored.phase) {
        return None;
    }
    if training::has_failed(&stored) {
        return next_end(snapshot, roster, now).filter(|at| *at < Timestamp::MAX);
    }
    if is_done(roster) {
        return None;
    }
    let breaches = failures::breaches(snapshot, roster, now);
    breaches
        .iter()
        .map(Breach::due)
        .chain(training::deadline(&snapshot.validated.set))
        .min()
}

/// The plan that stores the terminal phase, with all remaining events: none is posted once the end
/// of a job is stored.
fn end_job(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: &PodCliqueSetStatus,
    phase: PodCliqueSetPhase,
) -> JobPlan {
    let status = PodCliqueSetStatus {
        phase: Some(phase),
        ..status.clone()
    };
    Plan {
        events: failures::job_events(snapshot, roster),
        ..plan_status(status)
    }
}

/// All due failures count together: a budget that is not enough for all is enough for none.
fn restart_or_fail(
    snapshot: &Snapshot,
    status: &PodCliqueSetStatus,
    due: &[Breach],
    now: Timestamp,
) -> PodCliqueSetStatus {
    let set = &snapshot.validated.set;
    let is_free = |b: &&Breach| b.is_disruption && training::ignores_disruptions(set);
    let (free, counted): (Vec<&Breach>, Vec<&Breach>) = due.iter().partition(is_free);
    let used = status.restart_count.unwrap_or(0);
    let allowed = training::max_restarts(set);
    let needed = used.saturating_add(to_i32(counted.len()));
    if needed > allowed && !counted.is_empty() {
        let cause = explain_exhaustion(used, allowed, &counted);
        return fail_job(snapshot, status, cause, now);
    }
    let mut next = status.clone();
    next.restart_count = Some(needed);
    if !free.is_empty() {
        let before = status.disruption_restarts.unwrap_or(0);
        next.disruption_restarts = Some(before.saturating_add(to_i32(free.len())));
    }
    let counted = (used.saturating_add(1)..)
        .zip(counted)
        .map(|(n, b)| (b.replica, format!("restart {n} of {allowed}: {b}")));
    let free = free.into_iter().map(|b| (b.replica, explain_disruption(b)));
    let causes = counted.chain(free).map(|(replica, message)| {
        let reason = ReplicaAttempt::PODCLIQUE_FAILED.to_owned();
        (replica, AttemptCause { reason, message })
    });
    next.replica_attempts = begin_attempts(&status.replica_attempts, causes, now);
    next
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn explain_disruption(breach: &Breach) -> String {
    format!("restart after a disruption, which maxRestarts does not count: {breach}")
}

type FailedCause = (Reason, String);

fn explain_exhaustion(used: i32, allowed: i32, due: &[&Breach]) -> FailedCause {
    let causes: Vec<String> = due
        .iter()
        .take(3)
        .map(|b| format!("replica {}: {b}", b.replica))
        .collect();
    let message = format!(
        "{used} of {allowed} restarts are used, {} more would be needed: {}",
        due.len(),
        causes.join("; ")
    );
    (Reason::MaxRestartsExceeded, message)
}

fn explain_expiry(snapshot: &Snapshot, roster: &Roster<'_>) -> FailedCause {
    let limits = snapshot.validated.set.spec.training_spec.as_ref();
    let limit = limits
        .and_then(|l| l.max_runtime.clone())
        .unwrap_or_default();
    let since = started_at(snapshot).unwrap_or_default();
    let pods = roster.own().flat_map(|c| &c.pods).map(AsRef::as_ref);
    let culprit = find_culprit(pods, true).map_or(String::new(), |c| format!("; {}", c.text));
    let stood = snapshot.stored.status.as_ref().map(suspension::total);
    let stood = stood.filter(|stood| !stood.is_zero()).map(|stood| {
        let stood = GoDuration::from_seconds(stood.as_secs());
        let queued = if snapshot.scheduler.is_queued {
            " or waited for quota"
        } else {
            ""
        };
        format!(" without the {stood} in which it was suspended{queued}")
    });
    let stood = stood.unwrap_or_default();
    let message = format!(
        "it has been running since {since:.0}, longer than maxRuntime {limit}{stood}{culprit}"
    );
    (Reason::MaxRuntimeExceeded, message)
}

fn fail_job(
    snapshot: &Snapshot,
    status: &PodCliqueSetStatus,
    (reason, message): FailedCause,
    now: Timestamp,
) -> PodCliqueSetStatus {
    let mut next = status.clone();
    let verdict = ConditionUpdate {
        type_: ConditionType::Failed,
        status: Status::True,
        reason,
        message,
    };
    let generation = snapshot.stored.metadata.generation;
    conditions::set(&mut next.conditions, verdict, generation, now);
    next
}

fn started_at(snapshot: &Snapshot) -> Option<Timestamp> {
    let stored = snapshot.stored.status.as_ref()?;
    stored.start_time.as_ref().map(|t| t.0)
}
