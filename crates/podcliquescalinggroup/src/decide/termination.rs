//! Gang termination of single group replicas (docs/semantics.md §3.2).
//!
//! While enough group replicas are healthy, one whose breach has lasted for the delay is terminated
//! alone. A group that is not healthy does nothing itself: the PodCliqueSet acts on its condition.

use std::collections::HashSet;

use api::conditions::Status;
use api::{PodClique, PodCliqueSet, events, names};
use domain::health::availability::{
    CliqueFacts, GroupFacts, GroupPart, StoredBreach, clique_breach,
};
use domain::health::culprit::blame;
use domain::health::fence;
use domain::health::termination::{self, Breach};
use domain::object::ownership;
use domain::plan::{Event, Target};
use domain::roster::Slot;
use jiff::{SignedDuration, Timestamp};

use super::fence::previous;
use crate::observe::{Snapshot, is_breached};
use crate::status::{self, Fences};

/// If a termination is due by the stored status but not by the observed pods, the controller
/// decides again after this time. That lasts only until the PodClique's controller has written its
/// observation.
const RECHECK: SignedDuration = SignedDuration::from_secs(1);

/// Raises the attempt of every group replica whose breach is due. Not while the observed pods may
/// be older than a lost watch: the breach may be over (decision 111).
pub(super) fn terminate_group_replicas(snapshot: &Snapshot, now: Timestamp) -> Option<Fences> {
    let mut due = own_breaches(snapshot);
    due.retain(|breach| breach.due() <= now);
    if due.is_empty() || snapshot.is_view_outdated {
        return None;
    }
    let causes = due.iter().map(|b| (b.replica, b.cause()));
    let mut attempts = fence::begin_group_attempts(snapshot.replica_attempts(), causes, now);
    let blamed = due
        .iter()
        .filter_map(|b| Some((b.replica, b.blamed.as_ref()?.to_record()?)));
    fence::note_causes(&mut attempts, blamed);
    Some(Fences::of(snapshot, attempts))
}

/// Group replicas that have a PodClique without a controller: it is adopted first. Terminated
/// before its adoption it would become a leftover, and its pods with it (decision 71).
fn being_adopted(snapshot: &Snapshot) -> HashSet<i32> {
    let slots = snapshot.filled_slots();
    let orphans = slots.filter(|(_, slot)| matches!(slot, Slot::Orphan(_)));
    orphans
        .map(|(j, _)| j)
        .filter(|j| *j < snapshot.group.spec.replicas)
        .collect()
}

/// When the next breach is due.
pub(super) fn wake_at(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    let earliest = now.saturating_add(RECHECK).unwrap_or(Timestamp::MAX);
    stored_dues(snapshot)
        .into_iter()
        .map(|due| due.max(earliest))
        .min()
}

/// The events that announce the coming terminations of group replicas, with their times.
pub(super) fn scheduled_events(snapshot: &Snapshot) -> Vec<Event> {
    let group = ownership::name(&snapshot.group.metadata);
    let events = own_breaches(snapshot).into_iter().filter_map(|breach| {
        let replica = format!("group replica {} of {group}", breach.replica);
        about_set(snapshot, breach.scheduled_event(&replica))
    });
    events.collect()
}

/// The events of group replicas that were terminated and are not complete again.
pub(super) fn terminated_events(snapshot: &Snapshot) -> Vec<Event> {
    let group = ownership::name(&snapshot.group.metadata);
    let uid = ownership::uid(&snapshot.group.metadata);
    let attempts = snapshot.replica_attempts().iter();
    let mut due = attempts.filter(|a| termination::needs_events(a)).peekable();
    if due.peek().is_none() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    let staying = replicas_to_delete(snapshot);
    for attempt in due {
        let replica = format!("group replica {} of {group}", attempt.replica);
        let terminated = termination::terminated_event(attempt, uid, &replica);
        notes.extend(about_set(snapshot, terminated));
        if !staying.contains(&attempt.replica) {
            let message = format!("{replica}: all its PodCliques were deleted");
            let identity = termination::identity(attempt, uid);
            let deleted = Event::normal(events::GROUP_REPLICA_DELETED, message).once(identity);
            notes.extend(about_set(snapshot, deleted));
        }
    }
    notes
}

/// Group replicas with a PodClique of an earlier attempt that is not terminating yet.
fn replicas_to_delete(snapshot: &Snapshot) -> HashSet<i32> {
    previous(snapshot)
        .filter(|(_, c)| !ownership::is_terminating(&c.metadata))
        .map(|(j, _)| j)
        .collect()
}

/// Users look for events at the set.
fn about_set(snapshot: &Snapshot, note: Event) -> Option<Event> {
    let set = &snapshot.owner.as_ref()?.set.metadata;
    Some(note.about(Target::of::<PodCliqueSet>(set)))
}

