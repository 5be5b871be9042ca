//! All gangs of a replica as the one tree that its scheduler places, with the existing pods (seed
//! 001; docs/semantics.md §8.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodClique, PodGang};
use domain::Pod;
use domain::gang_tree::{Finding, TreeNode, TreeVerdict};
use domain::health::training;
use domain::object::ownership;
use domain::object::pod_requests::{ResourceSum, Which};
use domain::scheduling::leaf_name;
use domain::workload::gang::clique_minimum;
use engine::Caches;

use crate::backend::tree::{self, completed_of};
use crate::gang_part::GangPart;

/// The tree of a base gang.
#[derive(Clone, Debug, Default)]
pub struct GangTree {
    /// Its requirements.
    pub root: TreeNode,
    /// The PodCliques of its leaves, by leaf name.
    pub leaves: BTreeMap<String, GangPart>,
}

/// The tree of the replica whose base gang this is; none for another gang.
pub(crate) fn observe(gang: &PodGang, caches: &Caches) -> Option<GangTree> {
    let (standalone, groups) = tree::parts_of_replica(gang, caches)?;
    let root = tree::build(ownership::name(&gang.metadata), &standalone, &groups);
    let grouped = groups.iter().flat_map(|(_, parts)| parts);
    let leaf = |c: &Arc<PodClique>| (leaf_name(&c.metadata), part_of(c, caches));
    let leaves = standalone.iter().chain(grouped).map(leaf).collect();
    Some(GangTree { root, leaves })
}

/// A PodClique with its pods that stay, listed by a gang or not.
fn part_of(podclique: &Arc<PodClique>, caches: &Caches) -> GangPart {
    let mut pods = caches.of::<Pod>().owned_by(&**podclique);
    pods.retain(|p| !p.is_terminating());
    GangPart {
        name: ownership::name(&podclique.metadata).to_owned(),
        min_replicas: clique_minimum(&podclique.spec),
        completed: training::completed(podclique, pods.iter().map(AsRef::as_ref)),
        podclique: Some(podclique.clone()),
        pods,
    }
}

impl GangTree {
    /// Whether the pods that fulfil the claim satisfy it.
    pub fn is_satisfied(&self, claim: &dyn Fn(&Pod) -> bool) -> bool {
        let tree = self.root.clone().attainable();
        tree.is_satisfied(&|leaf| self.count(leaf, claim))
    }

    /// The same in words.
    pub fn verdict(&self, claim: &dyn Fn(&Pod) -> bool) -> TreeVerdict {
        let tree = self.root.clone().attainable();
        tree.verdict(&|leaf| self.count(leaf, claim))
    }

    /// The requests of the pods that may not be preempted.
    pub fn non_preemptible_requests(&self) -> ResourceSum {
        let tree = self.root.clone().attainable();
        let core = tree.guaranteed(&|_| u32::MAX).unwrap_or_default();
        let mut sum = ResourceSum::default();
        for (leaf, pods) in core {
            let part = self.leaves.get(&leaf);
            if let Some(podclique) = part.and_then(|part| part.podclique.as_ref()) {
                let own = ResourceSum::of_pod(&podclique.spec.pod_spec, Which::Requests);
                sum.add(&own, i128::from(pods));
            }
        }
        sum
    }

    /// Its errors: it requires more than exists.
    pub fn findings(&self) -> Vec<Finding> {
        let pods = |leaf: &str| {
            let podclique = self.leaves.get(leaf)?.podclique.as_ref()?;
            u32::try_from(podclique.spec.replicas).ok()
        };
        self.root.findings(&pods)
    }

    /// Pods of a leaf that fulfil the claim. Completed pods are not required any more.
    fn count(&self, leaf: &str, claim: &dyn Fn(&Pod) -> bool) -> u32 {
        let Some(part) = self.leaves.get(leaf) else {
            return 0;
        };
        let slots = usize::try_from(part.count_slots(claim)).unwrap_or(0);
        let done = part.podclique.as_ref().map_or(0, |c| completed_of(c));
        u32::try_from(slots.saturating_sub(done)).unwrap_or(u32::MAX)
    }
}
