//! One replica of a set as a tree: the only place that says how its parts hang together and what
//! they are called.

use std::collections::BTreeMap;

use super::TreeNode;
use crate::scheduling::replica_name;

/// A scaling group: leaves of each of its replicas, and how many replicas it requires.
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
    /// All standalone cliques, and of each scaling group so many replicas as it requires. A group
    /// replica without leaves, and a group without replicas, is idle and not in the tree.
    pub fn of_replica(
        base_gang: &str,
        standalone: impl IntoIterator<Item = Self>,
        groups: impl IntoIterator<Item = GroupNodes>,
    ) -> Self {
        let groups = groups.into_iter().filter_map(GroupNodes::into_node);
        Self::all_of(base_gang, standalone.into_iter().chain(groups).collect())
    }

    /// The tree without demands that it can never meet: no node asks for more children than it has.
    /// Schedulers place nothing of a tree that asks for more than there is.
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
