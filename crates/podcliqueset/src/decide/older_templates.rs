//! The templates of replicas and pods on older revisions (docs/semantics.md §14.8): a PodClique to be
//! created in such a replica takes those of the replica's revision, and a PodClique whose older pods
//! stay notes the hash of theirs.

use std::collections::HashMap;

use api::PodClique;
use domain::roster::{Roster, Slot};
use domain::update;
use domain::workload::clique::{Ready, note_older};
use domain::workload::layout::{LayoutSlot, Replica};
use domain::workload::revision::Restored;

use crate::observe::Snapshot;

/// The templates of the replicas in which a standalone PodClique is missing, and of older pods.
pub(super) struct OlderTemplates<'a> {
    snapshot: &'a Snapshot,
    /// Name of the revision in force, by replica.
    revisions: HashMap<i32, String>,
    /// The templates of each revision.
    restored: HashMap<String, Vec<Restored>>,
}

impl<'a> OlderTemplates<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, roster: &Roster<'_>) -> Self {
        let mut all = Self {
            snapshot,
            revisions: HashMap::new(),
            restored: HashMap::new(),
        };
        let set = &snapshot.validated.set;
        let generation = snapshot.validated.generation_hash();
        let status = snapshot.stored.status.as_ref();
        let entries = status.map_or(&[][..], |status| &status.replica_revisions);
        if entries.is_empty() && update::is_accepted(set, &generation) {
            return all;
        }
        let is_incomplete = |replica: &&Replica<'_>| {
            let mut slots = replica.standalone.iter().map(|slot| roster.slot(slot));
            slots.any(|slot| matches!(slot, Slot::Empty | Slot::Leftover(_) | Slot::Foreign(_)))
        };
        let incomplete = roster.layout.replicas.iter().filter(is_incomplete);
        let in_force = incomplete.filter_map(|replica| {
            let name = update::revision_in_force(set, &generation, replica.index)?;
            Some((replica.index, name))
        });
        all.revisions = in_force.collect();
        let of_pods = entries.iter().filter_map(|entry| entry.older.as_ref());
        for name in all.revisions.values().chain(of_pods) {
            if !all.restored.contains_key(name) {
                let cliques = &set.spec.template.cliques;
                let restored = snapshot.history.revisions.restore_all(name, cliques);
                all.restored.insert(name.clone(), restored);
            }
        }
        all
    }

    /// The template of this PodClique; `None` if it takes the newest one.
    pub(super) fn find(&self, part: &LayoutSlot<'_>) -> Option<Ready<'_>> {
        let (template, hash) = self.restored_in(self.revisions.get(&part.replica)?, part)?;
        Some(Ready::standalone((template, hash.clone())))
    }

    /// Whether the templates of this PodClique, or of its older pods, may exist unseen.
    pub(super) fn awaits(&self, part: &LayoutSlot<'_>) -> bool {
        let set = &self.snapshot.stored;
        let mut cliques = self.snapshot.validated.set.spec.template.cliques.iter();
        let clique = cliques.find(|clique| clique.name == part.clique);
        let rolling = clique.and_then(|clique| clique.rolling_update.as_ref());
        let of_pods = update::find_older(set, part.replica, part.clique, rolling);
        let of_pods = of_pods.map(|older| older.revision);
        let in_force = self.revisions.get(&part.replica).map(String::as_str);
        let mut named = in_force.into_iter().chain(of_pods);
        named.any(|name| self.snapshot.history.revisions.awaits(name))
    }

    /// The PodClique of this slot with the hash of its older pods, if it has any.
    pub(super) fn note_in(&self, mut podclique: PodClique, part: &LayoutSlot<'_>) -> PodClique {
        if let Some(hash) = self.hash_of_older_pods(part) {
            note_older(&mut podclique, hash);
        }
        podclique
    }

    fn hash_of_older_pods(&self, part: &LayoutSlot<'_>) -> Option<&str> {
        if self.restored.is_empty() {
            return None;
        }
        let set = &self.snapshot.stored;
        let mut cliques = self.snapshot.validated.set.spec.template.cliques.iter();
        let clique = cliques.find(|clique| clique.name == part.clique)?;
        let rolling = clique.rolling_update.as_ref();
        let older = update::find_older(set, part.replica, part.clique, rolling)?;
        let (_, hash) = self.restored_in(older.revision, part)?;
        Some(hash)
    }

    fn restored_in(&self, revision: &str, part: &LayoutSlot<'_>) -> Option<&Restored> {
        let mut all = self.restored.get(revision)?.iter();
        all.find(|(template, _)| template.name == part.clique)
    }
}
