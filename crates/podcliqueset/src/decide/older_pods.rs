//! Pods of standalone cliques that keep an older template than their PodClique: the PodClique notes its
//! hash (docs/semantics.md §14.8).

use std::collections::HashMap;

use api::PodClique;
use domain::update;
use domain::workload::clique::note_older;
use domain::workload::layout::{self, LayoutSlot};
use domain::workload::revision::Restored;

use crate::observe::Snapshot;

/// The templates of these pods.
pub(super) struct OlderPods<'a> {
    snapshot: &'a Snapshot,
    /// The standalone cliques with the templates of each revision.
    restored: HashMap<&'a str, Vec<Restored>>,
}

impl<'a> OlderPods<'a> {
    /// Reads the revisions that the status stores for older units.
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
        let status = snapshot.stored.status.iter();
        let entries = status.flat_map(|status| &status.replica_revisions);
        let mut restored: HashMap<&str, Vec<Restored>> = HashMap::new();
        for name in entries.filter_map(|entry| entry.older.as_deref()) {
            restored.entry(name).or_insert_with(|| {
                let cliques = layout::standalone_cliques(&snapshot.validated.set.spec.template);
                snapshot.history.revisions.restore_all(name, cliques)
            });
        }
        Self { snapshot, restored }
    }

    /// The PodClique of this slot with the hash of its older pods, if it has any.
    pub(super) fn note_in(&self, mut podclique: PodClique, part: &LayoutSlot<'_>) -> PodClique {
        if let Some(hash) = self.find(part) {
            note_older(&mut podclique, hash);
        }
        podclique
    }

    fn find(&self, part: &LayoutSlot<'_>) -> Option<&str> {
        if self.restored.is_empty() {
            return None;
        }
        let set = &self.snapshot.stored;
        let mut cliques = self.snapshot.validated.set.spec.template.cliques.iter();
        let clique = cliques.find(|clique| clique.name == part.clique)?;
        let rolling = clique.rolling_update.as_ref();
        let older = update::find_older(set, part.replica, part.clique, rolling)?;
        let mut all = self.restored.get(older.revision)?.iter();
        let found = all.find(|(template, _)| template.name == part.clique)?;
        Some(&found.1)
    }
}
