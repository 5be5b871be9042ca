//! Scenarios of a set whose scheduler receives gangs.

use operator::config::Gangs;
use serde_json::{Value, json};
use sim::{Resource, Store};
use testkit::builders::set;

use super::ends::{attempt, ready_pods};
use super::manifests::{manifest, terminated};
use super::steps::{break_pods, scale};
use super::{CREATE, Scenario};

const KUBERNETES: &str = "default-scheduler";
const KAI: &str = "kai-scheduler";
const VOLCANO: &str = "volcano";

/// CompositePodGroups of a tree with two replicas of its group.
const TREE: [&str; 4] = [
    "svc-0-g-0.groups",
    "svc-0-g-1.groups",
    "svc-0-g.groups",
    "svc-0.groups",
];

/// A clique that needs its pod, and a group of one that may have more than it needs.
fn of(scheduler: &str) -> Value {
    let set = set("svc")
        .clique("a", |c| c)
        .clique("b", |c| c.replicas(2).min(1))
        .group("g", ["b"], |g| g.replicas(1).min(1));
    let mut manifest = terminated(manifest(set));
    let cliques = manifest["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["schedulerName"] = json!(scheduler);
    }
    manifest
}

/// Names of the gangs' objects for schedulers.
fn told(store: &Store, resource: Resource) -> Vec<&str> {
    store.all(resource).map(|(id, _)| &*id.name).collect()
}

/// A group gets a replica more.
pub const KUBERNETES_OUT: Scenario = Scenario {
    name: "kubernetes-out",
    begins_with: Some(|| of(KUBERNETES)),
    step: |store| scale(store, Resource::PodCliqueScalingGroup, "svc-0-g", 2),
    ends_with: |store| {
        let groups = told(store, Resource::PodGroup);
        ready_pods(store) == 5
            && groups == ["svc-0", "svc-0-g-0-b", "svc-0-g-1-b"]
            && told(store, Resource::CompositePodGroup) == ["svc-0.groups"]
    },
    scheduler: Some((KUBERNETES, "kubernetes", Gangs::Split)),
    ..CREATE
};

/// A clique breaks, and its replica is terminated and recreated.
pub const KUBERNETES_TERMINATION: Scenario = Scenario {
    name: "kubernetes-end",
    step: |store| break_pods(store, "svc-0-a"),
    ends_with: |store| {
        is_recreated(store)
            && told(store, Resource::PodGroup) == ["svc-0", "svc-0-g-0-b"]
            && told(store, Resource::CompositePodGroup) == ["svc-0.groups"]
    },
    deleted: &["0-a#0", "0-g-0-b#0", "0-g-0-b#1"],
    are_replaced: true,
    events: &["GangTerminated"],
    ..KUBERNETES_OUT
};

fn is_recreated(store: &Store) -> bool {
    ready_pods(store) == 3 && attempt(store, Resource::PodCliqueSet, "svc", 0) == 1
}

/// The same in a tree.
pub const TREE_OUT: Scenario = Scenario {
    name: "tree-out",
    ends_with: |store| {
        let groups = told(store, Resource::PodGroup);
        let composites = told(store, Resource::CompositePodGroup);
        ready_pods(store) == 5
            && groups == ["svc-0-a", "svc-0-g-0-b", "svc-0-g-1-b"]
            && composites == TREE
    },
    scheduler: Some((KUBERNETES, "kubernetes", Gangs::Tree)),
    ..KUBERNETES_OUT
};

/// The same in a tree.
pub const TREE_TERMINATION: Scenario = Scenario {
    name: "tree-end",
    ends_with: |store| {
        is_recreated(store)
            && told(store, Resource::PodGroup) == ["svc-0-a", "svc-0-g-0-b"]
            && told(store, Resource::CompositePodGroup).len() == 3
    },
    scheduler: Some((KUBERNETES, "kubernetes", Gangs::Tree)),
    ..KUBERNETES_TERMINATION
};

/// The same with KAI Scheduler, in a tree.
pub const KAI_OUT: Scenario = Scenario {
    name: "kai-out",
    begins_with: Some(|| of(KAI)),
    ends_with: |store| ready_pods(store) == 5 && told(store, Resource::KaiPodGroup).len() == 2,
    scheduler: Some((KAI, KAI, Gangs::Split)),
    ..KUBERNETES_OUT
};

/// The same with KAI Scheduler.
pub const KAI_TERMINATION: Scenario = Scenario {
    name: "kai-end",
    begins_with: Some(|| of(KAI)),
    ends_with: |store| is_recreated(store) && told(store, Resource::KaiPodGroup).len() == 1,
    scheduler: Some((KAI, KAI, Gangs::Tree)),
    ..KUBERNETES_TERMINATION
};

/// The same with Volcano.
pub const VOLCANO_OUT: Scenario = Scenario {
    name: "volcano-out",
    begins_with: Some(|| of(VOLCANO)),
    ends_with: |store| {
        ready_pods(store) == 5 && told(store, Resource::VolcanoPodGroup) == ["svc-0", "svc-0-g-0"]
    },
    scheduler: Some((VOLCANO, VOLCANO, Gangs::Split)),
    ..KUBERNETES_OUT
};

/// The same with Volcano.
pub const VOLCANO_TERMINATION: Scenario = Scenario {
    name: "volcano-end",
    begins_with: Some(|| of(VOLCANO)),
    ends_with: |store| is_recreated(store) && told(store, Resource::VolcanoPodGroup) == ["svc-0"],
    scheduler: Some((VOLCANO, VOLCANO, Gangs::Split)),
    ..KUBERNETES_TERMINATION
};
