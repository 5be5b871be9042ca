//! A replica of a set as a tree for KAI Scheduler.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::kai::KaiPodGroup;
use api::podgang::{PodGangPhase, SchedulingPhase};
use api::{PodClique, PodCliqueScalingGroup, PodGang, PodGangStatus, labels};
use domain::gang_tree::TreeNode;
use domain::plan::Action;
use domain::scheduling::leaf_name;
use insta::assert_snapshot;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use podgang::Snapshot;
use podgang::backend::tree::{GroupParts, build};
use podgang::backend::{FoundGroup, SchedulerObjects};
use podgang::decide::decide;
use podgang::gang_part::GangPart;
use podgang::tree::GangTree;
use testkit::builders::{pod, podclique, stored};

use crate::actions::{gang_of, only};

fn clique(name: &str, replicas: i32, minimum: i32) -> Arc<PodClique> {
    let mut made = PodClique::clone(&podclique(name).size(replicas, minimum).build());
    if name.starts_with("demo-0-g-") {
        let all = made.metadata.labels.get_or_insert_default();
        all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    }
    Arc::new(made)
}

/// Group replicas 0, 2 and 10, of which this many are required.
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

fn actions(tree: &TreeNode, group: Option<&KaiPodGroup>) -> Vec<Action> {
    let found = FoundGroup {
        group: group.cloned().map(Arc::new),
        is_served: true,
    };
    let snapshot = Snapshot {
        gang: Arc::new(gang_of("kai-scheduler", &[])),
        scheduler_objects: SchedulerObjects::KaiTree(found, tree.clone(), BTreeMap::new()),
        ..Snapshot::default()
    };
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    plan.waves.into_iter().flatten().collect()
}

#[test]
fn groups_ask_for_their_minimum_of_replicas() {
    let standalone = [clique("demo-0-router", 2, 1), clique("demo-0-idle", 0, 1)];
    let tree = build("demo-0", &standalone, &[group(2)]);
    let created: KaiPodGroup = only(&actions(&tree, None));
    assert_snapshot!(serde_json::to_string_pretty(&created.spec).unwrap());
    assert_eq!(actions(&tree, Some(&created)), []);
    let fewer = build("demo-0", &standalone, &[group(1)]);
    let next: KaiPodGroup = only(&actions(&fewer, Some(&created)));
    assert_eq!(next.spec.sub_groups[1].min_sub_group, Some(1));
}

/// A demand for more pods than exist would never be satisfied.
#[test]
fn no_more_replicas_are_asked_for_than_there_are() {
    let (set_group, mut parts) = group(5);
    let going = Arc::make_mut(&mut parts[0]);
    going.metadata.deletion_timestamp = stored("x").creation_timestamp;
    let tree = build("demo-0", &[], &[(set_group.clone(), parts)]);
    let asked: KaiPodGroup = only(&actions(&tree, None));
    assert_eq!(asked.spec.sub_groups[0].min_sub_group, Some(3));
    assert_eq!(tree.children[0].children[0].children.len(), 1);
    assert_eq!(build("demo-0", &[], &[(set_group, vec![])]).children, []);
}

/// Four replicas of three required, each one pod, of which these are bound.
fn judged(minimum: i32, bound: &[i32], before: Option<PodGangStatus>) -> PodGangStatus {
    let cliques = (0..4).map(|j| clique(&format!("demo-0-g-{j}-worker"), 1, 1));
    judged_with(minimum, &cliques.collect::<Vec<_>>(), bound, before)
}

