//! The parts of a set, enumerated once.

mod positions;

use std::collections::BTreeSet;

use api::PodCliqueScalingGroup;
use domain::gang_tree::TreeNode;
use domain::workload::layout::{GroupIndexes, Layout, LayoutSlot, enumerate, members_of_group};
use insta::assert_snapshot;
use testkit::builders::set;

/// `demo`: a frontend, and a group `g` of `leader` and `worker` that has to have two replicas.
fn show(replicas: i32, live: i32) -> String {
    show_idle(replicas, live, |_| false)
}

fn show_idle(replicas: i32, live: i32, is_idle: impl Fn(&LayoutSlot<'_>) -> bool) -> String {
    let set = set("demo")
        .clique("leader", |c| c)
        .clique("frontend", |c| c)
        .clique("worker", |c| c)
        .group("g", ["worker", "leader"], |g| g.replicas(2).min(2))
        .build();
    let layout = enumerate("demo", &set.spec.template, replicas, |_, _| live);
    print(&layout, is_idle)
}

fn print(layout: &Layout<'_>, is_idle: impl Fn(&LayoutSlot<'_>) -> bool) -> String {
    let mut lines = Vec::new();
    for part in layout.slots() {
        let group = part.group.map_or("", |g| &g.name);
        let place = (part.replica, part.clique, group, part.group_replica);
        lines.push(format!("{} {place:?}", part.name));
    }
    for gang in layout.gangs(is_idle) {
        lines.push(format!(
            "{} {:?} waits for {:?}",
            gang.name, gang.parts, gang.base
        ));
    }
    lines.join("\n")
}

#[test]
fn standalone_cliques_come_first_and_groups_in_their_own_order() {
    assert_snapshot!(show(2, 3));
}

/// Where something else runs, the gang goes on without the group.
#[test]
fn a_group_that_is_idle_is_in_no_gang() {
    assert_snapshot!(show(1, 0));
}

/// A clique of its own, a member of every group replica, and all members of one.
#[test]
fn cliques_without_pods_are_in_no_gang_and_a_gang_of_none_is_none() {
    assert_snapshot!(show_idle(1, 3, |part| {
        let of_last = part.group_replica == Some(2);
        part.clique == "frontend" || part.clique == "leader" || of_last
    }));
}

/// Surge replicas have gangs like any other, but no rule takes them for wanted ones.
#[test]
fn surge_replicas_have_scaled_gangs_and_are_no_slots() {
    let set = set("demo")
        .clique("worker", |c| c)
        .group("g", ["worker"], |g| g.replicas(1).min(1))
        .build();
    let surge = |_: &str, _: &_| GroupIndexes {
        replicas: 1,
        surge: BTreeSet::from([2, 3]),
    };
    let layout = enumerate("demo", &set.spec.template, 1, surge);
    assert_snapshot!(print(&layout, |_| false), @r#"
    demo-0-g-0-worker (0, "worker", "g", Some(0))
    demo-0 ["demo-0-g-0-worker"] waits for None
    demo-0-g-1 ["demo-0-g-2-worker"] waits for Some("demo-0")
    demo-0-g-2 ["demo-0-g-3-worker"] waits for Some("demo-0")
    "#);
    assert_eq!(
        layout.replicas[0].groups[0].surge_indexes(),
        BTreeSet::from([2, 3])
    );
}

#[test]
fn a_set_without_replicas_is_nothing() {
    assert_snapshot!(show(0, 3));
}

/// By its own spec: the set may be gone.
#[test]
fn a_group_without_its_set_has_the_same_podcliques() {
    let set = set("demo")
        .clique("leader", |c| c)
        .clique("worker", |c| c)
        .group("g", ["worker", "leader"], |g| g.replicas(2))
        .build();
    let layout = enumerate("demo", &set.spec.template, 1, |_, _| 2);
    let of_set: Vec<_> = layout.slots().map(|p| p.name.as_str()).collect();
    let mut group = PodCliqueScalingGroup::default();
    group.metadata.name = Some("demo-0-g".into());
    group.spec.replicas = 2;
    group.spec.clique_names = vec!["worker".into(), "leader".into()];
    let members: Vec<_> = members_of_group(&group).flat_map(|m| m.cliques).collect();
    let of_group: Vec<_> = members.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(of_group, of_set);
}

/// The tree of pods of a replica that must be placed together, each leaf with its pods.
#[test]
fn a_replica_is_a_tree_that_requires_the_minimum_of_each_group() {
    let set = set("demo")
        .clique("leader", |c| c)
        .clique("frontend", |c| c)
        .clique("worker", |c| c)
        .group("g", ["worker", "leader"], |g| g.replicas(4).min(3))
        .build();
    let tree_of = |live: i32, idle: &str| {
        let layout = enumerate("demo", &set.spec.template, 1, |_, _| live);
        let minimum = |part: &LayoutSlot<'_>| (part.clique != idle).then_some(2);
        show_tree(&layout.replicas[0].tree(minimum).attainable(), 0)
    };
    assert_snapshot!(
        [
            tree_of(4, ""),
            "fewer replicas than are required:".to_owned(),
            tree_of(1, ""),
            "one clique of the group is idle:".to_owned(),
            tree_of(1, "worker"),
            "the group is idle:".to_owned(),
            tree_of(0, ""),
        ]
        .join("\n")
    );
}

fn show_tree(node: &TreeNode, level: usize) -> String {
    let asks = match (node.min_member, node.min_sub_group) {
        (Some(pods), _) => format!("{pods} pods"),
        (None, Some(children)) => format!("{children} of {}", node.children.len()),
        (None, None) => format!("all of {}", node.children.len()),
    };
    let own = format!("{}{}: {asks}", "  ".repeat(level), node.name);
    let below = node
        .children
        .iter()
        .map(|child| show_tree(child, level + 1));
    std::iter::once(own)
        .chain(below)
        .collect::<Vec<_>>()
        .join("\n")
}
