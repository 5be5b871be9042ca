//! The revisions in force (docs/semantics.md §14.8).

use std::collections::{BTreeMap, HashSet};

use api::podcliqueset::{ComponentFrom, ReplicaRevision};
use api::{PodCliqueSetStatus, labels, names};
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster, Slot};
use domain::update;
use domain::workload::hash;
use domain::workload::layout::Replica;
use domain::workload::revision::read_hashes;

use crate::observe::Snapshot;
use crate::rollout::{self, NamedComponent, Newest, Partitions};

/// Names the revision of the accepted templates, and keeps the revision of each replica that is not
/// on them: that which was accepted before, from the write that accepts other ones to the turn of
/// the replica, and from then on for its older units. `replaced` is the generation that this write
/// replaces.
pub(super) fn note_revisions(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    replaced: Option<&str>,
) {
    let revisions = &snapshot.history.revisions;
    let named = |hash: &str| Some(names::revision(snapshot.name(), hash));
    let stored = |hash| named(hash).filter(|name| revisions.find(name).is_some());
    next.current_revision = next.current_generation_hash.as_deref().and_then(stored);
    let set = &snapshot.validated.set;
    if update::is_on_delete(set) || snapshot.is_training() {
        next.replica_revisions.clear();
        return;
    }
    let accepted = next.current_generation_hash.as_deref().and_then(named);
    let before = replaced.filter(|hash| hash::is_ours(hash)).and_then(stored);
    if let Some(before) = before {
        add_missing(&mut next.replica_revisions, roster, &before);
    }
    let turn = update::turn_in(set, next).map(|turn| turn.replica_index);
    let is_over = next.update_progress.as_ref();
    let is_over = is_over.is_none_or(|progress| progress.update_ended_at.is_some());
    let is_held = update::is_held(set, &snapshot.validated.generation_hash());
    next.replica_revisions.retain_mut(|entry| {
        if !is_held && update::takes_all_at_once(set, entry.replica) {
            return false;
        }
        if turn == Some(entry.replica) {
            let is_replaced = is_older_replaced(entry, snapshot, roster);
            begin_turn(entry, is_replaced);
        }
        forget_accepted(entry, accepted.as_deref());
        let exists = entry.replica < snapshot.replicas();
        let is_needed = entry.revision.is_some() || entry.older.is_some();
        exists && !is_over && is_needed
    });
}

/// In its turn a replica is on the accepted revision, but for the units that are not replaced yet. Of two
/// earlier ones these have the older one, unless all units of that are replaced.
fn begin_turn(entry: &mut ReplicaRevision, is_replaced: bool) {
    let before = entry.revision.take();
    let older = entry.older.take().filter(|_| !is_replaced);
    entry.older = older.or(before);
    entry.from.clear();
}

/// Whether the turn of the replica has replaced all units of `older` by those of `revision`, as newer
/// templates are accepted. Units that a partition keeps may be away for a moment.
fn is_older_replaced(entry: &ReplicaRevision, snapshot: &Snapshot, roster: &Roster<'_>) -> bool {
    let template = &snapshot.validated.set.spec.template;
    let mut components = update::components_of(template);
    let may_keep = !entry.from.is_empty() || components.any(|part| part.partition() > 0);
    let Some((older, before)) = entry.older.as_ref().zip(entry.revision.as_ref()) else {
        return false;
    };
    let (older, before) = (hashes_in(snapshot, older), hashes_in(snapshot, before));
    let replica = roster.layout.replica(entry.replica);
    let slots = replica.into_iter().flat_map(Replica::slots);
    let standing = slots.filter_map(|slot| Some((slot.clique, roster.slot(slot).standing()?)));
    let standing: Vec<(&str, &ObservedClique)> = standing.collect();
    let is_of_older = |(clique, seen): &(&str, &ObservedClique)| {
        let (old, new) = (older.get(*clique), before.get(*clique));
        old.is_some_and(|hash| old != new && has_hash(seen, hash))
    };
    !may_keep && !standing.is_empty() && !standing.iter().any(is_of_older)
}

/// The template hashes in the revision of that name; none if it is gone.
fn hashes_in(snapshot: &Snapshot, name: &str) -> BTreeMap<String, String> {
    let found = snapshot.history.revisions.find(name);
    let hashes = found.map(|revision| read_hashes(revision));
    hashes.unwrap_or_default()
}

/// Whether the PodClique or a pod of it has this template hash.
fn has_hash(seen: &ObservedClique, hash: &str) -> bool {
    let pods = seen.staying().map(|pod| &pod.metadata);
    let mut all = pods.chain([&seen.podclique.metadata]);
    all.any(|meta| ownership::label(meta, labels::POD_TEMPLATE_HASH) == Some(hash))
}

fn forget_accepted(entry: &mut ReplicaRevision, accepted: Option<&str>) {
    let is_other = |name: &String| accepted != Some(name);
    entry.revision = entry.revision.take().filter(is_other);
    entry.older = entry.older.take().filter(is_other);
    if entry.older.is_none() {
        entry.from.clear();
    }
}

