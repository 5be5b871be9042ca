//! Condition `Ready` of a scaling group, from the conditions of its PodCliques. Surge replicas
//! count while they serve.

use admission::FieldError;
use api::PodClique;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use domain::health::readiness::{self, Cause};
use domain::workload::layout::Members;

use super::replica::Replica;
use crate::observe::Snapshot;

/// Ready: the required number of group replicas is available.
pub(super) fn ready_condition(
    snapshot: &Snapshot,
    replicas: &[Replica<'_>],
    surge: &[Replica<'_>],
) -> ConditionUpdate {
    let wanted = snapshot.group.spec.replicas;
    let minimum = snapshot.min_available().min(wanted);
    let all = replicas.iter().chain(surge);
    let up = all.filter(|r| r.is_available).count();
    let up = i32::try_from(up).unwrap_or(i32::MAX).min(wanted);
    if wanted == 0 {
        let message = "no group replicas are requested".to_owned();
        return readiness::ready_condition(true, Reason::ScaledToZero, message);
    }
    let tally = format!("{up}/{wanted} group replicas available");
    let cause = readiness::first(causes(snapshot, replicas));
    let verdict = readiness::of_replicas(up >= minimum, tally, cause);
    hold(snapshot, replicas, verdict, |unsettled| {
        up.saturating_sub(unsettled) >= minimum
    })
}

/// A PodClique that counts as available and still has the cause of an outage may be about to crash
/// again.
fn hold(
    snapshot: &Snapshot,
    replicas: &[Replica<'_>],
    verdict: ConditionUpdate,
    are_enough: impl Fn(i32) -> bool,
) -> ConditionUpdate {
    let causes: Vec<Cause> = replicas
        .iter()
        .filter(|r| r.is_available)
        .filter_map(|r| readiness::first(of_replica(snapshot, &r.members)))
        .filter(|cause| cause.reason == Reason::CrashLoop)
        .collect();
    let count = i32::try_from(causes.len()).unwrap_or(i32::MAX);
    let before = snapshot.group.status.as_ref();
    let before = before.and_then(|s| conditions::find(&s.conditions, ConditionType::Ready));
    readiness::hold(before, verdict, are_enough(count), readiness::first(causes))
}

/// A set over its limits is not examined any further.
pub(super) fn over_limits(errors: &[FieldError]) -> ConditionUpdate {
    let first = errors.first().map_or(String::new(), ToString::to_string);
    readiness::ready_condition(false, Reason::LimitExceeded, first)
}

/// Nothing is created for a set that is over its limits.
fn of_set(snapshot: &Snapshot) -> Option<Cause> {
    let text = "the PodCliqueSet exceeds a limit; its condition Ready names the limit";
    let is_over = snapshot.is_set_over_limits();
    is_over.then(|| Cause::new(Reason::LimitExceeded, text))
}

fn causes(snapshot: &Snapshot, replicas: &[Replica<'_>]) -> Vec<Cause> {
    let own = readiness::refusal(super::stored_errors(snapshot));
    let of_parts = replicas
        .iter()
        .filter(|r| !r.is_available)
        .flat_map(|r| of_replica(snapshot, &r.members));
    own.into_iter()
        .chain(of_set(snapshot))
        .chain(of_parts)
        .collect()
}

fn of_replica(snapshot: &Snapshot, members: &Members<'_>) -> impl Iterator<Item = Cause> {
    let j = members.group_replica;
    members.cliques.iter().filter_map(move |member| {
        let (name, clique) = (member.name.as_str(), member.clique);
        let cause = match snapshot.slot(name).standing() {
            Some(podclique) => of_podclique(podclique),
            None if snapshot.is_done(name) => None,
            None => Some(absent(snapshot, name)),
        };
        Some(cause?.within(&format!("group replica {j}: clique {clique} ")))
    })
}

/// The cause in its condition; a PodClique without a condition is quite new.
fn of_podclique(podclique: &PodClique) -> Option<Cause> {
    let status = podclique.status.as_ref();
    let ready = status.and_then(|s| conditions::find(&s.conditions, ConditionType::Ready));
    let Some(ready) = ready else {
        return Some(Cause::being_created());
    };
    let reason = ready.reason.parse().unwrap_or(Reason::PodsStarting);
    (ready.status != "True").then(|| Cause::new(reason, ready.message.clone()))
}

fn absent(snapshot: &Snapshot, name: &str) -> Cause {
    if snapshot.is_set_replica_terminating || snapshot.podcliques.contains_key(name) {
        let text = "was terminated and is recreated once the rest is gone";
        return Cause::new(Reason::ReplicaTerminating, text);
    }
    Cause::being_created()
}
