//! Decides which events count as a failure of a training job's replica, and how they are reported.
//!
//! An event is posted as long as the status shows that its work remains, the last time by the plan
//! that stores the end of this work: for a restart until its replica is complete again, for the end
//! of the job until the phase is stored. So no event is lost however long the operator was away,
//! and none is posted again later (decision 61).

use api::conditions::{self, ConditionType, Reason};
use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueSet, events};
use domain::health::availability::{CliqueFacts, clique_breach};
use domain::health::termination::{self, Breach, BreachFact};
use domain::health::{failure, fence, training};
use domain::object::ownership;
use domain::plan::{Event, Kind, Target};
use domain::roster::{ObservedClique, Roster};
use domain::scheduling::quota;
use domain::workload::layout::LayoutSlot;
use domain::{Key, Pod};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::observe::Snapshot;
use crate::status::job;

/// The failure of a PodClique that a user deleted.
const DELETED: &str = "it was deleted before its work was done";

/// For each replica the breach that is due first; none while the set is suspended. Replicas with an
/// object to adopt are left out; the adoption triggers the set.
pub(super) fn breaches(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> Vec<Breach> {
    if snapshot.is_suspended() {
        return Vec::new();
    }
    let with_orphans = roster.replicas_with_orphans();
    let all = roster
        .layout
        .slots()
        .filter(|part| !with_orphans.contains(&part.replica))
        .filter_map(|part| breach(snapshot, roster, part, now));
    termination::first_of_each_replica(all.collect())
}

fn breach(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    part: &LayoutSlot<'_>,
    now: Timestamp,
) -> Option<Breach> {
    if roster.has_succeeded(part) {
        return None;
    }
    let Some(seen) = roster.slot(part).present() else {
        return is_missing(snapshot, roster, part).then(|| breach_of_missing(snapshot, part, now));
    };
    if snapshot.view.is_outdated {
        // It may have recovered, or its pods may have ended well, while the watch was lost
        // (decision 111).
        return None;
    }
    let object = Target::of::<PodClique>(&seen.podclique.metadata);
    if seen.is_terminating() {
        if seen.is_done() {
            // It stores its success before its pods go (decision 105).
            return None;
        }
        // The operator deletes only PodCliques of earlier attempts, or all with the set. A user
        // deleted this one, and its pods with it.
        return Some(breach_of_deleted(part, object, now));
    }
    let delay = termination::delay_of_job(&snapshot.validated.set, part.group);
    let stored = seen.podclique.status.as_ref()?.into();
    let facts = || facts_of(snapshot, seen).with_job_delay(delay);
    let breach = Breach::confirmed(part.replica, object, delay, stored, || {
        clique_breach(&facts())
    })?;
    let facts = facts();
    let breach = breach
        .not_before(snapshot.breaches_from())
        .caused_by(facts.cause.as_ref());
    Some(if facts.has_given_up() {
        breach.due_at_once()
    } else {
        breach
    })
}

/// The facts of the PodClique, without pods that failed because their gang lost its quota. Such a pod does not
/// hold the quota, so the gang may have quota again before the PodClique has deleted it (decision 177). A
/// failure that the job keeps came before.
fn facts_of(snapshot: &Snapshot, seen: &ObservedClique) -> CliqueFacts {
    let gang = job::find_queued_gang(snapshot, seen);
    let kept = snapshot.stored.status.as_ref();
    let kept = kept.map_or(&[][..], |s| s.last_failures.as_slice());
    let counts = |pod: &Pod| {
        let is_earlier = gang.is_some_and(|gang| quota::is_of_earlier_round(gang, pod));
        !(is_earlier && pod.is_failed()) || failure::is_noted(pod, kept)
    };
    let pods = seen.pods.iter().map(AsRef::as_ref);
    CliqueFacts::of(&seen.podclique, pods.filter(|pod: &&Pod| counts(pod)))
}

/// Whether the PodClique existed in this attempt and is gone. A PodClique that another controller
/// owns, or that is about to be adopted, does not count. A set that may not be acted on has no
/// missing PodCliques, as none would be created.
fn is_missing(snapshot: &Snapshot, roster: &Roster<'_>, part: &LayoutSlot<'_>) -> bool {
    roster.is_closed(part.replica)
        && snapshot.validated.may_act()
        && roster.slot(part).occupant().is_none()
        && !snapshot.strays.podcliques.contains(&part.name)
}

fn breach_of_missing(snapshot: &Snapshot, part: &LayoutSlot<'_>, now: Timestamp) -> Breach {
    let namespace = snapshot.stored.metadata.namespace.clone();
    let object = Target {
        kind: Kind::of::<PodClique>(),
        key: Key::new(namespace.unwrap_or_default(), part.name.clone()),
        uid: String::new(),
    };
    breach_of_deleted(part, object, now)
}

/// Due at once, whatever the clock behind the deletion time shows. It is chance whether the
/// PodClique is still observed, so both cases use the same words.
fn breach_of_deleted(part: &LayoutSlot<'_>, object: Target, now: Timestamp) -> Breach {
    Breach {
        replica: part.replica,
        object,
        since: now,
        delay: SignedDuration::ZERO,
        numbers: DELETED.to_owned(),
        fact: BreachFact::MinAvailableBreached,
        is_disruption: false,
        blamed: None,
    }
}

/// The events of restarts, and of the failure that ended the job; none once a terminal phase is
/// stored, as the plan that stored it posted them.
pub(super) fn job_events(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Event> {
    let stored = snapshot.stored.status.clone().unwrap_or_default();
    if training::is_terminal(stored.phase) {
        return Vec::new();
    }
    let mut notes = restart_events(snapshot);
    if training::has_failed(&stored) {
        notes.extend(end_events(snapshot, roster, &stored.conditions));
    }
    notes
}

fn restart_events(snapshot: &Snapshot) -> Vec<Event> {
    let uid = ownership::uid(&snapshot.stored.metadata);
    let events = snapshot
        .attempts()
        .iter()
        .filter(|a| a.reason == ReplicaAttempt::PODCLIQUE_FAILED && fence::is_incomplete(a))
        .flat_map(|fence| {
            let message = format!("replica {}, {}", fence.replica, fence.message);
            let identity = termination::identity(fence, uid);
            let restart = Event::normal(events::REPLICA_RESTARTING, message).once(identity.clone());
            deletion_event(&fence.message, identity)
                .into_iter()
                .chain([restart])
        });
    events.collect()
}

/// The event of a PodClique that a user deleted; it stores no breach that would report it.
fn deletion_event(cause: &str, identity: String) -> Option<Event> {
    let (_, podclique) = cause
        .split_once(": ")
        .filter(|_| cause.ends_with(DELETED))?;
    let note = Event::warning(events::PODCLIQUE_FAILED, podclique);
    Some(note.once(identity))
}

/// The reason of giving up, and the PodCliques that failed: they stay as they are, and report it
/// themselves unless the operator was away.
fn end_events(snapshot: &Snapshot, roster: &Roster<'_>, stored: &[Condition]) -> Vec<Event> {
    let meta = &snapshot.stored.metadata;
    let failed = conditions::find(stored, ConditionType::Failed);
    let why = failed.map(|failed| {
        let reason = match failed.reason.parse() {
            Ok(Reason::MaxRuntimeExceeded) => Reason::MaxRuntimeExceeded,
            _ => Reason::MaxRestartsExceeded,
        };
        Event::warning(reason, failed.message.clone()).once(ownership::uid(meta))
    });
    let mut names: Vec<&String> = snapshot.podcliques.keys().collect();
    names.sort_unstable();
    let cliques = names
        .into_iter()
        .filter_map(|n| roster.slot_named(n).present());
    let of_cliques = cliques.filter_map(|c| {
        let set = Target::of::<PodCliqueSet>(meta);
        failure::podclique_failed_event(&c.podclique, set)
    });
    let deleted = failed.and_then(|failed| {
        let (_, last) = failed.message.split_once("would be needed: ")?;
        deletion_event(last, format!("{}/deleted", ownership::uid(meta)))
    });
    why.into_iter().chain(of_cliques).chain(deleted).collect()
}

/// The event of success; it belongs to the plan that stores it.
pub(super) fn success_event(snapshot: &Snapshot) -> Event {
    let message = "all PodCliques have done their work";
    let uid = ownership::uid(&snapshot.stored.metadata);
    Event::normal(Reason::WorkloadSucceeded, message).once(uid)
}
