//! The placement score of a gang.

use std::sync::Arc;

use api::podgang::{NamespacedName, PodGroup};
use api::topology::TopologyLevel;
use api::{ClusterTopologyBinding, PodClique, PodGang};
use domain::scheduling::Profiles;
use domain::{Node, Pod};
use engine::{Caches, Watched};
use insta::assert_snapshot;
use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use testkit::builders::{pod, podclique, stored};

use super::status;

/// Two racks of two nodes of 8 GPUs.
fn cluster() -> Caches {
    let caches = Caches::default();
    for (name, rack) in [("a", "r0"), ("b", "r0"), ("c", "r1"), ("d", "r1")] {
        let mut node = Node {
            metadata: stored(name),
            ..Node::default()
        };
        node.metadata.namespace = None;
        let labels = [
            ("example.com/rack", rack),
            ("topology.kubernetes.io/zone", "z"),
            ("kubernetes.io/hostname", name),
        ];
        let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
        node.metadata.labels = Some(labels.into());
        let allocatable = [("nvidia.com/gpu", "8"), ("cpu", "64"), ("pods", "110")];
        let allocatable = allocatable.map(|(key, value)| (key.to_owned(), value.to_owned()));
        node.status.allocatable = allocatable.into();
        caches.of::<Node>().apply(node);
    }
    caches
}

/// A gang of as many pods of 4 GPUs as there are nodes, all of them guaranteed.
fn gang(caches: &Caches, nodes: &[&str]) -> Arc<PodGang> {
    let count = i32::try_from(nodes.len()).unwrap();
    let mut clique = PodClique::clone(&podclique("demo-0-worker").size(count, count).build());
    let limits = [("nvidia.com/gpu".to_owned(), Quantity("4".into()))];
    clique.spec.pod_spec.containers[0].resources = Some(ResourceRequirements {
        limits: Some(limits.into()),
        ..ResourceRequirements::default()
    });
    caches.of::<PodClique>().apply(clique.clone());
    let mut group = PodGroup {
        name: "demo-0-worker".into(),
        min_replicas: count,
        ..PodGroup::default()
    };
    for (node, k) in nodes.iter().zip(0..) {
        // A cache takes only a newer version than its own.
        let version = 10 + caches.of::<Pod>().len();
        let bound = pod(&clique, k).bound().with(|p| {
            p.metadata.resource_version = Some(version.to_string());
            p.spec.node_name = Some((*node).to_owned());
        });
        let bound = bound.build();
        group.pod_references.push(NamespacedName {
            namespace: "default".into(),
            name: bound.name().to_owned(),
        });
        caches.of::<Pod>().apply(Pod::clone(&bound));
    }
    let mut gang = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    gang.metadata.labels = Some(api::labels::default_labels("demo"));
    gang.spec.pod_groups = vec![group];
    Arc::new(gang)
}

fn bind(caches: &Caches, levels: &[(&str, &str)]) {
    let mut binding = ClusterTopologyBinding {
        metadata: stored("racks"),
        ..ClusterTopologyBinding::default()
    };
    let level = |(domain, key): &(&str, &str)| TopologyLevel {
        domain: (*domain).to_owned(),
        key: (*key).to_owned(),
    };
    binding.spec.levels = levels.iter().map(level).collect();
    caches.of::<ClusterTopologyBinding>().apply(binding);
}

/// The score, and the condition.
fn placement(caches: &Caches, gang: &Arc<PodGang>) -> String {
    let status = status(&podgang::observe::observe(
        gang,
        caches,
        &Profiles::default(),
    ));
    let scheduled = status.conditions.iter().find(|c| c.type_ == "Scheduled");
    format!(
        "{:?} {}",
        status.placement_score,
        scheduled.unwrap().message
    )
}

#[test]
fn a_gang_is_scored_by_zones_and_hosts_or_by_the_levels_of_the_binding() {
    let mut lines = Vec::new();
    for nodes in [
        ["a", "a", "b", "b"],
        ["a", "a", "c", "c"],
        ["a", "b", "c", "d"],
    ] {
        let caches = cluster();
        let gang = gang(&caches, &nodes);
        lines.push(format!("{nodes:?}: {}", placement(&caches, &gang)));
        bind(
            &caches,
            &[
                ("rack", "example.com/rack"),
                ("host", "kubernetes.io/hostname"),
            ],
        );
        lines.push(format!("  in racks: {}", placement(&caches, &gang)));
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn it_has_no_score_while_a_node_is_unknown() {
    let caches = cluster();
    let gang = gang(&caches, &["a", "new"]);
    assert!(placement(&caches, &gang).starts_with("None"));
    let mut new = Node {
        metadata: stored("new"),
        ..Node::default()
    };
    new.metadata.namespace = None;
    caches.of::<Node>().apply(new);
    assert!(placement(&caches, &gang).starts_with("Some"));
}

#[test]
fn it_is_computed_again_when_pods_moved_and_forgotten_with_the_gang() {
    let caches = cluster();
    let first = gang(&caches, &["a", "a"]);
    assert!(placement(&caches, &first).starts_with("Some(1.0)"));
    let moved = gang(&caches, &["a", "c"]);
    assert!(placement(&caches, &moved).starts_with("Some(0.5)"));
    let uid = moved.metadata.uid.clone().unwrap();
    let found = podgang::observe::observe(&moved, &caches, &Profiles::default())
        .placement
        .unwrap();
    caches.placements.keep(&uid, 7, &found.placement);
    assert_eq!(caches.placements.of(&uid, 7), Some(found.placement));
    let gone = engine::Change {
        old: Some(moved),
        new: None,
    };
    PodGang::remember(&gone, &caches);
    assert_eq!(caches.placements.of(&uid, 7), None);
}
