//! A part of a gang, with its pods.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::PodClique;
use domain::Pod;
use domain::health::training;

/// One part of the gang.
#[derive(Clone, Debug, Default)]
pub struct GangPart {
    /// Name of the PodClique.
    pub name: String,
    /// How many pods have to be placed together.
    pub min_replicas: i32,
    /// Listed pods that exist and stay, in the order of the list.
    pub pods: Vec<Arc<Pod>>,
    /// The PodClique, if it exists.
    pub podclique: Option<Arc<PodClique>>,
    /// Indexes whose work is done, in a training job.
    pub completed: BTreeSet<i32>,
}

impl GangPart {
    /// Indexes that fulfil the claim; completed ones count.
    pub fn count_slots(&self, claim: &dyn Fn(&Pod) -> bool) -> i32 {
        let pods = self.pods.iter().map(AsRef::as_ref);
        training::slots(self.completed.clone(), pods.filter(|p: &&Pod| claim(p)))
    }

    /// Whether the required number of indexes fulfils the claim.
    pub fn has_minimum(&self, claim: &dyn Fn(&Pod) -> bool) -> bool {
        self.count_slots(claim) >= self.min_replicas
    }
}
