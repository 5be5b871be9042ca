//! Gangs that wait because KAI Scheduler does not know the levels of their topology constraint.

use std::sync::Arc;

use api::kai::KaiTopology;
use api::topology::TopologyConstraint;
use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use podcliqueset::observe::observe;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};
use rstest::rstest;
use serde_json::{Value, json};

use super::pins::required;
use crate::situation::demo;

/// A Topology of KAI Scheduler with the node labels of its levels.
type Topology = (&'static str, &'static [&'static str]);

const ALL: Topology = ("fabric", &["zone", "rack"]);
const MORE: Topology = ("fabric", &["region", "zone", "rack"]);
const ZONE: Topology = ("fabric", &["zone"]);
const HOST: Topology = ("fabric", &["host"]);
const EMPTY: Topology = ("fabric", &[]);
const OTHER: Topology = ("dc", &["zone", "rack"]);

/// Binding `fabric` with levels zone, rack and host. It names Topology `dc` for this scheduler, if any.
fn binding(scheduler: Option<&str>) -> ClusterTopologyBinding {
    let entry = |name: &str| json!({"schedulerName": name, "topologyReference": "dc"});
    let entries: Vec<Value> = scheduler.into_iter().map(entry).collect();
    let binding = json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "fabric", "uid": "uid-fabric", "resourceVersion": "1"},
        "spec": {
            "levels": [
                {"domain": "zone", "key": "zone"},
                {"domain": "rack", "key": "rack"},
                {"domain": "host", "key": "host"},
            ],
            "schedulerTopologyBindings": entries,
        },
    });
    serde_json::from_value(binding).unwrap()
}

fn topology((name, keys): Topology) -> KaiTopology {
    let level = |key: &&str| json!({"nodeLabel": key});
    let levels: Vec<Value> = keys.iter().map(level).collect();
    let topology = json!({
        "apiVersion": "kai.scheduler/v1alpha1",
        "kind": "Topology",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "1"},
        "spec": {"levels": levels},
    });
    serde_json::from_value(topology).unwrap()
}

/// The operator's view of a set with this constraint.
fn observe_with(
    backend: Backend,
    constraint: Option<TopologyConstraint>,
    binding: Option<ClusterTopologyBinding>,
    topologies: &[Topology],
) -> Snapshot {
    let caches = Caches::default();
    if let Some(binding) = binding {
        caches.of::<ClusterTopologyBinding>().apply(binding);
    }
    for known in topologies {
        caches.of::<KaiTopology>().apply(topology(*known));
    }
    let set = demo().with(|set| set.spec.template.topology_constraint = constraint);
    let set = set.build();
    caches.of::<PodCliqueSet>().apply(set.clone());
    let profiles = Profiles::of([("default-scheduler".to_owned(), backend)]);
    let rules = PodCliqueSetReconciler {
        profiles: Arc::new(profiles),
        is_topology_aware: true,
        ..PodCliqueSetReconciler::default()
    };
    observe(&Arc::new(set), &caches, &rules)
}

fn preferred(domain: &str) -> TopologyConstraint {
    let mut constraint = required("");
    if let Some(pack) = &mut constraint.pack {
        domain.clone_into(&mut pack.preferred);
    }
    constraint
}

const MISSING: &str = "Topology fabric of KAI Scheduler does not exist: see the status of the \
                       ClusterTopologyBinding (`kubectl get clustertopologybindings -o wide`)";
const NO_RACK: &str = "Topology fabric of KAI Scheduler has no level with node label rack: correct it, or \
                       name another one in spec.schedulerTopologyBindings of the ClusterTopologyBinding";
const NO_LEVEL: &str = "Topology fabric of KAI Scheduler has no level with node label zone, rack: correct \
                        it, or name another one in spec.schedulerTopologyBindings of the \
                        ClusterTopologyBinding";

