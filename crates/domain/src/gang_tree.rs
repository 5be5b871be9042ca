//! The pods that have to be placed together, as a tree, for schedulers that know such trees (seed
//! 001, option 2; docs/semantics.md §8).
//!
//! A leaf is a number of equal pods; an inner node requires a number of its children, a number of
//! pods below it, or both. `satisfaction` judges a tree by the existing pods, `guaranteed` finds
//! its core, `rules` finds its errors, `verdict` describes the results in words; `replica` builds
//! the tree of one replica of a set, `flat` reads and writes a tree as a list with the names of
//! parents.

mod flat;
mod guaranteed;
mod order;
mod replica;
mod rules;
mod satisfaction;
mod verdict;

pub use flat::{ListError, SubGroup};
pub use guaranteed::Guaranteed;
pub use order::compare_names;
pub use replica::GroupNodes;
pub use rules::{Finding, Severity};
pub use verdict::{GroupVerdict, TREE_WORDS, TreeVerdict};

/// A node of the tree with everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// Its name, unique in the tree; the root has the name of the gang.
    pub name: String,
    /// The least number of pods below it. A leaf without it requires none.
    pub min_member: Option<u32>,
    /// The least number of its children that are satisfied; all of them if unset.
    pub min_sub_group: Option<u32>,
    /// Its children; a leaf has none.
    pub children: Vec<TreeNode>,
}

impl TreeNode {
    /// A leaf of this many equal pods.
    pub fn leaf(name: impl Into<String>, min_member: u32) -> Self {
        Self {
            name: name.into(),
            min_member: Some(min_member),
            ..Self::default()
        }
    }

    /// A node that requires all of its children.
    pub fn all_of(name: impl Into<String>, children: Vec<Self>) -> Self {
        Self {
            name: name.into(),
            children,
            ..Self::default()
        }
    }

    /// A node that requires this many of its children.
    pub fn some_of(name: impl Into<String>, min_sub_group: u32, children: Vec<Self>) -> Self {
        Self {
            min_sub_group: Some(min_sub_group),
            ..Self::all_of(name, children)
        }
    }

    /// Whether it has pods of its own.
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    /// The leaves below it, or itself, in the order of the tree.
    pub fn leaves(&self) -> Vec<&Self> {
        if self.is_leaf() {
            return vec![self];
        }
        self.children.iter().flat_map(Self::leaves).collect()
    }

    /// How many levels it has, itself included.
    pub fn depth(&self) -> usize {
        let below = self.children.iter().map(Self::depth);
        1 + below.max().unwrap_or(0)
    }

    /// How many of its children have to be satisfied.
    pub fn required_children(&self) -> u32 {
        let all = u32::try_from(self.children.len()).unwrap_or(u32::MAX);
        self.min_sub_group.unwrap_or(all)
    }

    /// Its children in natural order, which does not depend on the order in which they are listed.
    fn children_in_order(&self) -> Vec<&Self> {
        let mut children: Vec<&Self> = self.children.iter().collect();
        children.sort_by(|a, b| compare_names(&a.name, &b.name));
        children
    }
}
