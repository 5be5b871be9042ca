//! A PodClique of a set, as the set sees it.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::PodClique;
use domain::Pod;
use domain::health::availability::CliqueFacts;
use domain::health::training;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use engine::Caches;

/// A PodClique and its pods.
#[derive(Clone, Debug, Default)]
pub struct ObservedClique {
    /// The PodClique.
    pub podclique: Arc<PodClique>,
    /// Its pods, by index; pods belong to a PodClique by the owner's uid only.
    pub pods: Vec<Arc<Pod>>,
    /// Pods that failed or were taken away and are gone, while their slots are empty.
    pub lost: Vec<Arc<Pod>>,
}

impl ObservedClique {
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

    /// How many slots hold a pod that stays and fulfils the claim, or need none any more because
    /// their work is done.
    pub fn count_or_done(&self, claim: impl Fn(&Pod) -> bool) -> i32 {
        let pods = self.staying().map(AsRef::as_ref);
        training::slots(self.completed(), pods.filter(|p: &&Pod| claim(p)))
    }

    /// Slots whose work is done; none but in a training job.
    pub fn completed(&self) -> BTreeSet<i32> {
        training::completed(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// What its breach depends on.
    pub fn facts(&self) -> CliqueFacts {
        CliqueFacts::of(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// The minimum of pods: never more than `spec.replicas`.
    pub fn minimum(&self) -> i32 {
        domain::workload::gang::clique_minimum(&self.podclique.spec)
    }
}

/// Reads its pods, and names it.
pub(super) fn observe_clique(
    podclique: Arc<PodClique>,
    caches: &Caches,
) -> (String, ObservedClique) {
    let mut pods = caches.of::<Pod>().owned_by(&*podclique);
    // Pods without an index were created by hand.
    pods.retain(|p| p.index().is_some());
    domain::object::pod::sort_pods(&mut pods);
    let lost = caches
        .slot_history
        .lost_beside(ownership::uid(&podclique.metadata), &pods);
    (
        ownership::name(&podclique.metadata).to_owned(),
        ObservedClique {
            podclique,
            pods,
            lost,
        },
    )
}
