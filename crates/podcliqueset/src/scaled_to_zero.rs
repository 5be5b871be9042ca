//! The PodCliques without pods: they are scaled to zero, or will be created so.

use std::collections::HashMap;

use api::podcliqueset::LiveReplicas;
use domain::health::fence;
use domain::roster::Roster;
use domain::workload::layout::LayoutSlot;

use crate::observe::Snapshot;

/// The set of these PodCliques.
pub struct ScaledToZero<'a> {
    roster: &'a Roster<'a>,
    remembered: &'a [LiveReplicas],
    /// Cliques by their replicas in the template.
    counts: HashMap<&'a str, i32>,
}

impl<'a> ScaledToZero<'a> {
    /// Collects those of a set.
    pub fn of(snapshot: &'a Snapshot, roster: &'a Roster<'a>) -> Self {
        let cliques = &snapshot.validated.set.spec.template.cliques;
        let counts = cliques.iter().map(|c| (c.name.as_str(), c.spec.replicas));
        Self {
            counts: counts.collect(),
            remembered: snapshot.live_replicas(),
            roster,
        }
    }

    /// Whether the part is one of them.
    pub fn contains(&self, part: &LayoutSlot<'_>) -> bool {
        let live = self.roster.slot(part).standing();
        live.map_or_else(|| self.count_to_create(part), |c| c.podclique.spec.replicas) <= 0
    }

    fn count_to_create(&self, part: &LayoutSlot<'_>) -> i32 {
        let template = self.counts.get(part.clique).copied().unwrap_or(1);
        if part.group.is_some() {
            return template;
        }
        fence::count_to_create(self.remembered, part.replica, part.clique, template).replicas
    }
}
