//! Gangs that wait because their scheduler cannot keep a topology constraint: Kubernetes takes two
//! domains of one name for one, and only a tree has several replicas of a group in one domain.

use std::sync::Arc;

use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::Node;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use podcliqueset::observe::observe;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};
use rstest::rstest;
use serde_json::json;

use super::pins::required;
use crate::situation::demo;

/// Zones and racks of the nodes.
fn cluster(nodes: &[(&str, &str)]) -> Caches {
    let caches = Caches::default();
    let binding = json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "fabric", "uid": "uid-fabric", "resourceVersion": "1"},
        "spec": {"levels": [{"domain": "zone", "key": "zone"}, {"domain": "rack", "key": "rack"}]},
    });
    let binding: ClusterTopologyBinding = serde_json::from_value(binding).unwrap();
    caches.of::<ClusterTopologyBinding>().apply(binding);
    for (zone, rack) in nodes {
        let name = format!("{zone}.{rack}");
        let node = json!({"metadata": {
            "name": name,
            "uid": format!("uid-{name}"),
            "resourceVersion": "1",
            "labels": {"zone": zone, "rack": rack},
        }});
        let node: Node = serde_json::from_value(node).unwrap();
        caches.of::<Node>().apply(node);
    }
    caches
}

/// A set that requires a rack.
fn observe_set(backend: Backend, nodes: &[(&str, &str)]) -> Snapshot {
    let set = demo().with(|set| set.spec.template.topology_constraint = Some(required("rack")));
    observe_in(backend, nodes, set.build())
}

fn observe_in(backend: Backend, nodes: &[(&str, &str)], set: PodCliqueSet) -> Snapshot {
    let caches = cluster(nodes);
    caches.of::<PodCliqueSet>().apply(set.clone());
    let profiles = Profiles::of([("default-scheduler".to_owned(), backend)]);
    let rules = PodCliqueSetReconciler {
        profiles: Arc::new(profiles),
        is_topology_aware: true,
        ..PodCliqueSetReconciler::default()
    };
    observe(&Arc::new(set), &caches, &rules)
}

const UNIQUE: [(&str, &str); 2] = [("z0", "r0"), ("z1", "r1")];
const TWICE: [(&str, &str); 2] = [("z0", "r0"), ("z1", "r0")];

#[rstest]
#[case::unique(Backend::Kubernetes, &UNIQUE, None)]
#[case::split(Backend::Kubernetes, &TWICE, Some("rack r0 is in zones z0 and z1"))]
#[case::tree(Backend::KubernetesTree, &TWICE, Some("rack r0 is in zones z0 and z1"))]
fn a_value_in_two_domains_holds_gangs(
    #[case] backend: Backend,
    #[case] nodes: &[(&str, &str)],
    #[case] expected: Option<&str>,
) {
    let unsupported = observe_set(backend, nodes).scheduler.unsupported;
    let found = unsupported.map(|unsupported| {
        let condition = unsupported.condition();
        format!("{}: {}", condition.reason, condition.message)
    });
    assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
    if let Some((found, expected)) = found.zip(expected) {
        assert!(found.starts_with("TopologyUnavailable: "), "{found}");
        assert!(found.contains(expected), "{found}");
    }
}

/// Of group `g` two replicas are required.
#[rstest]
#[case::split(Backend::Kubernetes, true)]
#[case::tree(Backend::KubernetesTree, false)]
fn several_replicas_of_a_group_share_a_rack_only_in_a_tree(
    #[case] backend: Backend,
    #[case] is_held: bool,
) {
    let set = demo().with(|set| {
        let group = &mut set.spec.template.scaling_groups[0];
        group.all_replicas_topology_constraint = Some(required("rack"));
    });
    let unsupported = observe_in(backend, &UNIQUE, set.build())
        .scheduler
        .unsupported;
    let found = unsupported.map(|unsupported| unsupported.condition().message);
    let words = found.unwrap_or_default();
    assert_eq!(
        words.contains("scaling group g requires"),
        is_held,
        "{words}"
    );
    assert_eq!(words.contains("minAvailable: 1"), is_held, "{words}");
}

/// Its domains are paths.
#[test]
fn kai_scheduler_does_not_mind() {
    let snapshot = observe_set(Backend::KaiPodGrouper, &TWICE);
    assert_eq!(
        snapshot.topology.levels.map(|l| l.as_slice().len()),
        Some(2)
    );
    assert_eq!(snapshot.topology.ambiguous, None);
}
