//! One replica of a set as a tree. Only this file defines the structure and the names of its nodes.

use std::collections::BTreeMap;

use super::TreeNode;
use crate::scheduling::replica_name;

/// A scaling group: the leaves of each of its replicas, and the number of replicas that it
/// requires.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupNodes {
    /// Name of the PodCliqueScalingGroup.
    pub name: String,
    /// Its `minAvailable`.
    pub required: u32,
    /// Leaves by the index of the group replica.
    pub replicas: BTreeMap<i32, Vec<TreeNode>>,
}

impl TreeNode {
    /// All standalone cliques, and of each scaling group the number of replicas that it requires. A
    /// group replica without leaves, and a group without replicas, is scaled to zero and not in the
    /// tree.
    pub fn of_replica(
        base_gang: &str,
        standalone: impl IntoIterator<Item = Self>,
        groups: impl IntoIterator<Item = GroupNodes>,
    ) -> Self {
        let groups = groups.into_iter().filter_map(GroupNodes::into_node);
        Self::all_of(base_gang, standalone.into_iter().chain(groups).collect())
    }

    /// The tree without demands that it can never meet: no node requires more children than it has.
    /// Schedulers place no pod of a tree that requires more than it contains.
    #[must_use]
    pub fn attainable(mut self) -> Self {
        let count = u32::try_from(self.children.len()).unwrap_or(u32::MAX);
        self.min_sub_group = self.min_sub_group.map(|asked| asked.min(count));
        let children = self.children.into_iter();
        self.children = children.map(Self::attainable).collect();
        self
    }
}

impl GroupNodes {
    fn into_node(self) -> Option<TreeNode> {
        let replicas = self.replicas.into_iter();
        let replicas = replicas.filter(|(_, leaves)| !leaves.is_empty());
        let replica = |(j, leaves)| TreeNode::all_of(replica_name(&self.name, j), leaves);
        let children: Vec<TreeNode> = replicas.map(replica).collect();
        (!children.is_empty()).then(|| TreeNode::some_of(&self.name, self.required, children))
    }
}
