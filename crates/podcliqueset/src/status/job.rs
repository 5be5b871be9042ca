//! The additional status of a training job (docs/semantics.md §5.1).

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{PodCliqueSetPhase, PodFailure};
use api::{PodCliqueSetStatus, PodGang, labels};
use domain::Pod;
use domain::health::failure;
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster};
use domain::scheduling::quota;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::attempts;
use crate::observe::Snapshot;

/// Adds the fields of a job.
pub(super) fn complete_status(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    next.restart_count.get_or_insert(0);
    if next.start_time.is_none() {
        next.start_time = find_start(snapshot, now).map(Time);
    }
    next.replica_attempts = attempts::latched(roster, &next.replica_attempts, now);
    // A pod may fail because the suspension deletes its peers (decision 173).
    if !snapshot.is_suspended() {
        next.last_failures = newest_failures(snapshot, &next.last_failures);
    }
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

/// When the first app container of any pod started, once one runs or ran; limited to the life of
/// the set, as clocks of nodes differ. Written once and never reset: it limits the cost of the job,
/// restarts included. The time of init containers is not run time.
fn find_start(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    let pods = || snapshot.podcliques.values().flat_map(|c| &c.pods);
    let has_run = |p: &Pod| p.is_finished() && p.started_at().is_some();
    let has_begun = pods().any(|p| p.is_running() || p.is_completed() || has_run(p));
    let created = snapshot.stored.metadata.creation_timestamp.as_ref();
    let earliest = created.map_or(Timestamp::MIN, |t| t.0).min(now);
    let first = pods().filter_map(|p| p.started_at()).min();
    has_begun.then(|| first.unwrap_or(now).clamp(earliest, now))
}

/// Keeps the last crash of each pod that the kubelet restarts in place, beside the failures.
pub(crate) fn note_crashes(next: &mut PodCliqueSetStatus, roster: &Roster<'_>) {
    let crashes = roster
        .own()
        .flat_map(|c| &c.pods)
        .filter_map(|p| failure::describe_crash(p));
    let is_known = |crash: &PodFailure| next.last_failures.iter().any(|f| failure::is_of(f, crash));
    let new: Vec<PodFailure> = crashes.filter(|crash| !is_known(crash)).collect();
    next.last_failures.extend(new);
    failure::keep_newest(&mut next.last_failures);
}

/// The newest failures, observed and stored. The present observation of a pod replaces its stored
/// failure: the kubelet may give its reason for the pod only after the container ended.
fn newest_failures(snapshot: &Snapshot, before: &[PodFailure]) -> Vec<PodFailure> {
    let cliques = || snapshot.podcliques.values();
    let pods = cliques().flat_map(|clique| {
        let gang = find_queued_gang(snapshot, clique);
        // A pod may fail because its peers go with their quota (decision 177).
        let counts = move |pod: &Pod| {
            gang.is_none_or(|gang| !quota::is_held(gang) && !quota::is_of_earlier_round(gang, pod))
        };
        let pods = clique.pods.iter().chain(&clique.lost);
        pods.filter(move |pod| counts(pod))
    });
    let mut all: Vec<PodFailure> = pods.filter_map(|p| failure::describe(p)).collect();
    let is_seen = |kept: &PodFailure| all.iter().any(|seen| failure::is_of(kept, seen));
    let is_over = |kept: &PodFailure| {
        let mut ready = cliques().flat_map(|c| &c.pods).filter(|p| p.is_ready());
        ready.any(|pod| failure::was_spared(kept, pod))
    };
    let stays = |kept: &&PodFailure| !is_seen(kept) && !is_over(kept);
    let gone: Vec<PodFailure> = before.iter().filter(stays).cloned().collect();
    all.extend(gone);
    failure::keep_newest(&mut all);
    all
}

/// The gang of the PodClique, if its set names a queue.
pub(crate) fn find_queued_gang<'a>(
    snapshot: &'a Snapshot,
    clique: &ObservedClique,
) -> Option<&'a PodGang> {
    if !snapshot.scheduler.is_queued {
        return None;
    }
    let gang = ownership::label(&clique.podclique.metadata, labels::POD_GANG)?;
    let mut gangs = snapshot.children.gangs.iter().map(AsRef::as_ref);
    gangs.find(|found: &&PodGang| ownership::name(&found.metadata) == gang)
}
