//! A tree and the existing pods, in words for a condition.

use std::fmt;

use super::TreeNode;

/// A condition begins its description of a tree with this text.
pub const TREE_WORDS: &str = "; tree ";
/// The largest number of names that are listed.
const MOST: usize = 10;

/// Whether a tree is satisfied, and which of its optional parts satisfy it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeVerdict {
    /// Whether its requirements are met.
    pub is_satisfied: bool,
    /// Nodes that require only some of their children, such as scaling groups.
    pub groups: Vec<GroupVerdict>,
    /// Pods that may not be preempted (seed 001, "Semi-Preemptible Considerations").
    pub non_preemptible: u64,
}

/// A node that requires only some of its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVerdict {
    /// Its name.
    pub name: String,
    /// How many of its children have to be satisfied.
    pub required: u32,
    /// The satisfied children: numbers of replicas, or names, in natural order.
    pub satisfied: Vec<String>,
}

impl TreeNode {
    /// Judges the tree by the existing pods.
    pub fn verdict(&self, pods: &dyn Fn(&str) -> u32) -> TreeVerdict {
        let mut groups = Vec::new();
        self.add_groups(pods, &mut groups);
        TreeVerdict {
            is_satisfied: self.is_satisfied(pods),
            groups,
            non_preemptible: self.non_preemptible_pods(),
        }
    }

    fn add_groups(&self, pods: &dyn Fn(&str) -> u32, groups: &mut Vec<GroupVerdict>) {
        if self.min_sub_group.is_some() {
            let satisfied = self
                .children_in_order()
                .into_iter()
                .filter(|child| child.is_satisfied(pods));
            groups.push(GroupVerdict {
                name: self.name.clone(),
                required: self.required_children(),
                satisfied: satisfied.map(|c| self.short_name(c)).collect(),
            });
        }
        for child in &self.children {
            child.add_groups(pods, groups);
        }
    }

    /// The number of a replica: `1` of `demo-0-g-00001`, child of `demo-0-g`.
    fn short_name(&self, child: &Self) -> String {
        let rest = child.name.strip_prefix(&self.name);
        let rest = rest.and_then(|rest| rest.strip_prefix('-'));
        let number = rest.and_then(|rest| rest.parse::<u32>().ok());
        number.map_or_else(|| child.name.clone(), |number| number.to_string())
    }
}

/// "tree satisfied: 3 of 3 required (replicas 1,2,3); 24 pods non-preemptible".
impl fmt::Display for TreeVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.is_satisfied { "" } else { "not " };
        write!(f, "tree {not}satisfied")?;
        let is_alone = self.groups.len() == 1;
        for (number, group) in self.groups.iter().enumerate() {
            f.write_str(if number == 0 { ": " } else { ", " })?;
            if !is_alone {
                write!(f, "{} ", group.name)?;
            }
            write!(f, "{group}")?;
        }
        let plural = if self.non_preemptible == 1 { "" } else { "s" };
        write!(f, "; {} pod{plural} non-preemptible", self.non_preemptible)
    }
}

/// "3 of 3 required (replicas 1,2,3)".
impl fmt::Display for GroupVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<&str> = self.satisfied.iter().take(MOST).map(|n| &**n).collect();
        write!(f, "{} of {} required", self.satisfied.len(), self.required)?;
        let word = match self.satisfied.len() {
            0 => return Ok(()),
            1 => "replica",
            _ => "replicas",
        };
        let more = match self.satisfied.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        write!(f, " ({word} {}{more})", shown.join(","))
    }
}
