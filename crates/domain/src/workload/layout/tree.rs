//! One replica of a set as a tree of what has to be placed together.

use super::{Group, GroupReplica, Part, Replica};
use crate::gang_tree::TreeNode;
use crate::workload::gang;

impl<'a> Replica<'a> {
    /// The tree of the whole replica: all standalone cliques, and of each scaling group so many
    /// replicas as it requires. `minimum` returns how many pods of a PodClique have to be placed
    /// together; none if it is idle, and then it is not in the tree.
    pub fn tree(&self, minimum: impl Fn(&Part<'a>) -> Option<u32>) -> TreeNode {
        let standalone = leaves(&self.standalone, &minimum);
        let groups = self.groups.iter().filter_map(|g| g.tree(&minimum));
        let children = standalone.into_iter().chain(groups);
        TreeNode::all_of(&self.base_gang, children.collect())
    }
}

impl<'a> Group<'a> {
    fn tree(&self, minimum: &impl Fn(&Part<'a>) -> Option<u32>) -> Option<TreeNode> {
        let replicas = self.replicas.iter();
        let children: Vec<TreeNode> = replicas
            .filter_map(|r| self.replica_tree(r, minimum))
            .collect();
        let required = u32::try_from(gang::group_minimum(self.config)).unwrap_or(0);
        let required = required.min(u32::try_from(children.len()).unwrap_or(u32::MAX));
        (!children.is_empty()).then(|| TreeNode::some_of(&self.name, required, children))
    }

    fn replica_tree(
        &self,
        replica: &GroupReplica<'a>,
        minimum: &impl Fn(&Part<'a>) -> Option<u32>,
    ) -> Option<TreeNode> {
        let children = leaves(&replica.cliques, minimum);
        let name = format!("{}-{}", self.name, replica.index);
        (!children.is_empty()).then(|| TreeNode::all_of(name, children))
    }
}

fn leaves<'a>(parts: &[Part<'a>], minimum: &impl Fn(&Part<'a>) -> Option<u32>) -> Vec<TreeNode> {
    let leaf = |part: &Part<'a>| Some(TreeNode::leaf(&part.name, minimum(part)?));
    parts.iter().filter_map(leaf).collect()
}