fn judged_with(
    minimum: i32,
    cliques: &[Arc<PodClique>],
    bound: &[i32],
    before: Option<PodGangStatus>,
) -> PodGangStatus {
    let mut group = PodCliqueScalingGroup {
        metadata: stored("demo-0-g"),
        ..PodCliqueScalingGroup::default()
    };
    group.spec.min_available = Some(minimum);
    let part = |podclique: &Arc<PodClique>| {
        let j = podclique.metadata.name.as_deref().unwrap();
        let is_bound = bound.iter().any(|b| j == format!("demo-0-g-{b}-worker"));
        let made = pod(podclique, 0);
        GangPart {
            name: j.to_owned(),
            min_replicas: 1,
            pods: vec![
                if is_bound {
                    made.ready()
                } else {
                    made.ungated()
                }
                .build(),
            ],
            podclique: Some(podclique.clone()),
            ..GangPart::default()
        }
    };
    let parts: Vec<GangPart> = cliques.iter().map(part).collect();
    let leaves = cliques.iter().map(|c| leaf_name(&c.metadata));
    let snapshot = Snapshot {
        gang: Arc::new(PodGang {
            status: before,
            ..gang_of("kai-scheduler", &[])
        }),
        parts: parts[..3].to_vec(),
        tree: Some(GangTree {
            root: build("demo-0", &[], &[(Arc::new(group), cliques.to_vec())]),
            leaves: leaves.zip(parts.clone()).collect(),
        }),
        ..Snapshot::default()
    };
    let plan = decide(&snapshot, Timestamp::UNIX_EPOCH);
    plan.status.unwrap()
}

fn scheduled(status: &PodGangStatus) -> (&str, &str, &str) {
    let found = conditions::find(&status.conditions, ConditionType::Scheduled).unwrap();
    (&found.status, &found.reason, &found.message)
}

/// Seed 001: which replicas satisfy the tree is the scheduler's choice, the first ones or not.
#[test]
fn a_base_gang_is_scheduled_while_its_tree_is_satisfied() {
    let all = judged(3, &[0, 1, 2, 3], None);
    let lost = judged(3, &[1, 2, 3], Some(all));
    assert_eq!(lost.phase, PodGangPhase::Running);
    assert_eq!(lost.scheduling_phase, Some(SchedulingPhase::Scheduled));
    let (status, reason, message) = scheduled(&lost);
    assert_eq!((status, reason), ("True", "GuaranteedPodsBound"));
    assert_eq!(
        message,
        "demo-0-g-0-worker 0/1, demo-0-g-1-worker 1/1, demo-0-g-2-worker 1/1 scheduled; tree \
         satisfied: 3 of 3 required (replicas 1,2,3); 3 pods non-preemptible"
    );
    let ready = conditions::find(&lost.conditions, ConditionType::Ready).unwrap();
    assert_eq!(ready.status, "True");
    let broken = judged(3, &[1, 2], Some(lost));
    assert_eq!(broken.scheduling_phase, Some(SchedulingPhase::Pending));
    let (status, reason, message) = scheduled(&broken);
    assert_eq!((status, reason), ("False", "GuaranteedPodsLost"));
    assert!(
        message.contains("tree not satisfied: 2 of 3 required (replicas 1,2)"),
        "{message}"
    );
}

/// Seed 001: only the required replicas count, here three of four of one pod.
#[test]
fn the_requests_of_its_non_preemptible_pods_are_named() {
    let requests = [("cpu", "1500m"), ("nvidia.com/gpu", "8")];
    let requests = requests.map(|(name, amount)| (name.to_owned(), Quantity(amount.to_owned())));
    let cliques = (0..4).map(|j| {
        let mut made = PodClique::clone(&clique(&format!("demo-0-g-{j}-worker"), 1, 1));
        made.spec.pod_spec.containers[0].resources = Some(ResourceRequirements {
            requests: Some(requests.clone().into()),
            ..ResourceRequirements::default()
        });
        Arc::new(made)
    });
    let status = judged_with(3, &cliques.collect::<Vec<_>>(), &[0, 1, 2], None);
    let (_, _, message) = scheduled(&status);
    let words = "; 3 pods non-preemptible (cpu 4500m, nvidia.com/gpu 24)";
    assert!(message.ends_with(words), "{message}");
}

/// It was scaled in below its minimum: the demand is for the existing pods.
#[test]
fn a_tree_that_asks_for_more_than_there_is_says_so() {
    let status = judged(5, &[0, 1, 2, 3], None);
    let (is, _, message) = scheduled(&status);
    assert_eq!(is, "True");
    let finding = "demo-0-g: minSubGroup 5 is more than its 4 children: lower it, or add children";
    assert!(message.ends_with(finding), "{message}");
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
    let created: KaiPodGroup = only(&actions(&tree, None));
    assert_snapshot!(serde_json::to_string_pretty(&created.spec.sub_groups).unwrap());
}