/// Ends the turn of a replica: stores where its older units end, which a partition or a pause keeps.
/// Without any, the replica is on the accepted revision. `accepted` has the hashes of that one, which counts
/// also while a newer template waits.
pub(super) fn end_turn(
    entries: &mut [ReplicaRevision],
    snapshot: &Snapshot,
    accepted: &Newest<'_>,
    replica: i32,
    components: &[NamedComponent],
) {
    let Some(entry) = entries.iter_mut().find(|entry| entry.replica == replica) else {
        return;
    };
    let set = &snapshot.validated.set;
    let changed = changed_since(entry.older.as_deref(), snapshot, accepted);
    let ends = components.iter().map(|component| ComponentFrom {
        component: component.name.clone(),
        from: component
            .units
            .end_of_old(Partitions::of_component(set, &component.name)),
    });
    entry.from = ends
        .filter(|end| end.from > 0 && changed.contains(&*end.component))
        .collect();
    entry.older = entry.older.take().filter(|_| !entry.from.is_empty());
}

/// The names of the cliques and groups with other templates than the newest ones in a revision that
/// replicas are on, or in that of the generation `replaced`.
pub(super) fn changed_in_force<'a>(
    entries: &[ReplicaRevision],
    replaced: Option<&str>,
    snapshot: &'a Snapshot,
) -> HashSet<&'a str> {
    let kept = entries
        .iter()
        .flat_map(|entry| [&entry.revision, &entry.older]);
    let kept = kept.flatten().cloned();
    let replaced = replaced.map(|hash| names::revision(snapshot.name(), hash));
    let hashed = rollout::hash_templates(snapshot);
    let newest = rollout::newest(&hashed);
    kept.chain(replaced)
        .filter(|name| snapshot.history.revisions.find(name).is_some())
        .flat_map(|name| changed_since(Some(&name), snapshot, &newest))
        .collect()
}

/// The names of the cliques and groups with other templates in this revision than those with the hashes
/// `newest`.
fn changed_since<'a>(
    older: Option<&str>,
    snapshot: &'a Snapshot,
    newest: &Newest<'_>,
) -> HashSet<&'a str> {
    let older = older.map(|name| hashes_in(snapshot, name));
    let older = older.unwrap_or_default();
    let template = &snapshot.validated.set.spec.template;
    let is_changed = |name: &str| older.get(name).map(String::as_str) != newest.get(name).copied();
    let names = template.cliques.iter().map(|clique| &*clique.name);
    let changed: HashSet<&str> = names.filter(|name| is_changed(name)).collect();
    update::components_of(template)
        .filter(|component| component.has_any(&changed))
        .map(|component| component.name)
        .collect()
}

/// Whether something will be created from an older revision, though nothing of it may exist now: units
/// that a partition keeps, or a replica that was terminated or deleted. `turn` is the replica in turn.
pub(super) fn awaits_older(
    entries: &[ReplicaRevision],
    turn: Option<i32>,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
) -> bool {
    let set = &snapshot.validated.set;
    let is_kept = |component: &str| Partitions::of_component(set, component) > 0;
    entries.iter().any(|entry| {
        let has_kept = || {
            let is_in_turn = turn == Some(entry.replica);
            let hashed = rollout::hash_templates(snapshot);
            let newest = rollout::newest(&hashed);
            let changed = || changed_since(entry.older.as_deref(), snapshot, &newest);
            entry.from.iter().any(|end| is_kept(&end.component))
                || (is_in_turn && changed().into_iter().any(is_kept))
        };
        (entry.older.is_some() && has_kept())
            || (entry.revision.is_some() && is_any_missing(roster, entry.replica))
    })
}

/// Whether a PodClique of the replica is missing, or goes, and will be created.
fn is_any_missing(roster: &Roster<'_>, replica: i32) -> bool {
    let replica = roster.layout.replica(replica);
    let mut slots = replica.into_iter().flat_map(Replica::slots);
    slots.any(|slot| {
        matches!(
            roster.slot(slot),
            Slot::Empty | Slot::Terminating(_) | Slot::Previous(_)
        )
    })
}

/// A replica that exists and has no revision of its own was on the accepted one until now.
fn add_missing(entries: &mut Vec<ReplicaRevision>, roster: &Roster<'_>, before: &str) {
    let exists = |replica: &&Replica<'_>| {
        let mut slots = replica.slots().map(|slot| roster.slot(slot));
        let was_terminated = roster.present_attempt(replica.index) > 0;
        was_terminated || slots.any(|slot| !matches!(slot, Slot::Empty | Slot::Foreign(_)))
    };
    for entry in entries.iter_mut().filter(|e| e.revision.is_none()) {
        entry.revision = Some(before.to_owned());
    }
    let known: HashSet<i32> = entries.iter().map(|entry| entry.replica).collect();
    let existing = roster.layout.replicas.iter().filter(exists);
    let missing = existing.filter(|replica| !known.contains(&replica.index));
    entries.extend(missing.map(|replica| ReplicaRevision {
        replica: replica.index,
        revision: Some(before.to_owned()),
        ..ReplicaRevision::default()
    }));
    entries.sort_by_key(|entry| entry.replica);
}
