//! One replica of a set as a tree of the pods to be placed together, as far as it exists.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodGang, labels, names};
use domain::Key;
use domain::gang_tree::{GroupNodes, TreeNode};
use domain::health::training;
use domain::object::ownership;
use domain::scheduling::leaf_name;
use domain::workload::gang::clique_minimum;
use engine::Caches;

use super::kai::{self, NodeConstraints};
use super::surplus;
use crate::slots;

/// A scaling group with its PodCliques.
pub type GroupParts = (Arc<PodCliqueScalingGroup>, Vec<Arc<PodClique>>);

/// The tree of the replica whose base gang this is, with the topology constraints of its nodes; none
/// for another gang.
pub(super) fn observe(gang: &PodGang, caches: &Caches) -> Option<(TreeNode, NodeConstraints)> {
    let (standalone, groups) = parts_of_replica(gang, caches)?;
    let groups: Vec<GroupParts> = groups
        .into_iter()
        .map(|group| surplus::leave_out_waiting(group, caches))
        .collect();
    let tree = build(ownership::name(&gang.metadata), &standalone, &groups);
    let constraints = kai::find_of_tree(gang, &standalone, &groups, caches);
    Some((tree, constraints))
}

/// Standalone cliques and scaling groups of the replica whose base gang this is; none for another
/// gang.
pub(crate) fn parts_of_replica(
    gang: &PodGang,
    caches: &Caches,
) -> Option<(Vec<Arc<PodClique>>, Vec<GroupParts>)> {
    let set = ownership::label(&gang.metadata, labels::PART_OF)?;
    let replica = names::replica_of_base_gang(set, ownership::name(&gang.metadata))?;
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let key = Key::new(namespace, set);
    let mut standalone = caches.of::<PodClique>().part_of(&key);
    standalone.retain(|c| {
        let is_grouped = ownership::label(&c.metadata, labels::SCALING_GROUP).is_some();
        let is_in_replica = ownership::replica_in(set, &c.metadata) == Some(replica);
        !is_grouped && is_in_replica && slots::is_of_set(gang, &c.metadata, caches)
    });
    let mut groups = caches.of::<PodCliqueScalingGroup>().part_of(&key);
    groups.retain(|g| {
        let is_in_replica = ownership::replica_in(set, &g.metadata) == Some(replica);
        is_in_replica && slots::is_group_of_set(gang, g)
    });
    let cliques = caches.of::<PodClique>();
    let groups = groups.into_iter().map(|g| {
        let parts = cliques.owned_by(&*g);
        (g, parts)
    });
    Some((standalone, groups.collect()))
}

/// All standalone cliques, and of each group the number of replicas that it requires. Cliques that
/// are scaled to zero or terminating are left out.
pub fn build(base: &str, standalone: &[Arc<PodClique>], groups: &[GroupParts]) -> TreeNode {
    let leaves = standalone.iter().filter_map(|c| leaf(c));
    let groups = groups.iter().map(|(g, parts)| nodes_of(g, parts));
    TreeNode::of_replica(base, leaves, groups)
}

fn nodes_of(group: &PodCliqueScalingGroup, parts: &[Arc<PodClique>]) -> GroupNodes {
    let name = ownership::name(&group.metadata);
    let mut replicas: BTreeMap<i32, Vec<TreeNode>> = BTreeMap::new();
    for part in parts {
        let replica = ownership::group_replica_in(name, &part.metadata);
        if let (Some(replica), Some(leaf)) = (replica, leaf(part)) {
            replicas.entry(replica).or_default().push(leaf);
        }
    }
    GroupNodes {
        name: name.to_owned(),
        required: u32::try_from(group.spec.min_available.unwrap_or(1)).unwrap_or(0),
        replicas,
    }
}

fn leaf(podclique: &PodClique) -> Option<TreeNode> {
    let minimum = usize::try_from(clique_minimum(&podclique.spec)).unwrap_or(0);
    let minimum = minimum.saturating_sub(completed_of(podclique));
    let minimum = u32::try_from(minimum).unwrap_or(0);
    let is_there = minimum > 0 && !ownership::is_terminating(&podclique.metadata);
    is_there.then(|| TreeNode::leaf(leaf_name(&podclique.metadata), minimum))
}

/// Indexes whose work is done, by its status.
pub(crate) fn completed_of(podclique: &PodClique) -> usize {
    training::completed(podclique, std::iter::empty()).len()
}
