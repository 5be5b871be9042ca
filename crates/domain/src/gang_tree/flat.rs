//! The tree as a list in which children name their parents, as schedulers take it.

use std::collections::BTreeMap;

use super::TreeNode;

/// No tree in use is deeper, and a tree read from the cluster must not exhaust the stack.
const MAX_DEPTH: usize = 32;

/// A node below the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubGroup {
    /// Its name.
    pub name: String,
    /// Name of its parent; none if the parent is the root.
    pub parent: Option<String>,
    /// The least number of pods below it.
    pub min_member: Option<u32>,
    /// The least number of its children that are satisfied.
    pub min_sub_group: Option<u32>,
}

/// Why a list is no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// Two nodes have one name.
    #[error("subgroup {0} is listed twice: give each a name of its own")]
    NameTwice(String),
    /// A node names a parent that is not listed.
    #[error(
        "subgroup {name} names the parent {parent}, which is not listed: add it, or drop `parent`"
    )]
    UnknownParent {
        /// The node.
        name: String,
        /// The parent that it names.
        parent: String,
    },
    /// Following the parents of a node never ends at the root.
    #[error(
        "subgroup {0} is below itself, or more than {MAX_DEPTH} levels deep: correct the parents"
    )]
    Rootless(String),
}

impl TreeNode {
    /// Builds the tree below a root that has this name and these thresholds.
    pub fn from_list(root: Self, list: &[SubGroup]) -> Result<Self, ListError> {
        check(list)?;
        let mut below: BTreeMap<Option<&str>, Vec<&SubGroup>> = BTreeMap::new();
        for group in list {
            below
                .entry(group.parent.as_deref())
                .or_default()
                .push(group);
        }
        let children = children_of(None, &below);
        Ok(Self { children, ..root })
    }

    /// All nodes below it, each before its children.
    pub fn to_list(&self) -> Vec<SubGroup> {
        let mut list = Vec::new();
        for child in &self.children {
            child.add_to(&mut list, None);
        }
        list
    }

    fn add_to(&self, list: &mut Vec<SubGroup>, parent: Option<&str>) {
        list.push(SubGroup {
            name: self.name.clone(),
            parent: parent.map(str::to_owned),
            min_member: self.min_member,
            min_sub_group: self.min_sub_group,
        });
        for child in &self.children {
            child.add_to(list, Some(&self.name));
        }
    }
}

fn check(list: &[SubGroup]) -> Result<(), ListError> {
    let mut parents: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for group in list {
        if parents
            .insert(&group.name, group.parent.as_deref())
            .is_some()
        {
            return Err(ListError::NameTwice(group.name.clone()));
        }
    }
    for group in list {
        let unlisted = group
            .parent
            .as_ref()
            .filter(|p| !parents.contains_key(p.as_str()));
        if let Some(parent) = unlisted {
            return Err(ListError::UnknownParent {
                name: group.name.clone(),
                parent: parent.clone(),
            });
        }
        let mut next = Some(group.name.as_str());
        for _ in 0..MAX_DEPTH {
            next = next.and_then(|name| parents.get(name).copied().flatten());
        }
        if next.is_some() {
            return Err(ListError::Rootless(group.name.clone()));
        }
    }
    Ok(())
}

fn children_of(
    parent: Option<&str>,
    below: &BTreeMap<Option<&str>, Vec<&SubGroup>>,
) -> Vec<TreeNode> {
    let groups = below.get(&parent).into_iter().flatten();
    let node = |group: &&SubGroup| TreeNode {
        name: group.name.clone(),
        min_member: group.min_member,
        min_sub_group: group.min_sub_group,
        children: children_of(Some(&group.name), below),
    };
    groups.map(node).collect()
}
