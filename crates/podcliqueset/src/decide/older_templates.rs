//! The templates of replicas that are not on the newest ones: a PodClique that has to be created
//! there takes those of its replica's revision (docs/semantics.md §14.8).

use std::collections::HashMap;

use domain::roster::{Roster, Slot};
use domain::update;
use domain::workload::clique::Ready;
use domain::workload::layout::{LayoutSlot, Replica};
use domain::workload::revision::Restored;

use crate::observe::Snapshot;

/// The templates of the replicas in which a standalone PodClique is missing.
#[derive(Default)]
pub(super) struct OlderTemplates {
    /// Name of the revision in force, by replica.
    revisions: HashMap<i32, String>,
    /// The templates of each revision.
    restored: HashMap<String, Vec<Restored>>,
}

impl OlderTemplates {
    pub(super) fn of(snapshot: &Snapshot, roster: &Roster<'_>) -> Self {
        let set = &snapshot.validated.set;
        let generation = snapshot.validated.generation_hash();
        let status = snapshot.stored.status.as_ref();
        let has_entries = status.is_some_and(|status| !status.replica_revisions.is_empty());
        if !has_entries && update::is_accepted(set, &generation) {
            return Self::default();
        }
        let is_incomplete = |replica: &&Replica<'_>| {
            let mut slots = replica.standalone.iter().map(|slot| roster.slot(slot));
            slots.any(|slot| matches!(slot, Slot::Empty | Slot::Leftover(_) | Slot::Foreign(_)))
        };
        let incomplete = roster.layout.replicas.iter().filter(is_incomplete);
        let revisions: HashMap<i32, String> = incomplete
            .filter_map(|replica| {
                let name = update::revision_in_force(set, &generation, replica.index)?;
                Some((replica.index, name))
            })
            .collect();
        let restore = |name: &String| {
            let cliques = &set.spec.template.cliques;
            let all = snapshot.history.revisions.restore_all(name, cliques);
            (name.clone(), all)
        };
        let restored = revisions.values().map(restore).collect();
        Self {
            revisions,
            restored,
        }
    }

    /// The template of this PodClique; `None` if it takes the newest one.
    pub(super) fn find(&self, part: &LayoutSlot<'_>) -> Option<Ready<'_>> {
        let name = self.revisions.get(&part.replica)?;
        let mut all = self.restored.get(name)?.iter();
        let found = all.find(|(template, _)| template.name == part.clique)?;
        Some(Ready::standalone((&found.0, found.1.clone())))
    }
}
