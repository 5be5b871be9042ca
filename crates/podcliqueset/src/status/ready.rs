//! Condition `Ready` of a set, the answer to "why is my gang not running": the first cause, found
//! through PodGang, PodClique and pod, with the message of the scheduler or the kubelet.

use admission::FieldError;
use api::PodCliqueSetStatus;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podcliqueset::PodCliqueSetPhase;
use domain::health::readiness::{self, Cause};
use domain::roster::{ObservedClique, Roster};
use domain::scheduling::UnsupportedFeature;
use domain::workload::layout::LayoutSlot;
use jiff::Timestamp;

use super::compute_domains;
use super::replica::Replica;
use crate::observe::Snapshot;
use crate::scaled_to_zero::ScaledToZero;

/// Ready: every replica is available, which is the required part. Beyond that the message names the
/// cause that keeps the rest from running.
pub(super) fn ready_condition(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    next: &PodCliqueSetStatus,
    replicas: &[Replica],
    now: Timestamp,
) -> ConditionUpdate {
    let of_spec = of_job(next).or_else(|| refused(snapshot));
    if let Some(verdict) = of_spec.or_else(|| of_suspended(snapshot, next)) {
        return verdict;
    }
    let (wanted, up) = (next.replicas, next.available_replicas);
    if wanted == 0 {
        let message = "no replicas are requested".to_owned();
        return readiness::ready_condition(true, Reason::ScaledToZero, message);
    }
    let idle = ScaledToZero::of(snapshot, roster);
    if roster.layout.slots().all(|part| idle.contains(part)) {
        let message = "all its cliques and groups are scaled to 0".to_owned();
        return readiness::ready_condition(true, Reason::ScaledToZero, message);
    }
    let tally = format!("{up}/{wanted} replicas available");
    let cause = find_cause(snapshot, roster, replicas, up >= wanted, now);
    let cause = cause.or_else(|| find_failed_check(snapshot, next));
    let are_enough = up >= wanted && !stands_still(snapshot, roster);
    let refused = cause
        .as_ref()
        .and_then(|cause| own_refusal(snapshot, next, cause));
    let mut verdict = readiness::of_replicas(are_enough, tally, cause);
    if let Some(reason) = refused.filter(|_| are_enough) {
        verdict.reason = reason;
    }
    hold(snapshot, roster, verdict, replicas, now)
}

/// The reason of the cause if it is that the API server refuses an object of the set itself, such as an
/// autoscaler: somebody has to look, though the minimum runs.
fn own_refusal(snapshot: &Snapshot, next: &PodCliqueSetStatus, cause: &Cause) -> Option<Reason> {
    let own = readiness::refusal_of_write(super::stored_errors(snapshot));
    let own = own.or_else(|| find_failed_check(snapshot, next))?;
    let is_it = own.text == cause.text && own.reason == cause.reason;
    (is_it && own.reason.is_refusal()).then_some(own.reason)
}

/// Why the API server could not be asked about a newer template. That it refuses the template is said in the
/// report on the update.
fn find_failed_check(snapshot: &Snapshot, next: &PodCliqueSetStatus) -> Option<Cause> {
    let newest = snapshot.validated.generation_hash();
    let is_waiting = next.current_generation_hash.as_ref() != Some(&newest);
    let is_refused = readiness::refusal_of_check(&next.last_errors).is_some();
    let failed = readiness::refusal_of_check(super::stored_errors(snapshot));
    failed.filter(|_| is_waiting && !is_refused)
}

/// Whether no unfinished pod of a job runs: completed ranks count as available, and yet the job
/// does not work.
fn stands_still(snapshot: &Snapshot, roster: &Roster<'_>) -> bool {
    let mut pods = snapshot
        .podcliques
        .values()
        .flat_map(ObservedClique::staying);
    snapshot.is_training()
        && !pods.any(|p| p.is_at_work() && !p.is_completed())
        && !roster.layout.slots().all(|part| roster.is_done(part))
}

/// The condition of a job that is over: how it ended.
fn of_job(next: &PodCliqueSetStatus) -> Option<ConditionUpdate> {
    if next.phase == Some(PodCliqueSetPhase::Succeeded) {
        let message = "the job is done".to_owned();
        return Some(readiness::ready_condition(
            true,
            Reason::WorkloadSucceeded,
            message,
        ));
    }
    let failed = conditions::find(&next.conditions, ConditionType::Failed)?;
    let reason = failed.reason.parse().unwrap_or(Reason::MaxRestartsExceeded);
    let is_failed = failed.status == "True";
    is_failed.then(|| readiness::ready_condition(false, reason, failed.message.clone()))
}

