//! A replica of a set as a tree that KAI Scheduler is told of.

use std::sync::Arc;

use api::kai::KaiPodGroup;
use api::{PodClique, PodCliqueScalingGroup, labels};
use domain::gang_tree::TreeNode;
use domain::plan::Action;
use insta::assert_snapshot;
use jiff::Timestamp;
use podgang::Snapshot;
use podgang::backend::tree::{GroupParts, build};
use podgang::backend::{Found, Told};
use podgang::decide::decide;
use testkit::builders::{podclique, stored};

use crate::told::{gang_of, only};

fn clique(name: &str, replicas: i32, minimum: i32) -> Arc<PodClique> {
    let mut made = PodClique::clone(&podclique(name).size(replicas, minimum).build());
    if name.starts_with("demo-0-g-") {
        let all = made.metadata.labels.get_or_insert_default();
        all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    }
    Arc::new(made)
}

/// Group replicas 0, 2 and 10, of which so many are required.
fn group(minimum: i32) -> GroupParts {
    let mut group = PodCliqueScalingGroup {
        metadata: stored("demo-0-g"),
        ..PodCliqueScalingGroup::default()
    };
    group.spec.min_available = Some(minimum);
    let parts = [0, 2, 10].into_iter().flat_map(|j| {
        let part = |clique_name: &str| format!("demo-0-g-{j}-{clique_name}");
        [clique(&part("leader"), 1, 1), clique(&part("worker"), 4, 3)]
    });
    (Arc::new(group), parts.collect())
}

fn told(tree: &TreeNode, group: Option<&KaiPodGroup>) -> Vec<Action> {
    let found = Found {
        group: group.cloned().map(Arc::new),
        is_served: true,
    };
    let snapshot = Snapshot {
        gang: Arc::new(gang_of("kai-scheduler", &[])),
        told: Told::KaiTree(found, tree.clone()),
        ..Snapshot::default()
    };
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    plan.waves.into_iter().flatten().collect()
}

#[test]
fn groups_ask_for_their_minimum_of_replicas() {
    let standalone = [clique("demo-0-router", 2, 1), clique("demo-0-idle", 0, 1)];
    let tree = build("demo-0", &standalone, &[group(2)]);
    let created: KaiPodGroup = only(&told(&tree, None));
    assert_snapshot!(serde_json::to_string_pretty(&created.spec).unwrap());
    assert_eq!(told(&tree, Some(&created)), []);
    let fewer = build("demo-0", &standalone, &[group(1)]);
    let next: KaiPodGroup = only(&told(&fewer, Some(&created)));
    assert_eq!(next.spec.sub_groups[1].min_sub_group, Some(1));
}

/// More than there are would never be placed.
#[test]
fn no_more_replicas_are_asked_for_than_there_are() {
    let (set_group, mut parts) = group(5);
    let going = Arc::make_mut(&mut parts[0]);
    going.metadata.deletion_timestamp = stored("x").creation_timestamp;
    let tree = build("demo-0", &[], &[(set_group.clone(), parts)]);
    assert_eq!(tree.children[0].min_sub_group, Some(3));
    assert_eq!(tree.children[0].children[0].children.len(), 1);
    assert_eq!(build("demo-0", &[], &[(set_group, vec![])]).children, []);
}

/// Seed 001, detailed example 2: three of four prefill replicas of 8 pods, one of two decode
/// replicas of 4.
#[test]
fn the_disaggregated_workload_of_the_seed_asks_for_three_of_four_and_one_of_two() {
    let replicas = |group: &str, count: i32, minimum: i32, pods: i32| {
        let mut made = PodCliqueScalingGroup {
            metadata: stored(&format!("demo-0-{group}")),
            ..PodCliqueScalingGroup::default()
        };
        made.spec.min_available = Some(minimum);
        let parts = (0..count).map(|j| {
            let name = format!("demo-0-{group}-{j}-worker");
            let mut part = PodClique::clone(&podclique(&name).size(pods, pods).build());
            let all = part.metadata.labels.get_or_insert_default();
            all.insert(labels::SCALING_GROUP.into(), format!("demo-0-{group}"));
            Arc::new(part)
        });
        (Arc::new(made), parts.collect::<Vec<_>>())
    };
    let groups = [replicas("prefill", 4, 3, 8), replicas("decode", 2, 1, 4)];
    let tree = build("demo-0", &[], &groups);
    assert_eq!(
        tree.non_preemptible_pods(),
        28,
        "minMember of the seed's root"
    );
    let told: KaiPodGroup = only(&told(&tree, None));
    assert_snapshot!(serde_json::to_string_pretty(&told.spec.sub_groups).unwrap());
}
