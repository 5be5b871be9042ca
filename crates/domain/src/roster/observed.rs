//! A PodClique as it was found, with its pods.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::PodClique;

use crate::health::availability::CliqueFacts;
use crate::health::training;
use crate::object::attempt::Attempt;
use crate::object::ownership;
use crate::object::pod::Pod;
use crate::workload::gang;

/// A PodClique and its pods.
#[derive(Clone, Debug, Default)]
pub struct ObservedClique {
    /// The PodClique.
    pub podclique: Arc<PodClique>,
    /// Its pods, by index; pods belong to a PodClique by the owner's uid only.
    pub pods: Vec<Arc<Pod>>,
    /// Pods that failed or were taken away and are gone, while their indexes are empty.
    pub lost: Vec<Arc<Pod>>,
}

impl ObservedClique {
    /// Name of the PodClique.
    pub fn name(&self) -> &str {
        ownership::name(&self.podclique.metadata)
    }

    /// Whether the PodClique is terminating.
    pub fn is_terminating(&self) -> bool {
        ownership::is_terminating(&self.podclique.metadata)
    }

    /// The attempt it was created in.
    pub fn attempt(&self) -> Attempt {
        Attempt::of(&self.podclique.metadata)
    }

    /// Pods that stay.
    pub fn staying(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.pods.iter().filter(|p| !p.is_terminating())
    }

    /// How many pods that stay fulfil the claim.
    pub fn count(&self, claim: impl Fn(&Pod) -> bool) -> i32 {
        i32::try_from(self.staying().filter(|p| claim(p)).count()).unwrap_or(i32::MAX)
    }

    /// How many indexes have a pod that stays and fulfils the claim, or need none any more because
    /// their work is done.
    pub fn count_or_done(&self, claim: impl Fn(&Pod) -> bool) -> i32 {
        let pods = self.staying().map(AsRef::as_ref);
        training::slots(self.completed(), pods.filter(|p: &&Pod| claim(p)))
    }

    /// Indexes whose work is done; none but in a training job.
    pub fn completed(&self) -> BTreeSet<i32> {
        training::completed(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// Whether the work of all indexes is done, stored or not.
    pub fn is_done(&self) -> bool {
        training::is_done(&self.podclique, &self.completed())
    }

    /// The inputs of its breach condition.
    pub fn facts(&self) -> CliqueFacts {
        CliqueFacts::of(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// How many of its pods are Ready, done, or about to be done.
    pub fn count_ready(&self) -> i32 {
        self.counts().ready
    }

    /// The inputs of its breach condition without the pod to blame.
    pub(super) fn counts(&self) -> CliqueFacts {
        CliqueFacts::counted(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// The minimum of pods: never more than `spec.replicas`.
    pub fn minimum(&self) -> i32 {
        gang::clique_minimum(&self.podclique.spec)
    }

    /// Whether its minimum of pods is Ready, or done.
    pub fn is_up(&self) -> bool {
        self.count_ready() >= self.minimum()
    }

    /// Whether its replicas are scaled to 0.
    pub fn is_scaled_to_zero(&self) -> bool {
        self.podclique.spec.replicas <= 0
    }
}
