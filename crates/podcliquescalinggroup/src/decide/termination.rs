//! Gang termination of single group replicas (seed 000, "PodCliqueScalingGroup Level Processing").
//!
//! While enough group replicas are healthy, one whose breach has lasted for the delay is recycled
//! alone. A group that is not healthy does nothing itself: its condition delegates to the
//! PodCliqueSet.

use api::conditions::Status;
use api::{PodClique, PodCliqueScalingGroupStatus, names};
use domain::availability::{CliqueFacts, GroupFacts, GroupPart, clique_breach};
use domain::plan::{Kind, Note, Plan, Target};
use domain::termination::{self, Breach};
use domain::{fence, ownership};
use jiff::{SignedDuration, Timestamp};

use super::fence::is_of_earlier_attempt;
use crate::observe::Snapshot;
use crate::status::{Fences, is_breached};

/// Raises the fence of every group replica whose breach is due.
pub(super) fn recycle(snapshot: &Snapshot, now: Timestamp) -> Option<Fences> {
    let due = own_breaches(snapshot)
        .into_iter()
        .filter(|b| b.due() <= now);
    let before = snapshot.replica_attempts().to_vec();
    let attempts = due.fold(before, |attempts, breach| {
        fence::raise(&attempts, breach.replica, breach.cause(), now)
    });
    (attempts != snapshot.replica_attempts()).then(|| Fences::of(snapshot, attempts))
}

/// Tells what will be recycled and when, and what was.
pub(super) fn announce(
    snapshot: &Snapshot,
    now: Timestamp,
    plan: &mut Plan<PodCliqueScalingGroupStatus>,
) {
    let group = ownership::name(&snapshot.group.metadata);
    for breach in own_breaches(snapshot) {
        plan.wake(breach.due());
        let replica = format!("group replica {} of {group}", breach.replica);
        plan.notes
            .extend(about_set(snapshot, breach.scheduled(&replica)));
    }
    for attempt in snapshot.replica_attempts() {
        let remains: Vec<&PodClique> = remains(snapshot, attempt.replica).collect();
        if !termination::is_to_be_told(attempt, !remains.is_empty(), now) {
            continue;
        }
        let replica = format!("group replica {} of {group}", attempt.replica);
        let uid = ownership::uid(&snapshot.group.metadata);
        let terminated = termination::terminated(attempt, uid, &replica);
        plan.notes.extend(about_set(snapshot, terminated));
        if remains
            .iter()
            .all(|c| ownership::is_terminating(&c.metadata))
        {
            plan.notes.push(
                Note::normal(
                    "PodCliqueScalingGroupReplicaDeleteSuccessful",
                    format!("{replica}: all its PodCliques were deleted"),
                )
                .once(termination::identity(attempt, uid)),
            );
        }
    }
}

fn remains(snapshot: &Snapshot, j: i32) -> impl Iterator<Item = &PodClique> {
    let all = snapshot.podcliques.values().map(AsRef::as_ref);
    all.filter(move |c| snapshot.replica_of(c) == Some(j) && is_of_earlier_attempt(snapshot, c))
}

/// The user looks at the set.
fn about_set(snapshot: &Snapshot, note: Note) -> Option<Note> {
    let set = &snapshot.owner.as_ref()?.set.metadata;
    Some(note.about(Target::of(Kind::PodCliqueSet, set)))
}

/// The breaches that this group deals with itself, the first of each replica.
fn own_breaches(snapshot: &Snapshot) -> Vec<Breach> {
    if !snapshot.podcliques.values().any(|c| is_breached(c)) {
        return Vec::new();
    }
    let Some(delay) = delay(snapshot).filter(|_| is_healthy(snapshot)) else {
        return Vec::new();
    };
    let breaches = snapshot
        .podcliques
        .values()
        .filter_map(|c| breach(snapshot, c, delay));
    termination::first_of_each_replica(breaches.collect())
}

fn delay(snapshot: &Snapshot) -> Option<SignedDuration> {
    let owner = snapshot.owner.as_ref().filter(|o| o.may_act())?;
    termination::delay_of_group(&owner.set, snapshot.config()?)
}

fn breach(snapshot: &Snapshot, podclique: &PodClique, delay: SignedDuration) -> Option<Breach> {
    let name = ownership::name(&podclique.metadata);
    let podclique = snapshot.podclique(name)?;
    let of_live = |j: &i32| *j < snapshot.group.spec.replicas;
    let j = snapshot.replica_of(podclique).filter(of_live)?;
    let stored = &podclique.status.as_ref()?.conditions;
    let object = Target::of(Kind::PodClique, &podclique.metadata);
    Breach::confirmed(j, object, delay, stored, || {
        clique_breach(&facts(snapshot, podclique))
    })
}

fn facts(snapshot: &Snapshot, podclique: &PodClique) -> CliqueFacts {
    let pods = snapshot.pods.get(ownership::uid(&podclique.metadata));
    CliqueFacts::of(podclique, pods.into_iter().flatten().map(AsRef::as_ref))
}

/// Whether enough group replicas are healthy by what is stored *and* by what is seen: in doubt the
/// PodCliqueSet decides.
fn is_healthy(snapshot: &Snapshot) -> bool {
    let group = &snapshot.group;
    let facts = GroupFacts::of(group, snapshot.replica_attempts(), |j, clique| {
        let name = names::grouped_clique(ownership::name(&group.metadata), j, clique);
        let podclique = snapshot.podclique(&name)?;
        let is_seen = || clique_breach(&facts(snapshot, podclique)).status == Status::True;
        Some(GroupPart {
            is_breached: is_breached(podclique) || is_seen(),
            was_available: podclique.status.as_ref().is_some_and(|s| s.was_available),
        })
    });
    facts.healthy() >= facts.minimum()
}
