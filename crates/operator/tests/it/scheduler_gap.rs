//! A cluster without Topologies of KAI Scheduler, as the operator reads it.

use std::sync::Arc;

use api::ClusterTopologyBinding;
use api::topology::{TopologyConstraint, TopologyPack};
use domain::scheduling::{Backend, Profiles};
use engine::Kinds;
use podcliqueset::PodCliqueSetReconciler;
use podcliqueset::observe::observe;
use serde_json::json;
use testkit::builders::set;

use crate::metrics::context;

fn binding() -> ClusterTopologyBinding {
    let binding = json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "fabric", "uid": "uid-fabric", "resourceVersion": "1"},
        "spec": {"levels": [{"domain": "rack", "key": "rack"}]},
    });
    serde_json::from_value(binding).unwrap()
}

/// An operator whose configuration has no profile of KAI Scheduler does not watch its kinds.
#[tokio::test]
async fn a_set_says_that_topologies_of_kai_scheduler_are_not_served() {
    let context = context();
    let caches = &context.caches;
    let pack = TopologyPack {
        required: "rack".into(),
        ..TopologyPack::default()
    };
    let constraint = TopologyConstraint {
        topology_name: "fabric".into(),
        pack: Some(pack),
        ..TopologyConstraint::default()
    };
    let set = set("demo")
        .clique("worker", |c| c)
        .with(|set| set.spec.template.topology_constraint = Some(constraint));
    let set = Arc::new(set.build());
    caches.of::<ClusterTopologyBinding>().apply(binding());
    let backend = ("default-scheduler".to_owned(), Backend::KaiPodGrouper);
    let rules = PodCliqueSetReconciler {
        profiles: Arc::new(Profiles::of([backend])),
        is_topology_aware: true,
        ..PodCliqueSetReconciler::default()
    };
    let gap = || observe(&set, caches, &rules).topology.scheduler_gap;
    let missing = gap().unwrap();
    assert!(
        missing.starts_with("Topology fabric of KAI Scheduler does not exist"),
        "{missing}"
    );
    let _kinds = Kinds::all().for_profiles(&Profiles::default(), &context);
    assert_eq!(
        gap().as_deref(),
        Some(
            "topologies.kai.scheduler is not served by this cluster, or may not be read: install KAI \
             Scheduler"
        )
    );
}
