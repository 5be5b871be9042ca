//! The progress of each replica in an update, by PodCliques and pods (docs/semantics.md §14.3).

mod components;
mod kept;
mod units;
mod vacancies;

use std::collections::{HashMap, HashSet};

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{labels, names};
use domain::Pod;
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster};
use domain::update::{self, Age};
use domain::workload::layout;
use domain::workload::revision::read_hashes;
use jiff::Timestamp;

use crate::observe::Snapshot;
pub use components::{NamedComponent, Turn};
pub use kept::Partitions;
pub use vacancies::next_vacancies;

/// Newest template hash of each clique, by name.
pub type Newest<'a> = HashMap<&'a str, &'a str>;

/// The cliques of the template with the hash of their newest pods.
pub type Hashed<'a> = Vec<(&'a PodCliqueTemplateSpec, String)>;

/// The newest hashes of the set's cliques.
pub fn hash_templates(snapshot: &Snapshot) -> Hashed<'_> {
    let cliques = &snapshot.validated.set.spec.template.cliques;
    snapshot.validated.hash_cliques(cliques)
}

/// The same of the accepted templates, if their revision is known: newer ones may wait for a check, or for
/// the end of a pause.
pub fn hash_accepted<'a>(snapshot: &'a Snapshot, accepted: Option<&str>) -> Hashed<'a> {
    let mut hashed = hash_templates(snapshot);
    let newest = snapshot.validated.generation_hash();
    let older = accepted.filter(|accepted| *accepted != newest);
    let name = older.map(|older| names::revision(snapshot.name(), older));
    let found = name.and_then(|name| snapshot.history.revisions.find(&name));
    let kept = found.map(|revision| read_hashes(revision));
    let kept = kept.unwrap_or_default();
    for (clique, hash) in &mut hashed {
        if let Some(own) = kept.get(&clique.name) {
            hash.clone_from(own);
        }
    }
    hashed
}

/// The same by name.
pub fn newest<'a>(hashed: &'a Hashed<'_>) -> Newest<'a> {
    let named = |(clique, hash): &'a (&PodCliqueTemplateSpec, String)| (&*clique.name, &**hash);
    hashed.iter().map(named).collect()
}

/// The progress of one replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Index of the replica.
    pub index: i32,
    /// Whether a PodClique or a pod of it has an older template that the update replaces.
    pub is_outdated: bool,
    /// Whether a partition keeps the older template of a group replica or a pod of it.
    pub is_kept: bool,
    /// Whether a PodClique of a changed clique has the newest template.
    pub is_begun: bool,
    /// Whether a clique or group of it stores the numbers of a turn that has not ended.
    pub is_open: bool,
    /// Whether a pod of it is bound to a node.
    pub is_scheduled: bool,
    /// Whether a part of it is below its minimum.
    pub is_breached: bool,
}

/// The progress of each replica, by index.
pub fn survey(snapshot: &Snapshot, roster: &Roster<'_>, newest: &Newest<'_>) -> Vec<Progress> {
    let partitions = Partitions::of(&snapshot.validated.set);
    let replicas = roster.layout.replicas.iter();
    let mut all: Vec<Progress> = replicas
        .map(|replica| progress(roster, newest, &partitions, replica))
        .collect();
    if all.iter().any(|replica| replica.is_outdated) {
        let changed = changed_cliques(roster, newest);
        for (progress, replica) in all.iter_mut().zip(&roster.layout.replicas) {
            progress.is_begun = is_begun(roster, newest, &changed, replica);
        }
    }
    all
}

/// The indexes of the replicas that are available for an update: for a minute after the end of a
/// container its pod does not count, as it may crash again.
pub fn available_replicas(roster: &Roster<'_>, now: Timestamp) -> HashSet<i32> {
    let counts = |pod: &Pod| update::counts_from(pod).is_some_and(|at| at <= now);
    let has_enough = |part: &ObservedClique| part.count(counts) >= part.minimum();
    let replicas = roster.layout.replicas.iter();
    replicas
        .filter(|replica| roster.has_its_minimum(replica, has_enough))
        .map(|replica| replica.index)
        .collect()
}

