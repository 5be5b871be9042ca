//! What is reported of a training job besides (docs/semantics.md §5.1).

use std::collections::BTreeSet;

use api::PodCliqueSetStatus;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{PodCliqueSetPhase, PodFailure};
use domain::Pod;
use domain::health::failure;
use domain::workload::layout::Layout;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::attempts;
use crate::observe::Snapshot;

/// Bytes kept of a termination message, from its end.
const MAX_MESSAGE_BYTES: usize = 1024;

/// Adds what is particular to a job.
pub(super) fn complete_status(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    layout: &Layout<'_>,
    now: Timestamp,
) {
    next.restart_count.get_or_insert(0);
    if next.start_time.is_none() {
        next.start_time = find_start(snapshot, now).map(Time);
    }
    next.replica_attempts = attempts::latched(snapshot, layout, &next.replica_attempts, now);
    next.last_failures = newest_failures(snapshot, &next.last_failures);
    if next.phase == Some(PodCliqueSetPhase::Succeeded) {
        note_success(next, snapshot, now);
    }
}

/// Condition `Succeeded`, in the write that stores the phase, and in those after it.
pub(crate) fn note_success(next: &mut PodCliqueSetStatus, snapshot: &Snapshot, now: Timestamp) {
    let verdict = ConditionUpdate {
        type_: ConditionType::Succeeded,
        status: Status::True,
        reason: Reason::WorkloadSucceeded,
        message: "all PodCliques have done their work".to_owned(),
    };
    let generation = snapshot.stored.metadata.generation;
    conditions::set(&mut next.conditions, verdict, generation, now);
}

/// When the first app container of any pod started, once one runs or ran; within the life of the
/// set, whatever the clocks of nodes say. Written once and never reset: it bounds what the job
/// costs, restarts included. What init containers fetch is no run time.
fn find_start(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    let pods = || snapshot.podcliques.values().flat_map(|c| &c.pods);
    let has_run = |p: &Pod| p.is_finished() && p.started_at().is_some();
    let has_begun = pods().any(|p| p.is_running() || p.is_completed() || has_run(p));
    let created = snapshot.stored.metadata.creation_timestamp.as_ref();
    let earliest = created.map_or(Timestamp::MIN, |t| t.0).min(now);
    let first = pods().filter_map(|p| p.started_at()).min();
    has_begun.then(|| first.unwrap_or(now).clamp(earliest, now))
}

/// The newest failures, stored and observed, of pods that were not deleted. A pod that is deleted
/// fails too, with exit code 143: the peers of the pod that failed would hide it.
fn newest_failures(snapshot: &Snapshot, before: &[PodFailure]) -> Vec<PodFailure> {
    let known: BTreeSet<&str> = before.iter().map(|f| f.pod.as_str()).collect();
    let pods = snapshot.podcliques.values().flat_map(|c| &c.pods);
    let new = pods
        .filter(|p| p.is_failed())
        .filter(|p| !known.contains(p.name()))
        .map(|p| describe_failure(p));
    let mut all: Vec<PodFailure> = new.chain(before.iter().cloned()).collect();
    failure::keep_newest(&mut all);
    all
}

/// A pod without an exit code was evicted, or its node was lost: its status says why.
fn describe_failure(pod: &Pod) -> PodFailure {
    let ended = pod.failure();
    let reason = ended
        .and_then(|t| t.reason.clone())
        .or_else(|| pod.status.reason.clone());
    let message = ended
        .and_then(|t| t.message.clone())
        .or_else(|| pod.status.message.clone());
    PodFailure {
        pod: pod.name().to_owned(),
        node: pod.spec.node_name.clone(),
        reason: reason.unwrap_or_else(|| "Failed".to_owned()),
        exit_code: ended.map(|t| t.exit_code),
        message: message.map(|m| end_of(&m)),
        time: Time(failure::failed_at(pod)),
    }
}

/// The end says most.
fn end_of(message: &str) -> String {
    let surplus = message.len().saturating_sub(MAX_MESSAGE_BYTES);
    let start = (surplus..=message.len())
        .find(|at| message.is_char_boundary(*at))
        .unwrap_or(0);
    message.get(start..).unwrap_or_default().to_owned()
}
