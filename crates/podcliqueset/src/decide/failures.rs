//! What counts as a failure of a training job's replica, and what is told of it.

use api::PodCliqueSetStatus;
use api::conditions::{self, ConditionType};
use api::podcliqueset::PodCliqueSetPhase;
use domain::availability::clique_breach;
use domain::plan::{Kind, Note, Plan, Target};
use domain::termination::{self, Breach};
use domain::{ownership, training};
use jiff::{SignedDuration, Timestamp};

use super::training::FAILED;
use crate::observe::{CliqueSeen, Snapshot};
use crate::parts::{self, Part};

/// An event may be posted again for so long; saying it again is one event.
const FRESH: SignedDuration = SignedDuration::from_mins(10);

/// The breach of each replica that is due first.
pub(super) fn breaches(snapshot: &Snapshot) -> Vec<Breach> {
    let expected = parts::expected(snapshot);
    let all = expected.iter().filter_map(|part| breach(snapshot, part));
    termination::first_of_each_replica(all.collect())
}

fn breach(snapshot: &Snapshot, part: &Part<'_>) -> Option<Breach> {
    let seen = snapshot.of_present_attempt(&part.name)?;
    if part.has_succeeded(snapshot) {
        return None;
    }
    if seen.is_terminating() {
        return deleted(part, seen);
    }
    let delay = training::delay(&snapshot.intake.set, part.group);
    let stored = seen.podclique.status.as_ref()?.into();
    let object = Target::of(Kind::PodClique, &seen.podclique.metadata);
    Breach::confirmed(part.replica, object, delay, stored, || {
        clique_breach(&seen.facts())
    })
}

/// We delete PodCliques of earlier attempts, or with the set. One of the present attempt was
/// deleted by somebody else, and its work with it.
fn deleted(part: &Part<'_>, seen: &CliqueSeen) -> Option<Breach> {
    let meta = &seen.podclique.metadata;
    Some(Breach {
        replica: part.replica,
        object: Target::of(Kind::PodClique, meta),
        since: meta.deletion_timestamp.as_ref()?.0,
        delay: SignedDuration::ZERO,
        numbers: "it was deleted before its work was done".to_owned(),
    })
}

/// Tells of restarts and of the end.
pub(super) fn announce(snapshot: &Snapshot, now: Timestamp, plan: &mut Plan<PodCliqueSetStatus>) {
    let uid = ownership::uid(&snapshot.stored.metadata);
    for fence in snapshot.attempts() {
        if fence.reason == FAILED && is_fresh(fence.time.0, now) {
            let message = format!("replica {}, {}", fence.replica, fence.message);
            let note = Note::normal("ReplicaRestarting", message);
            plan.notes
                .push(note.once(termination::identity(fence, uid)));
        }
    }
    let stored = snapshot.stored.status.clone().unwrap_or_default();
    if let Some(failed) = conditions::find(&stored.conditions, ConditionType::Failed)
        .filter(|c| is_fresh(c.last_transition_time.0, now))
    {
        let reason = match failed.reason.as_str() {
            "MaxRuntimeExceeded" => "MaxRuntimeExceeded",
            _ => "MaxRestartsExceeded",
        };
        plan.notes
            .push(Note::warning(reason, failed.message.clone()).once(uid));
    }
    let is_done = stored.phase == Some(PodCliqueSetPhase::Succeeded);
    if is_done && done_at(snapshot).is_some_and(|at| is_fresh(at, now)) {
        let message = "all PodCliques have done their work";
        plan.notes
            .push(Note::normal("WorkloadSucceeded", message).once(uid));
    }
}

fn is_fresh(time: Timestamp, now: Timestamp) -> bool {
    now.duration_since(time) < FRESH
}

/// When the last PodClique was done.
fn done_at(snapshot: &Snapshot) -> Option<Timestamp> {
    let statuses = snapshot
        .podcliques
        .values()
        .filter_map(|c| c.podclique.status.as_ref());
    let done = statuses.filter_map(|s| conditions::find(&s.conditions, ConditionType::Succeeded));
    done.map(|c| c.last_transition_time.0).max()
}
