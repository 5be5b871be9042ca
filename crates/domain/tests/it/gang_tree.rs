//! The tree of a gang: the scenarios of seed 001, and any tree against naive rules.

mod oracle;
mod scenario;
mod verdict;

use std::cmp::Ordering;

use domain::gang_tree::{ListError, SubGroup, TreeNode, compare_names};
use insta::assert_snapshot;
use rstest::rstest;
use scenario::{describe, scenario};

/// Whether the gang runs with this many pods of these leaves, and all pods of the others.
#[rstest]
#[case("inference-service", &[("prefill-1", 0)], true)]
#[case("inference-service", &[("prefill-1", 0), ("prefill-2", 7)], false)]
#[case("inference-service", &[("prefill-1", 7), ("prefill-2", 7)], false)]
#[case("training-job", &[("prefill-extra-leaders", 0)], true)]
#[case("training-job", &[("prefill-workers-extra", 0), ("prefill-extra-leaders", 0)], true)]
#[case("training-job", &[("decode-leaders", 0)], true)]
#[case("training-job", &[("decode-leaders", 0), ("prefill-extra-leaders", 0)], false)]
#[case("leader-worker-set", &[("group-2-leader", 0)], true)]
#[case("leader-worker-set", &[("group-2-leader", 0), ("group-0-workers", 4)], false)]
#[case("grove", &[("prefill-0", 0), ("decode-0", 3)], true)]
#[case("grove", &[("prefill-0", 0), ("prefill-3", 0)], false)]
#[case("grove", &[("decode-0", 0), ("decode-1", 0)], false)]
#[case("disaggregated", &[("prefill-1", 2)], false)]
#[case("leader-and-workers", &[("workers-1", 0)], true)]
// A flat count cannot express "the leader and two of three".
#[case("leader-and-workers", &[("leader", 0)], true)]
#[case("leader-and-workers", &[("leader", 0), ("workers-1", 0)], false)]
fn runs_with_its_required_children(
    #[case] name: &str,
    #[case] pods: &[(&str, u32)],
    #[case] is_satisfied: bool,
) {
    let tree = scenario(name);
    let all = |leaf: &str| {
        let leaves = tree.leaves();
        let min_member = leaves.iter().find(|l| l.name == leaf).unwrap().min_member;
        let given = pods.iter().find(|(name, _)| *name == leaf);
        given.map_or(min_member.unwrap(), |(_, count)| *count)
    };
    assert_eq!(tree.is_satisfied(&all), is_satisfied);
    assert_eq!(tree.guaranteed(&all).is_some(), is_satisfied);
}

/// Which pods are guaranteed, how many may not be preempted, and the errors.
#[test]
fn guarantees_the_first_children_that_it_requires() {
    let names = [
        "inference-service",
        "training-job",
        "leader-worker-set",
        "grove",
        "disaggregated",
        "leader-and-workers",
        "too-few-pods-asked-for",
        "too-many-pods-asked-for",
    ];
    let all: Vec<String> = names.into_iter().map(describe).collect();
    assert_snapshot!(all.join("\n"));
}

#[test]
fn a_demand_that_can_never_be_satisfied_is_an_error() {
    let leaf = || TreeNode::leaf("a", 4);
    let few = TreeNode::some_of("few", 3, vec![leaf(), TreeNode::leaf("b", 1)]);
    let mut bare = leaf();
    bare.min_sub_group = Some(1);
    let mut many = TreeNode::all_of("many", vec![leaf()]);
    many.min_member = Some(9);
    let tree = TreeNode::all_of("gang", vec![few, TreeNode::all_of("odd", vec![bare]), many]);
    let findings = tree.findings(&|leaf| Some(if leaf == "b" { 0 } else { 8 }));
    let lines = findings.iter().map(|f| format!("{:?}: {f}", f.severity()));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn pods_beyond_the_required_children_are_added_from_the_first_leaves() {
    let mut tree = TreeNode::some_of(
        "gang",
        1,
        vec![TreeNode::leaf("b-10", 1), TreeNode::leaf("b-2", 1)],
    );
    tree.min_member = Some(4);
    let core = tree.guaranteed(&|leaf| if leaf == "b-2" { 3 } else { 9 });
    let core = core.unwrap();
    let core: Vec<_> = core.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(core, [("b-10", 1), ("b-2", 3)]);
}

#[rstest]
#[case("r-2", "r-10", Ordering::Less)]
#[case("r-2-a", "r-2-b", Ordering::Less)]
#[case("r-2", "r-2-a", Ordering::Less)]
#[case("r-02", "r-2", Ordering::Less)]
#[case("a-9", "b-1", Ordering::Less)]
#[case(
    "a-99999999999999999999999",
    "a-100000000000000000000000",
    Ordering::Less
)]
#[case("a", "a", Ordering::Equal)]
#[case("1a", "a1", Ordering::Less)]
fn numbers_in_names_count_as_numbers(#[case] a: &str, #[case] b: &str, #[case] expected: Ordering) {
    assert_eq!(compare_names(a, b), expected);
    assert_eq!(compare_names(b, a), expected.reverse());
}

fn below(name: &str, parent: Option<&str>) -> SubGroup {
    SubGroup {
        name: name.to_owned(),
        parent: parent.map(str::to_owned),
        ..SubGroup::default()
    }
}

#[rstest]
#[case(&[("a", None), ("a", None)], "subgroup a is listed twice: give each a name of its own")]
#[case(&[("a", Some("b"))], "subgroup a names the parent b, which is not listed: add it, or drop `parent`")]
#[case(&[("a", Some("b")), ("b", Some("a"))], "subgroup a is below itself, or more than 32 levels deep: correct the parents")]
#[case(&[("a", Some("a"))], "subgroup a is below itself, or more than 32 levels deep: correct the parents")]
fn a_list_that_is_no_tree_is_refused(#[case] list: &[(&str, Option<&str>)], #[case] error: &str) {
    let list: Vec<_> = list.iter().map(|(name, p)| below(name, *p)).collect();
    let refused: ListError = TreeNode::from_list(TreeNode::default(), &list).unwrap_err();
    assert_eq!(refused.to_string(), error);
}

#[test]
fn a_tree_too_deep_for_the_stack_is_refused() {
    let name = |i: u32| format!("n{i}");
    let deep = (0..100_000).map(|i| below(&name(i), i.checked_sub(1).map(name).as_deref()));
    let deep: Vec<_> = deep.collect();
    assert!(TreeNode::from_list(TreeNode::default(), &deep).is_err());
}
