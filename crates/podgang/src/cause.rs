//! Why a gang is not ready, in the words of its parts.

use api::conditions::Reason;
use domain::health::readiness::{self, Cause, CliqueView, Start};
use domain::placement::requires_domain;
use jiff::Timestamp;

use crate::gang_part::GangPart;
use crate::no_domain;
use crate::observe::Snapshot;

/// The first cause among the parts. A gang without a topology domain is described as a whole.
pub(crate) fn find_cause(snapshot: &Snapshot, now: Timestamp) -> Option<Cause> {
    let start = start_of(snapshot);
    if let Start::AwaitsQuota { reason, text } = &start {
        return Some(Cause::new(*reason, text.clone()));
    }
    let parts = snapshot.parts.iter().filter_map(|part| {
        let start = start.clone().held_by(&snapshot.gang, &part.name);
        cause_of_part(part, start, now)
    });
    let cause = readiness::first(parts)?;
    if let Some(text) = describe_closed(snapshot, &cause) {
        return Some(Cause::new(Reason::TopologyNoDomain, text));
    }
    let finds_none = cause.reason == Reason::TopologyNoDomain;
    let room = snapshot.room.as_ref().filter(|_| finds_none);
    match room.and_then(|room| no_domain::explain(&snapshot.parts, room)) {
        Some(text) => Some(Cause { text, ..cause }),
        None => Some(cause),
    }
}

/// That a pod has to join a domain without a schedulable node, if a scheduler found no node.
fn describe_closed(snapshot: &Snapshot, cause: &Cause) -> Option<String> {
    let (pod, closed) = snapshot.closed.as_ref()?;
    let namespace = snapshot.gang.metadata.namespace.as_deref();
    let text = closed.describe(pod, namespace.unwrap_or_default());
    readiness::is_of_scheduler(cause.reason).then_some(text)
}

/// Its parts have started, and it finds out itself whether it lacks a topology domain.
fn start_of(snapshot: &Snapshot) -> Start {
    if snapshot.is_suspended {
        Start::Suspended
    } else if let Some(waiting) = find_wait(snapshot) {
        waiting
    } else if requires_domain(&snapshot.gang) {
        Start::Packed { no_domain: None }
    } else {
        Start::Started
    }
}

/// That it has no quota, or none with which it could start.
fn find_wait(snapshot: &Snapshot) -> Option<Start> {
    let gang = &snapshot.gang;
    let is_starting = !readiness::runs(gang);
    Start::of_waiting(gang).or_else(|| Start::of_short(gang).filter(|_| is_starting))
}

/// Why the part is not up, in the words of its PodClique.
fn cause_of_part(part: &GangPart, start: Start, now: Timestamp) -> Option<Cause> {
    let Some(podclique) = &part.podclique else {
        let text = format!("podclique {} does not exist", part.name);
        return Some(Cause::new(Reason::PodsBeingCreated, text));
    };
    let look = CliqueView {
        podclique,
        pods: part.pods.iter().map(AsRef::as_ref).collect(),
        start,
        now,
    };
    let cause = readiness::shortfall(&look, false)?;
    Some(cause.within(&format!("podclique {} ", part.name)))
}
