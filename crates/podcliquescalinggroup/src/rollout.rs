//! The progress of each group replica in an update, by PodCliques and pods (docs/semantics.md
//! §14.5).

use api::PodClique;
use api::podcliqueset::PodCliqueTemplateSpec;
use domain::object::ownership;
use domain::roster::Slot;
use domain::update;
use domain::workload::gang;
use domain::workload::layout::{self, Members};

use crate::observe::Snapshot;

/// The stage of a group replica. Old ones are replaced in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It has no PodClique: they are about to be created.
    Absent,
    /// An older template, and a PodClique of it is being deleted.
    Leaving,
    /// An older template, and a PodClique has too few pods bound to nodes.
    OldPending,
    /// An older template, and a PodClique has too few Ready pods.
    OldUnavailable,
    /// An older template, available.
    OldAvailable,
    /// The newest template, not available yet.
    NewNotReady,
    /// The newest template, available.
    Done,
}

impl Stage {
    /// Whether its PodCliques have an older template.
    pub fn is_old(self) -> bool {
        matches!(
            self,
            Self::OldPending | Self::OldUnavailable | Self::OldAvailable
        )
    }

    /// Whether all its PodCliques have their minimum of Ready pods.
    pub fn is_available(self) -> bool {
        matches!(self, Self::OldAvailable | Self::Done)
    }
}

/// The cliques of the template with the hash of their newest pods.
pub type Hashed<'a> = Vec<(&'a PodCliqueTemplateSpec, String)>;

/// All live group replicas, by index, with their stages.
pub fn survey<'a>(snapshot: &'a Snapshot, hashed: &Hashed<'_>) -> Vec<(Members<'a>, Stage)> {
    let all = layout::members_of_group(&snapshot.group);
    all.map(|members| {
        let stage = stage(snapshot, hashed, &members);
        (members, stage)
    })
    .collect()
}

/// The newest hashes of the group's cliques.
pub fn newest_hashes(snapshot: &Snapshot) -> Hashed<'_> {
    let Some(owner) = &snapshot.owner else {
        return Vec::new();
    };
    let template = &owner.set.spec.template;
    let names = &snapshot.group.spec.clique_names;
    let members = template.cliques.iter().filter(|c| names.contains(&c.name));
    owner.hash_cliques(members)
}

fn stage(snapshot: &Snapshot, hashed: &Hashed<'_>, members: &Members<'_>) -> Stage {
    let slots = members.cliques.iter();
    let found: Vec<(&str, &PodClique)> = slots
        .filter_map(|member| match snapshot.slot(&member.name) {
            Slot::Current(found) | Slot::Terminating(found) => Some((member.clique, &**found)),
            _ => None,
        })
        .collect();
    let is_any = |claim: &dyn Fn(&str, &PodClique) -> bool| found.iter().any(|(n, c)| claim(n, c));
    let is_whole = found.len() == members.cliques.len();
    if found.is_empty() {
        return Stage::Absent;
    }
    let is_any_deleted = is_any(&|_, c| ownership::is_terminating(&c.metadata));
    let is_old = is_any(&|clique, c| is_outdated(snapshot, hashed, clique, c));
    if is_old && is_any_deleted {
        return Stage::Leaving;
    }
    let is_whole = is_whole && !is_any_deleted;
    let is_up = is_whole && !is_any(&|_, c| ready(snapshot, c) < gang::clique_minimum(&c.spec));
    match (is_old, is_up) {
        (true, true) => Stage::OldAvailable,
        (true, false) if is_any(&|_, c| is_pending(snapshot, c)) => Stage::OldPending,
        (true, false) => Stage::OldUnavailable,
        (false, true) => Stage::Done,
        (false, false) => Stage::NewNotReady,
    }
}

/// Whether the PodClique or a pod of it has an older template.
pub fn is_outdated(
    snapshot: &Snapshot,
    hashed: &Hashed<'_>,
    clique: &str,
    podclique: &PodClique,
) -> bool {
    let newest = hashed
        .iter()
        .find(|(member, _)| member.name == clique)
        .map(|(_, hash)| hash.as_str());
    let pods = snapshot.staying_pods(podclique);
    update::is_podclique_outdated(&podclique.metadata, newest, pods.map(|p| &**p))
}

fn ready(snapshot: &Snapshot, podclique: &PodClique) -> i32 {
    let count = snapshot.staying_pods(podclique).filter(|p| p.is_ready());
    i32::try_from(count.count()).unwrap_or(i32::MAX)
}

fn is_pending(snapshot: &Snapshot, podclique: &PodClique) -> bool {
    let bound = snapshot
        .staying_pods(podclique)
        .filter(|p| p.is_scheduled());
    let bound = i32::try_from(bound.count()).unwrap_or(i32::MAX);
    bound < gang::clique_minimum(&podclique.spec)
}

/// How many of the group's PodCliques have the newest template throughout, and how many there are.
pub fn updated_podcliques(snapshot: &Snapshot, hashed: &Hashed<'_>) -> (i32, i32) {
    let all = || layout::members_of_group(&snapshot.group).flat_map(|m| m.cliques);
    let updated = all().filter(|member| {
        let podclique = snapshot.slot(&member.name).standing();
        podclique.is_some_and(|c| !is_outdated(snapshot, hashed, member.clique, c))
    });
    let to_i32 = |count| i32::try_from(count).unwrap_or(i32::MAX);
    (to_i32(updated.count()), to_i32(all().count()))
}