/// The condition of a set without pods on purpose.
fn of_suspended(snapshot: &Snapshot, next: &PodCliqueSetStatus) -> Option<ConditionUpdate> {
    let found = conditions::find(&next.conditions, ConditionType::Suspended)?;
    let verdict = || readiness::ready_condition(false, Reason::Suspended, found.message.clone());
    snapshot.is_suspended().then(verdict)
}

/// The condition of a set that cannot be acted on, though its pods run on, or that has a change
/// that is not applied.
fn refused(snapshot: &Snapshot) -> Option<ConditionUpdate> {
    let (errors, kept) = (&snapshot.validated.errors, &snapshot.validated.not_acted_on);
    let first = errors.first().or(kept.first())?;
    let more = more(errors.len().saturating_add(kept.len()));
    let message = format!("{first}{more}");
    Some(readiness::ready_condition(
        false,
        Reason::InvalidSpec,
        message,
    ))
}

/// A set over its limits is not examined any further.
pub(super) fn over_limits(errors: &[FieldError]) -> ConditionUpdate {
    let first = errors.first().map_or(String::new(), ToString::to_string);
    let message = format!("{first}{}", more(errors.len()));
    readiness::ready_condition(false, Reason::LimitExceeded, message)
}

/// Its pods may end slowly.
pub(super) fn of_leaving() -> ConditionUpdate {
    let message = "the set is being deleted; its pods have their grace period to end".to_owned();
    readiness::ready_condition(false, Reason::Terminating, message)
}

fn more(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more in status.lastErrors)"),
    }
}

/// The first cause among the replicas that are not available; among all of them, if all are. An outage comes
/// before the refusal of a template, which keeps nothing from running.
fn find_cause(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    replicas: &[Replica],
    are_all: bool,
    now: Timestamp,
) -> Option<Cause> {
    let own = readiness::refusal_of_write(super::stored_errors(snapshot));
    let is_meant = |i: i32| {
        let replica = usize::try_from(i).ok().and_then(|i| replicas.get(i));
        are_all || replica.is_some_and(|r| !r.is_available)
    };
    let cause = roster
        .layout
        .slots()
        .filter(|p| is_meant(p.replica))
        .filter_map(|part| {
            let cause = roster.shortfall(part, are_all, now)?;
            Some((cause, part))
        })
        .min_by_key(|(cause, _)| cause.reason.priority());
    let cause = cause.map(|(cause, part)| {
        let unsupported = snapshot
            .scheduler
            .unsupported
            .as_ref()
            .filter(|o| holds_back(o, &cause));
        match unsupported.map(UnsupportedFeature::condition) {
            Some(told) => Cause::new(told.reason, told.message),
            None => compute_domains::complete(snapshot, roster, cause, part)
                .within(&describe_place(part)),
        }
    });
    readiness::first(own.into_iter().chain(cause))
}

/// Whether the missing feature is why the part waits. A gang with all its pods waits for nothing
/// else, and no pods are created for a scheduler that cannot handle gangs.
fn holds_back(unsupported: &UnsupportedFeature, cause: &Cause) -> bool {
    match cause.reason {
        Reason::GangIncomplete => true,
        Reason::PodsBeingCreated => matches!(
            unsupported,
            UnsupportedFeature::NotServed(_) | UnsupportedFeature::ComputeDomainsMissing
        ),
        Reason::ClaimMissing => matches!(unsupported, UnsupportedFeature::ComputeDomainsMissing),
        _ => false,
    }
}

/// The position of the part, in the words of the template.
fn describe_place(part: &LayoutSlot<'_>) -> String {
    let group = part.group.as_ref().zip(part.group_replica);
    let group = group.map_or(String::new(), |(g, j)| {
        format!("group {} replica {j}: ", g.name)
    });
    format!("replica {}: {group}clique {} ", part.replica, part.clique)
}

/// A set is not reported Ready while one of its pods may be about to crash again.
fn hold(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    verdict: ConditionUpdate,
    replicas: &[Replica],
    now: Timestamp,
) -> ConditionUpdate {
    let causes = roster.layout.slots().filter_map(|part| {
        let seen = roster.slot(part).standing()?;
        let (_, cause) = readiness::unsettled(seen.pods.iter().map(AsRef::as_ref), now);
        Some(cause?.within(&describe_place(part)))
    });
    let before = snapshot.stored.status.as_ref();
    let before = before.and_then(|s| conditions::find(&s.conditions, ConditionType::Ready));
    let are_enough = replicas.iter().all(|r| r.is_settled);
    readiness::hold(before, verdict, are_enough, readiness::first(causes))
}