/// Every backend of KAI Scheduler, and the levels down to the narrowest that the set names.
#[rstest]
#[case::known(Backend::KaiPodGrouper, required("rack"), &[ALL], None)]
#[case::other_labels_beside(Backend::KaiPodGrouper, required("rack"), &[MORE], None)]
#[case::narrower_levels_do_not_matter(Backend::KaiPodGrouper, required("zone"), &[ZONE], None)]
#[case::missing(Backend::KaiPodGrouper, required("rack"), &[], Some(MISSING))]
#[case::missing_for_a_gang(Backend::KaiScheduler, required("rack"), &[], Some(MISSING))]
#[case::missing_for_a_tree(Backend::KaiTree, required("rack"), &[], Some(MISSING))]
#[case::another_name(Backend::KaiPodGrouper, required("rack"), &[OTHER], Some(MISSING))]
#[case::named_level_is_missing(Backend::KaiPodGrouper, required("rack"), &[ZONE], Some(NO_RACK))]
#[case::broader_levels_count(Backend::KaiPodGrouper, required("rack"), &[HOST], Some(NO_LEVEL))]
#[case::preferred_levels_count(Backend::KaiPodGrouper, preferred("rack"), &[ZONE], Some(NO_RACK))]
#[case::level_of_no_binding(Backend::KaiPodGrouper, required("aisle"), &[EMPTY], None)]
#[case::kubernetes(Backend::Kubernetes, required("rack"), &[], None)]
#[case::volcano(Backend::Volcano, required("rack"), &[], None)]
#[case::no_backend(Backend::DefaultScheduler, required("rack"), &[], None)]
fn kai_scheduler_has_to_know_the_levels(
    #[case] backend: Backend,
    #[case] constraint: TopologyConstraint,
    #[case] topologies: &[Topology],
    #[case] expected: Option<&str>,
) {
    let snapshot = observe_with(backend, Some(constraint), Some(binding(None)), topologies);
    assert_eq!(snapshot.topology.scheduler_gap.as_deref(), expected);
}

/// An entry counts for its own scheduler only.
#[rstest]
#[case::own(Some("default-scheduler"), "dc")]
#[case::of_another(Some("other"), "fabric")]
#[case::none(None, "fabric")]
fn the_topology_has_the_name_of_the_entry_or_of_the_binding(
    #[case] scheduler: Option<&str>,
    #[case] reference: &str,
) {
    let gap = |topologies: &[Topology]| {
        let (constraint, binding) = (Some(required("rack")), Some(binding(scheduler)));
        let snapshot = observe_with(Backend::KaiPodGrouper, constraint, binding, topologies);
        assert_eq!(snapshot.topology.reference, reference);
        snapshot.topology.scheduler_gap
    };
    let missing = gap(&[]).unwrap();
    let words = format!("Topology {reference} of KAI Scheduler does not exist");
    assert!(missing.starts_with(&words), "{missing}");
    assert_eq!(gap(&[ALL, OTHER]), None);
}

#[test]
fn without_a_constraint_or_a_binding_there_is_no_gap() {
    let backend = Backend::KaiPodGrouper;
    let free = observe_with(backend, None, Some(binding(None)), &[]);
    assert_eq!(free.topology.scheduler_gap, None);
    let unbound = observe_with(backend, Some(required("rack")), None, &[]);
    assert_eq!(unbound.topology.scheduler_gap, None);
    let message = unbound.scheduler.unsupported.unwrap().condition().message;
    let cause = "ClusterTopologyBinding fabric does not exist";
    assert!(message.contains(cause), "{message}");
}

/// A preferred level is a wish, and no gang waits for it.
#[rstest]
#[case::required(required("rack"), true)]
#[case::preferred(preferred("rack"), false)]
fn a_gap_holds_gangs_that_require_a_level(
    #[case] constraint: TopologyConstraint,
    #[case] is_held: bool,
) {
    let backend = Backend::KaiPodGrouper;
    let snapshot = observe_with(backend, Some(constraint), Some(binding(None)), &[]);
    assert_eq!(snapshot.topology.scheduler_gap.as_deref(), Some(MISSING));
    let unsupported = snapshot.scheduler.unsupported;
    let found = unsupported.map(|unsupported| {
        let condition = unsupported.condition();
        format!("{}: {}", condition.reason, condition.message)
    });
    let held = format!("TopologyUnavailable: gangs that have not started stay gated: {MISSING}");
    assert_eq!(found, is_held.then_some(held));
}
