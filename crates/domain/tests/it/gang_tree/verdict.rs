//! A tree in words.

use domain::gang_tree::{GroupNodes, TreeNode};
use rstest::rstest;

/// Group replicas 0 to `count`-1 of one leaf of 8 pods.
fn group(name: &str, count: i32, required: u32) -> GroupNodes {
    let leaf = |j| vec![TreeNode::leaf(format!("{name}-{j}-w"), 8)];
    GroupNodes {
        name: name.to_owned(),
        required,
        replicas: (0..count).map(|j| (j, leaf(j))).collect(),
    }
}

#[rstest]
#[case(&[1, 2, 3], "tree satisfied: 3 of 3 required (replicas 1,2,3); 24 pods non-preemptible")]
#[case(&[0, 1, 2, 3], "tree satisfied: 4 of 3 required (replicas 0,1,2,3); 24 pods non-preemptible")]
#[case(&[2], "tree not satisfied: 1 of 3 required (replica 2); 24 pods non-preemptible")]
#[case(&[], "tree not satisfied: 0 of 3 required; 24 pods non-preemptible")]
fn says_which_replicas_satisfy_it(#[case] placed: &[i32], #[case] expected: &str) {
    let tree = TreeNode::of_replica("svc-0", [], [group("svc-0-g", 4, 3)]);
    let is_placed = |leaf: &str| placed.iter().any(|j| leaf == format!("svc-0-g-{j}-w"));
    let pods = |leaf: &str| if is_placed(leaf) { 8 } else { 7 };
    assert_eq!(tree.verdict(&pods).to_string(), expected);
}

#[test]
fn names_its_groups_if_there_are_several() {
    let groups = [group("a", 4, 3), group("b", 12, 1), group("idle", 0, 1)];
    let tree = TreeNode::of_replica("svc-0", [TreeNode::leaf("router", 1)], groups);
    let said = tree.verdict(&|_| 8).to_string();
    assert_eq!(
        said,
        "tree satisfied: a 4 of 3 required (replicas 0,1,2,3), b 12 of 1 required \
         (replicas 0,1,2,3,4,5,6,7,8,9 and 2 more); 33 pods non-preemptible"
    );
    let alone = TreeNode::of_replica("svc-0", [TreeNode::leaf("router", 1)], []);
    let said = alone.verdict(&|_| 0).to_string();
    assert_eq!(said, "tree not satisfied; 1 pod non-preemptible");
}

/// A demand for more pods than exist would never be satisfied.
#[test]
fn an_attainable_tree_asks_for_no_more_children_than_there_are() {
    let tree = TreeNode::of_replica("svc-0", [], [group("svc-0-g", 2, 3)]);
    let said: Vec<_> = tree
        .findings(&|_| Some(8))
        .iter()
        .map(ToString::to_string)
        .collect();
    let finding = "svc-0-g: minSubGroup 3 is more than its 2 children: lower it, or add children";
    assert_eq!(said, [finding]);
    assert_eq!(tree.children[0].children[1].name, "svc-0-g-00001");
    let tree = tree.attainable();
    assert_eq!(tree.children[0].min_sub_group, Some(2));
    assert_eq!(tree.findings(&|_| Some(8)), []);
}