/// When another replica may become available if nothing happens.
pub fn next_available_at(roster: &Roster<'_>, now: Timestamp) -> Option<Timestamp> {
    let slots = roster.layout.slots();
    slots
        .filter_map(|slot| roster.slot(slot).standing())
        .flat_map(ObservedClique::staying)
        .filter_map(|pod| update::counts_from(pod))
        .filter(|at| *at > now)
        .min()
}

/// When the update of a clique or group of the set last made progress or ended, as they store it.
pub fn last_step(snapshot: &Snapshot) -> Option<Timestamp> {
    let cliques = snapshot.podcliques.values().filter_map(|seen| {
        let progress = seen.podclique.status.as_ref()?.update_progress.as_ref()?;
        Some([&progress.last_progress_time, &progress.update_ended_at])
    });
    let groups = snapshot.children.groups.iter().filter_map(|group| {
        let progress = group.status.as_ref()?.update_progress.as_ref()?;
        Some([&progress.last_progress_time, &progress.update_ended_at])
    });
    let steps = cliques.chain(groups).flatten().flatten();
    steps.map(|at| at.0).max()
}

/// Whether a PodClique of a changed clique has the newest template.
fn is_begun(
    roster: &Roster<'_>,
    newest: &Newest<'_>,
    changed: &HashSet<&str>,
    replica: &layout::Replica<'_>,
) -> bool {
    replica
        .slots()
        .filter(|slot| changed.contains(slot.clique))
        .filter_map(|slot| Some((slot, roster.slot(slot).standing()?)))
        .any(|(slot, seen)| {
            let label = ownership::label(&seen.podclique.metadata, labels::POD_TEMPLATE_HASH);
            label.is_some() && label == newest.get(slot.clique).copied()
        })
}

/// The cliques of which some PodClique or pod has an older template.
pub fn changed_cliques<'a>(roster: &'a Roster<'_>, newest: &Newest<'_>) -> HashSet<&'a str> {
    let slots = roster.layout.slots();
    slots
        .filter(|slot| {
            let seen = roster.slot(slot).standing();
            seen.is_some_and(|seen| is_outdated(newest, slot.clique, seen))
        })
        .map(|slot| slot.clique)
        .collect()
}

fn progress(
    roster: &Roster<'_>,
    newest: &Newest<'_>,
    partitions: &Partitions<'_>,
    replica: &layout::Replica<'_>,
) -> Progress {
    let seen = || {
        replica
            .slots()
            .filter_map(|part| Some((part, roster.slot(part).standing()?)))
    };
    let ages: Vec<Age> = seen()
        .map(|(part, c)| partitions.age(newest, part, c))
        .collect();
    Progress {
        index: replica.index,
        is_outdated: ages.contains(&Age::Old),
        is_kept: ages.contains(&Age::Kept),
        is_begun: false,
        is_open: has_open_record(roster, replica),
        is_scheduled: seen().any(|(_, c)| c.count(Pod::is_scheduled) > 0),
        is_breached: seen().any(|(_, c)| is_breached(c)),
    }
}

/// Whether a clique or group of the replica stores the numbers of a turn that has not ended: a pause
/// took the turn away, and these numbers hold in the next turn.
fn has_open_record(roster: &Roster<'_>, replica: &layout::Replica<'_>) -> bool {
    let cliques = replica.standalone.iter().filter_map(|slot| {
        let podclique = &roster.slot(slot).standing()?.podclique;
        let record = podclique.status.as_ref()?.update_progress.as_ref()?;
        Some((record.reached, record.update_ended_at.is_some()))
    });
    let groups = replica.groups.iter().filter_map(|group| {
        let status = roster.group(&group.name)?.status.as_ref()?;
        let record = status.update_progress.as_ref()?;
        Some((record.reached, record.update_ended_at.is_some()))
    });
    let mut records = cliques.chain(groups);
    records.any(|(reached, has_ended)| reached.is_some() && !has_ended)
}

/// Whether the PodClique or a pod of it has an older template.
pub fn is_outdated(newest: &Newest<'_>, clique: &str, seen: &ObservedClique) -> bool {
    let newest = newest.get(clique).copied();
    update::is_podclique_outdated(
        &seen.podclique.metadata,
        newest,
        seen.staying().map(AsRef::as_ref),
    )
}

fn is_breached(seen: &ObservedClique) -> bool {
    let status = seen.podclique.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::MinAvailableBreached))
}
