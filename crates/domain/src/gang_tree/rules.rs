//! Errors in a tree (seed 001, "Validation Rules", option 2).

use std::fmt;

use super::TreeNode;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The tree can be satisfied, but it contradicts itself.
    Warning,
    /// The tree can never be satisfied, or the field has no meaning here.
    Error,
}

/// An error in a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It requires more pods than it will have below it.
    PodsTooFew {
        /// The node.
        node: String,
        /// `minMember`.
        min_member: u32,
        /// The pods that it will have below it.
        pods: u64,
    },
    /// It requires more children than it has.
    ChildrenTooFew {
        /// The node.
        node: String,
        /// `minSubGroup`.
        min_sub_group: u32,
        /// Its children.
        children: usize,
    },
    /// A leaf requires children, but it cannot have any.
    LeafWithSubGroups {
        /// The leaf.
        node: String,
    },
    /// The children that it requires have fewer pods than it requires itself.
    Inconsistent {
        /// The node.
        node: String,
        /// `minMember`.
        min_member: u32,
        /// Pods of the children that it requires.
        guaranteed: u64,
    },
}

impl Finding {
    /// The severity of this finding.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Inconsistent { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PodsTooFew {
                node,
                min_member,
                pods,
            } => write!(
                f,
                "{node}: minMember {min_member} is more than the {pods} pods below it: lower it, or \
                 raise replicas"
            ),
            Self::ChildrenTooFew {
                node,
                min_sub_group,
                children,
            } => write!(
                f,
                "{node}: minSubGroup {min_sub_group} is more than its {children} children: lower it, \
                 or add children"
            ),
            Self::LeafWithSubGroups { node } => write!(
                f,
                "{node}: minSubGroup counts children, and it has none: use minMember"
            ),
            Self::Inconsistent {
                node,
                min_member,
                guaranteed,
            } => write!(
                f,
                "{node}: minMember {min_member} is more than the {guaranteed} pods of the children \
                 that it requires: raise minSubGroup, or lower minMember"
            ),
        }
    }
}

impl TreeNode {
    /// All findings, in the order of the nodes. `pods` returns the number of pods that the leaf of
    /// this name will have; None if that is not known.
    pub fn findings(&self, pods: &dyn Fn(&str) -> Option<u32>) -> Vec<Finding> {
        let own = [
            self.find_missing_pods(pods),
            self.find_missing_children(),
            self.find_inconsistency(),
        ];
        let below = self.children.iter().flat_map(|child| child.findings(pods));
        own.into_iter().flatten().chain(below).collect()
    }

    fn find_missing_pods(&self, pods: &dyn Fn(&str) -> Option<u32>) -> Option<Finding> {
        let min_member = self.min_member?;
        let leaves = self.leaves();
        let pods: u64 = leaves
            .iter()
            .map(|leaf| pods(&leaf.name).map(u64::from))
            .sum::<Option<u64>>()?;
        (u64::from(min_member) > pods).then(|| Finding::PodsTooFew {
            node: self.name.clone(),
            min_member,
            pods,
        })
    }

    fn find_missing_children(&self) -> Option<Finding> {
        let min_sub_group = self.min_sub_group?;
        let (node, children) = (self.name.clone(), self.children.len());
        if self.is_leaf() {
            return Some(Finding::LeafWithSubGroups { node });
        }
        let is_possible = usize::try_from(min_sub_group).is_ok_and(|min| min <= children);
        (!is_possible).then_some(Finding::ChildrenTooFew {
            node,
            min_sub_group,
            children,
        })
    }

    /// A node may require fewer pods than its required children have: they are needed anyway.
    fn find_inconsistency(&self) -> Option<Finding> {
        let min_member = self.min_member.filter(|_| !self.is_leaf())?;
        self.min_sub_group?;
        let asked_for_children = Self {
            min_member: None,
            ..self.clone()
        };
        let guaranteed = asked_for_children.count_core();
        let is_possible = guaranteed > 0 && u64::from(min_member) > guaranteed;
        is_possible.then(|| Finding::Inconsistent {
            node: self.name.clone(),
            min_member,
            guaranteed,
        })
    }
}
