//! Any small tree against rules that are slow and obvious.

use std::collections::BTreeMap;

use domain::gang_tree::{Guaranteed, TreeNode};
use proptest::prelude::*;

/// Pods per leaf.
type Pods = BTreeMap<String, u32>;

/// Thresholds are at least that. Names are given afterwards, so that each occurs once.
fn any_tree(least: u32) -> impl Strategy<Value = TreeNode> {
    let leaf = (least..4).prop_map(|min_member| TreeNode::leaf("", min_member));
    let tree = leaf.prop_recursive(3, 12, 3, move |inner| {
        let children = prop::collection::vec(inner, 1..4);
        let thresholds = (prop::option::of(least..5), prop::option::of(0..7u32));
        (children, thresholds).prop_map(|(children, (min_sub_group, min_member))| TreeNode {
            name: String::new(),
            min_member,
            min_sub_group,
            children,
        })
    });
    tree.prop_map(|mut tree| {
        name(&mut tree, "n");
        tree
    })
}

fn name(node: &mut TreeNode, name: &str) {
    name.clone_into(&mut node.name);
    for (i, child) in node.children.iter_mut().enumerate() {
        self::name(child, &format!("{name}-{i}"));
    }
}

/// This many pods of each leaf, in the order of the leaves.
fn pods_of(tree: &TreeNode, counts: &[u32]) -> Pods {
    let leaves = tree.leaves().into_iter();
    let pods = leaves.zip(counts.iter().cycle());
    pods.map(|(leaf, n)| (leaf.name.clone(), *n)).collect()
}

/// As the seed writes it, with the pods of each node counted again.
fn is_satisfied(node: &TreeNode, pods: &Pods) -> bool {
    let below: u32 = node.leaves().iter().map(|leaf| pods[&leaf.name]).sum();
    let has_pods = below >= node.min_member.unwrap_or(0);
    if node.children.is_empty() {
        return has_pods;
    }
    let satisfied = node.children.iter().filter(|c| is_satisfied(c, pods));
    let required = node
        .min_sub_group
        .map_or(node.children.len(), |k| k as usize);
    has_pods && satisfied.count() >= required
}

fn judged(tree: &TreeNode, pods: &Pods) -> bool {
    tree.is_satisfied(&|leaf| pods[leaf])
}

fn core_of(tree: &TreeNode, pods: &Pods) -> Option<Guaranteed> {
    tree.guaranteed(&|leaf| pods[leaf])
}

fn reversed(node: &TreeNode) -> TreeNode {
    TreeNode {
        children: node.children.iter().rev().map(reversed).collect(),
        ..node.clone()
    }
}

proptest! {
    #[test]
    fn a_tree_is_satisfied_as_the_seed_says(
        tree in any_tree(0),
        counts in prop::collection::vec(0..5u32, 1..12),
    ) {
        let pods = pods_of(&tree, &counts);
        prop_assert_eq!(judged(&tree, &pods), is_satisfied(&tree, &pods));
    }

    #[test]
    fn more_pods_never_harm(
        tree in any_tree(0),
        counts in prop::collection::vec(0..5u32, 1..12),
        more in any::<prop::sample::Index>(),
    ) {
        let mut pods = pods_of(&tree, &counts);
        let before = judged(&tree, &pods);
        let leaf = more.index(pods.len());
        *pods.values_mut().nth(leaf).unwrap() += 1;
        prop_assert!(!before || judged(&tree, &pods));
    }

    /// There is a core exactly if the tree is satisfied; it satisfies it by itself, and without any
    /// one of its pods it does not: a node without demands is satisfied without a pod, so each has
    /// one.
    #[test]
    fn the_core_is_enough_and_no_pod_of_it_is_spare(
        tree in any_tree(1),
        counts in prop::collection::vec(0..5u32, 1..12),
    ) {
        let pods = pods_of(&tree, &counts);
        let core = core_of(&tree, &pods);
        prop_assert_eq!(core.is_some(), judged(&tree, &pods));
        let Some(core) = core else { return Ok(()) };
        let mut only: Pods = pods.keys().map(|leaf| (leaf.clone(), 0)).collect();
        for (leaf, n) in &core {
            prop_assert!(*n <= pods[leaf], "{leaf}");
            only.insert(leaf.clone(), *n);
        }
        prop_assert!(judged(&tree, &only));
        for (leaf, n) in core.iter().filter(|(_, n)| **n > 0) {
            let mut without = only.clone();
            without.insert(leaf.clone(), n - 1);
            prop_assert!(!judged(&tree, &without), "{} is spare", leaf);
        }
    }

    #[test]
    fn the_order_in_which_children_are_listed_is_irrelevant(
        tree in any_tree(0),
        counts in prop::collection::vec(0..5u32, 1..12),
    ) {
        let pods = pods_of(&tree, &counts);
        prop_assert_eq!(core_of(&tree, &pods), core_of(&reversed(&tree), &pods));
        prop_assert_eq!(tree.non_preemptible_pods(), reversed(&tree).non_preemptible_pods());
    }

    /// A tree with an error can never be satisfied; one without can.
    #[test]
    fn errors_are_demands_that_can_never_be_satisfied(
        tree in any_tree(0),
        counts in prop::collection::vec(0..5u32, 1..12),
    ) {
        let pods = pods_of(&tree, &counts);
        let findings = tree.findings(&|leaf| Some(pods[leaf]));
        if !findings.iter().any(|f| f.severity() == domain::gang_tree::Severity::Error) {
            prop_assert!(judged(&tree, &pods), "{tree:?}");
        }
    }
}