/// The breaches that this group acts on itself, the first of each replica. Replicas with an object
/// to adopt are left out; the adoption triggers the group.
fn own_breaches(snapshot: &Snapshot) -> Vec<Breach> {
    if snapshot.is_suspended() || !snapshot.podcliques.values().any(|c| is_breached(c)) {
        return Vec::new();
    }
    let Some(delay) = delay_of(snapshot).filter(|_| is_healthy(snapshot)) else {
        return Vec::new();
    };
    let being_adopted = being_adopted(snapshot);
    let breaches = standing(snapshot)
        .filter_map(|(j, c)| confirm_breach(snapshot, j, c, delay))
        .filter(|breach| !being_adopted.contains(&breach.replica));
    termination::first_of_each_replica(breaches.collect())
}

/// When the stored breaches are due, whatever the pods show now. The pods may be Ready for a moment
/// and fail again before their PodClique has written it: then its status does not change, and no
/// event would trigger the group (decision 54).
fn stored_dues(snapshot: &Snapshot) -> Vec<Timestamp> {
    let may_be_due = !snapshot.is_suspended() && is_stored_healthy(snapshot);
    let Some(delay) = delay_of(snapshot).filter(|_| may_be_due) else {
        return Vec::new();
    };
    let all = standing(snapshot);
    all.filter_map(|(_, podclique)| {
        let since = StoredBreach::from(podclique.status.as_ref()?).since()?;
        Some(termination::due(since.max(snapshot.breaches_from()), delay))
    })
    .collect()
}

/// The PodCliques that count, with the index of their group replica.
fn standing(snapshot: &Snapshot) -> impl Iterator<Item = (i32, &PodClique)> {
    let slots = snapshot.filled_slots();
    let wanted = slots.filter(|(j, _)| *j < snapshot.group.spec.replicas);
    wanted.filter_map(|(j, slot)| Some((j, &**slot.standing()?)))
}

fn delay_of(snapshot: &Snapshot) -> Option<SignedDuration> {
    let owner = snapshot.owner.as_ref().filter(|o| o.may_act())?;
    termination::delay_of_group(&owner.set, snapshot.config()?)
}

fn confirm_breach(
    snapshot: &Snapshot,
    j: i32,
    podclique: &PodClique,
    delay: SignedDuration,
) -> Option<Breach> {
    let stored = podclique.status.as_ref()?.into();
    let object = Target::of::<PodClique>(&podclique.metadata);
    let breach = Breach::confirmed(j, object, delay, stored, || {
        clique_breach(&facts_of(snapshot, podclique))
    })?;
    let group = ownership::name(&snapshot.group.metadata);
    let parts = names::parts_of_grouped_clique(group, ownership::name(&podclique.metadata));
    let facts = parts.map(|(_, clique)| (clique, facts_of(snapshot, podclique)));
    Some(
        breach
            .not_before(snapshot.breaches_from())
            .blamed_on(blame(facts.into_iter())),
    )
}

fn facts_of(snapshot: &Snapshot, podclique: &PodClique) -> CliqueFacts {
    let pods = snapshot.pods.get(ownership::uid(&podclique.metadata));
    CliqueFacts::of(podclique, pods.into_iter().flatten().map(AsRef::as_ref))
        .in_update(snapshot.is_updating())
}

/// Whether enough group replicas are healthy by the stored statuses *and* by the observed pods; if
/// these disagree the PodCliqueSet acts.
fn is_healthy(snapshot: &Snapshot) -> bool {
    let is_breached = |c: &PodClique| clique_breach(&facts_of(snapshot, c)).status == Status::True;
    let is_seen = |name: &str| {
        let podclique = snapshot.slot(name).standing();
        podclique.is_some_and(|c| is_breached(c))
    };
    let surge = status::count_serving_surge(snapshot, |podclique| !is_breached(podclique));
    let facts = GroupFacts::of(
        &snapshot.group,
        snapshot.replica_attempts(),
        surge,
        |member| {
            let stored = status::stored_part(snapshot, member)?;
            Some(GroupPart {
                is_breached: stored.is_breached || is_seen(&member.name),
                ..stored
            })
        },
    );
    facts.healthy() >= facts.minimum()
}

/// Whether enough group replicas are healthy by the stored statuses.
fn is_stored_healthy(snapshot: &Snapshot) -> bool {
    let attempts = snapshot.replica_attempts();
    let surge = status::count_serving_surge(snapshot, |_| true);
    let facts = GroupFacts::of(&snapshot.group, attempts, surge, |member| {
        status::stored_part(snapshot, member)
    });
    facts.healthy() >= facts.minimum()
}
