//! The progress of each replica in an update, by PodCliques and pods (docs/semantics.md §14.3).

use std::collections::HashMap;

use api::conditions::{self, ConditionType};
use api::labels;
use domain::Pod;
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster};
use domain::update;
use domain::workload::layout::{self, LayoutSlot};

/// Newest template hash of each clique, by name.
pub type Newest<'a> = HashMap<&'a str, &'a str>;

/// The progress of one replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Index of the replica.
    pub index: i32,
    /// Whether a PodClique or a pod of it has an older template.
    pub is_outdated: bool,
    /// Whether every part exists with the newest template and is Ready.
    pub is_done: bool,
    /// Whether a pod of it is bound to a node.
    pub is_scheduled: bool,
    /// Whether a part of it is below its minimum.
    pub is_breached: bool,
}

/// The progress of each replica, by index.
pub fn survey(roster: &Roster<'_>, newest: &Newest<'_>) -> Vec<Progress> {
    let replicas = roster.layout.replicas.iter();
    replicas.map(|r| progress(roster, newest, r)).collect()
}

fn progress(roster: &Roster<'_>, newest: &Newest<'_>, replica: &layout::Replica<'_>) -> Progress {
    let seen = || {
        replica
            .slots()
            .filter_map(|part| roster.slot(part).standing())
    };
    let is_any_outdated = replica.slots().any(|part| {
        let found = roster.slot(part).standing();
        found.is_some_and(|seen| is_outdated(newest, part.clique, seen))
    });
    Progress {
        index: replica.index,
        is_outdated: is_any_outdated,
        is_done: !is_any_outdated && replica.slots().all(|part| is_done(roster, newest, part)),
        is_scheduled: seen().any(|c| c.count(Pod::is_scheduled) > 0),
        is_breached: seen().any(is_breached),
    }
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

/// Whether the part exists with the newest template, and all its desired pods are Ready; in a group
/// replica, which is replaced as a whole, its minimum of pods.
fn is_done(roster: &Roster<'_>, newest: &Newest<'_>, part: &LayoutSlot<'_>) -> bool {
    let Some(seen) = roster.slot(part).standing() else {
        return false;
    };
    let wanted = match part.group {
        Some(_) => seen.minimum(),
        None => seen.podclique.spec.replicas,
    };
    let label = ownership::label(&seen.podclique.metadata, labels::POD_TEMPLATE_HASH);
    label == newest.get(part.clique).copied() && seen.count(Pod::is_ready) >= wanted
}

fn is_breached(seen: &ObservedClique) -> bool {
    let status = seen.podclique.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::MinAvailableBreached))
}
