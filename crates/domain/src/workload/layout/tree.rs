//! One replica of a set as a tree of the pods to be placed together, existing or not.

use super::{Group, LayoutSlot, Replica};
use crate::gang_tree::{GroupNodes, TreeNode};
use crate::scheduling::grouped_leaf_name;
use crate::workload::gang;

impl<'a> Replica<'a> {
    /// The tree of the whole replica, as passed to its scheduler. `minimum` returns how many pods
    /// of a PodClique have to be placed together; none if it is scaled to zero, and then it is not
    /// in the tree.
    pub fn tree(&self, minimum: impl Fn(&LayoutSlot<'a>) -> Option<u32>) -> TreeNode {
        let standalone = self
            .standalone
            .iter()
            .filter_map(|p| Some(TreeNode::leaf(&p.name, minimum(p)?)));
        let groups = self.groups.iter().map(|g| g.nodes(&minimum));
        TreeNode::of_replica(&self.base_gang, standalone, groups)
    }
}

impl<'a> Group<'a> {
    fn nodes(&self, minimum: &impl Fn(&LayoutSlot<'a>) -> Option<u32>) -> GroupNodes {
        let leaf = |part: &LayoutSlot<'a>, j| {
            let name = grouped_leaf_name(&self.name, j, part.clique);
            Some(TreeNode::leaf(name, minimum(part)?))
        };
        let replicas = self.all_replicas().map(|replica| {
            let leaves = replica
                .cliques
                .iter()
                .filter_map(|p| leaf(p, replica.index));
            (replica.index, leaves.collect())
        });
        GroupNodes {
            name: self.name.clone(),
            required: u32::try_from(gang::group_minimum(self.config)).unwrap_or(0),
            replicas: replicas.collect(),
        }
    }
}
