//! Condition `Ready` of a set, and the answer to "why is my gang not running": the first cause,
//! found through PodGang, PodClique and pod down to what the scheduler or the kubelet said.

use api::conditions::{self, ConditionType, Reason, Verdict};
use api::podcliqueset::PodCliqueSetPhase;
use api::{PodCliqueSetStatus, labels};
use domain::readiness::{self, Cause, CliqueLook, Start};
use domain::{Pod, ownership};

use super::Replica;
use crate::observe::{CliqueSeen, Snapshot};
use crate::parts::{self, Part};

/// Ready: every replica is available, which is what has to run. Beyond that the message still says
/// what keeps the rest from running.
pub(super) fn verdict(
    snapshot: &Snapshot,
    next: &PodCliqueSetStatus,
    replicas: &[Replica],
) -> Verdict {
    if let Some(verdict) = of_job(next).or_else(|| refused(snapshot)) {
        return verdict;
    }
    let (wanted, up) = (next.replicas, next.available_replicas);
    if wanted == 0 {
        let message = "no replicas are asked for".to_owned();
        return readiness::verdict(true, Reason::ScaledToZero, message);
    }
    let tally = format!("{up}/{wanted} replicas available");
    let told = readiness::first(causes(snapshot, replicas, up >= wanted));
    readiness::of_replicas(up >= wanted, tally, told)
}

/// A job that is over says how it ended.
fn of_job(next: &PodCliqueSetStatus) -> Option<Verdict> {
    if next.phase == Some(PodCliqueSetPhase::Succeeded) {
        let message = "the job is done".to_owned();
        return Some(readiness::verdict(true, Reason::WorkloadSucceeded, message));
    }
    let failed = conditions::find(&next.conditions, ConditionType::Failed)?;
    let reason = failed.reason.parse().unwrap_or(Reason::MaxRestartsExceeded);
    let is_failed = failed.status == "True";
    is_failed.then(|| readiness::verdict(false, reason, failed.message.clone()))
}

/// Nothing new is done for a set that cannot be acted on, though what runs goes on.
fn refused(snapshot: &Snapshot) -> Option<Verdict> {
    let (errors, blocked) = (&snapshot.intake.errors, &snapshot.intake.blocked_by);
    if let Some(first) = errors.first() {
        let more = more(errors.len());
        return Some(readiness::verdict(
            false,
            Reason::InvalidSpec,
            format!("{first}{more}"),
        ));
    }
    let first = blocked.first()?;
    let message = format!("{first}{}", more(blocked.len()));
    Some(readiness::verdict(false, Reason::NotImplemented, message))
}

fn more(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more in status.lastErrors)"),
    }
}

/// Causes of replicas that are not available; of all of them, if all are.
fn causes(snapshot: &Snapshot, replicas: &[Replica], are_all: bool) -> Vec<Cause> {
    let status = snapshot.stored.status.as_ref();
    let own = readiness::refusal(status.map_or(&[], |s| &s.last_errors));
    let is_meant = |i: i32| {
        let replica = usize::try_from(i).ok().and_then(|i| replicas.get(i));
        are_all || replica.is_some_and(|r| !r.is_available)
    };
    let parts = parts::expected(snapshot);
    let of_parts = parts.iter().filter(|p| is_meant(p.replica));
    let of_parts = of_parts.filter_map(|part| of_part(snapshot, part, are_all));
    own.into_iter().chain(of_parts).collect()
}

fn of_part(snapshot: &Snapshot, part: &Part<'_>, are_all: bool) -> Option<Cause> {
    let cause = match snapshot.podclique(&part.name) {
        Some(seen) if seen.count_or_done(Pod::is_ready) >= seen.podclique.spec.replicas => None,
        Some(seen) => readiness::shortfall(&look(snapshot, seen), are_all),
        None if snapshot.is_latched(part.replica, &part.name) => None,
        None => Some(absent(snapshot, part)),
    };
    Some(cause?.within(&place(part)))
}

/// Where it is in the words of the template.
fn place(part: &Part<'_>) -> String {
    let group = part.group.as_ref().zip(part.group_replica);
    let group = group.map_or(String::new(), |(g, j)| {
        format!("group {} replica {j}: ", g.name)
    });
    format!("replica {}: {group}clique {} ", part.replica, part.clique)
}

fn look<'a>(snapshot: &Snapshot, seen: &'a CliqueSeen) -> CliqueLook<'a> {
    let name = ownership::label(&seen.podclique.metadata, labels::POD_GANG);
    let by_name = |name: &str| {
        let mut all = snapshot.gangs.iter();
        all.find(|g| ownership::name(&g.metadata) == name)
    };
    let gang = name.and_then(by_name).map(AsRef::as_ref);
    let is_torn_down = |i| snapshot.of_earlier_attempts(i).next().is_some();
    let start = if snapshot.replica_of(seen).is_some_and(is_torn_down) {
        Start::TornDown
    } else {
        readiness::start(&seen.podclique, gang, |base| {
            let status = by_name(base).and_then(|g| g.status.as_ref());
            status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::Ready))
        })
    };
    CliqueLook {
        podclique: &seen.podclique,
        pods: seen.pods.iter().map(AsRef::as_ref).collect(),
        start,
    }
}

fn absent(snapshot: &Snapshot, part: &Part<'_>) -> Cause {
    let left = snapshot.of_earlier_attempts(part.replica).count();
    if left == 0 {
        return Cause::new(Reason::PodsBeingCreated, "is being created");
    }
    let why = snapshot
        .attempts()
        .iter()
        .find(|a| a.replica == part.replica);
    let why = why.map_or("", |a| a.message.as_str());
    let text = format!("was torn down ({why}); waiting for {left} PodCliques to go");
    Cause::new(Reason::ReplicaTearingDown, text)
}
