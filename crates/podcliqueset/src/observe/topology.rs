//! The topology that the constraints of the set refer to, and the nodes on which its pods run.

use std::collections::HashMap;
use std::sync::Arc;

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::kai::KaiTopology;
use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::scheduling::Backend;
use domain::topology::{self, AmbiguousValue, Levels, UnsupportedTopology};
use domain::{Key, Node};
use engine::Caches;

use super::ObservedClique;
use crate::{PodCliqueSetReconciler, desired};

/// What the set's topology constraints need to know about the cluster.
#[derive(Clone, Debug, Default)]
pub struct TopologyFacts {
    /// Whether the operator's configuration enables topology constraints.
    pub is_enabled: bool,
    /// The levels of the ClusterTopologyBinding that the set names, if that exists.
    pub levels: Option<Levels>,
    /// Name of the scheduler's own topology object.
    pub reference: String,
    /// The reason why the scheduler does not know the levels that the set names.
    pub scheduler_gap: Option<String>,
    /// A value of a required level that the scheduler would take for one domain, and is several.
    pub ambiguous: Option<AmbiguousValue>,
    /// Whether the operator may read ClusterTopologyBindings.
    pub may_read_bindings: bool,
    /// Whether the operator may read nodes.
    pub may_read_nodes: bool,
    /// The known nodes of bound pods, by name; empty without constraints.
    pub nodes: HashMap<String, Arc<Node>>,
}

impl TopologyFacts {
    /// Condition `SchedulingFeatureUnsupported` if the operator may not read the nodes that show in
    /// which domains pods run. It holds nothing up.
    pub(crate) fn report_unreadable_nodes(&self, set: &PodCliqueSet) -> Option<ConditionUpdate> {
        let (required, _) = topology::named_domains(&set.spec.template);
        let is_blind = !required.is_empty() && !self.may_read_nodes;
        is_blind.then(|| ConditionUpdate {
            type_: ConditionType::SchedulingFeatureUnsupported,
            status: Status::True,
            reason: Reason::NodesNotReadable,
            message:
                "the operator may not read nodes, so pods that join later are not kept in the \
                      topology domain of those that run; install the chart without \
                      config.watchNamespaces"
                    .to_owned(),
        })
    }

    /// The node of that name.
    pub fn find_node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(name).map(AsRef::as_ref)
    }
}

/// Reads it for the set; a set without constraints reads no cache.
pub(super) fn observe(
    set: &PodCliqueSet,
    scheduler: Option<&str>,
    podcliques: &HashMap<String, ObservedClique>,
    rules: &PodCliqueSetReconciler,
    caches: &Caches,
) -> TopologyFacts {
    let facts = TopologyFacts {
        is_enabled: rules.is_topology_aware,
        ..TopologyFacts::default()
    };
    let template = &set.spec.template;
    if !topology::has_constraints(template) {
        return facts;
    }
    let name = topology::binding_name(template);
    let binding = name.filter(|_| rules.is_topology_aware).and_then(|name| {
        let all = caches.of::<ClusterTopologyBinding>();
        all.get(&Key::new("", name))
    });
    let reference = binding
        .as_ref()
        .map(|binding| reference_of(binding, scheduler))
        .unwrap_or_default();
    let levels = binding.as_deref().map(Levels::of);
    let backend = rules.profiles.backend_of(scheduler);
    let levels_of_kai = levels.as_ref().filter(|_| backend.is_kai());
    let compared = levels.as_ref().filter(|_| backend.is_kubernetes());
    TopologyFacts {
        scheduler_gap: levels_of_kai.and_then(|levels| {
            let (required, preferred) = topology::named_domains(template);
            let named = levels.down_to_narrowest([required, preferred].concat());
            find_gap(&named, &reference, caches)
        }),
        ambiguous: compared.and_then(|levels| {
            let nodes = caches.of::<Node>().all();
            let is_tree = backend == Backend::KubernetesTree;
            let nodes: Vec<&Node> = nodes.iter().map(AsRef::as_ref).collect();
            topology::find_ambiguous_value(template, is_tree, levels, &nodes)
        }),
        reference,
        levels,
        may_read_bindings: caches.is_served::<ClusterTopologyBinding>(""),
        may_read_nodes: caches.is_served::<Node>(""),
        nodes: nodes_of(podcliques, caches),
        ..facts
    }
}

/// The scheduler's own name of the topology, by default that of the binding.
fn reference_of(binding: &ClusterTopologyBinding, scheduler: Option<&str>) -> String {
    let mut entries = binding.spec.scheduler_topology_bindings.iter();
    let entry = entries.find(|entry| Some(entry.scheduler_name.as_str()) == scheduler);
    entry.map_or_else(
        || binding.metadata.name.clone().unwrap_or_default(),
        |entry| entry.topology_reference.clone(),
    )
}

/// Why KAI Scheduler does not know these levels, if it does not.
fn find_gap(levels: &Levels, reference: &str, caches: &Caches) -> Option<String> {
    if !caches.is_served::<KaiTopology>("") {
        let kind = "topologies.kai.scheduler is not served by this cluster, or may not be read";
        return Some(format!("{kind}: install KAI Scheduler"));
    }
    let Some(found) = caches.of::<KaiTopology>().get(&Key::new("", reference)) else {
        return Some(format!(
            "Topology {reference} of KAI Scheduler does not exist: see the status of the \
             ClusterTopologyBinding (`kubectl get clustertopologybindings -o wide`)"
        ));
    };
    let is_known = |key: &str| {
        let mut known = found.spec.levels.iter();
        known.any(|level| level.node_label == key)
    };
    let keys = levels.as_slice().iter().map(|level| level.key.as_str());
    let missing: Vec<&str> = keys.filter(|key| !is_known(key)).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "Topology {reference} of KAI Scheduler has no level with node label {}: correct it, \
             or name another one in spec.schedulerTopologyBindings of the ClusterTopologyBinding",
            missing.join(", ")
        )
    })
}

fn nodes_of(
    podcliques: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> HashMap<String, Arc<Node>> {
    let nodes = caches.of::<Node>();
    let pods = podcliques.values().flat_map(|clique| &clique.pods);
    let names = pods.filter_map(|pod| pod.spec.node_name.as_deref());
    names
        .filter_map(|name| Some((name.to_owned(), nodes.get(&Key::new("", name))?)))
        .collect()
}

/// The required constraint that nobody can honour, if there is one.
pub(super) fn find_unsupported_topology(
    set: &PodCliqueSet,
    backend: Backend,
    facts: &TopologyFacts,
) -> Option<UnsupportedTopology> {
    let template = &set.spec.template;
    let (required, _) = topology::named_domains(template);
    if required.is_empty() {
        return None;
    }
    if backend.without_domains().is_some() {
        let scheduler = desired::gang::scheduler_name(set).to_owned();
        return Some(UnsupportedTopology::NotHonoured(scheduler));
    }
    if facts.is_enabled && !facts.may_read_bindings {
        let sentence = "the operator may not read ClusterTopologyBindings: install the chart without \
                        config.watchNamespaces";
        return Some(UnsupportedTopology::SchedulerTopology(sentence.to_owned()));
    }
    let unsupported =
        topology::find_unsupported_topology(template, facts.is_enabled, facts.levels.as_ref());
    let in_pieces = || {
        let is_tree = matches!(backend, Backend::KaiTree | Backend::KubernetesTree);
        let group = topology::find_group_in_pieces(template).filter(|_| !is_tree);
        group.map(|group| UnsupportedTopology::GroupInPieces(group.to_owned()))
    };
    let gap = || {
        facts
            .scheduler_gap
            .clone()
            .map(UnsupportedTopology::SchedulerTopology)
    };
    let ambiguous = || facts.ambiguous.clone().map(UnsupportedTopology::Ambiguous);
    unsupported
        .or_else(in_pieces)
        .or_else(gap)
        .or_else(ambiguous)
}
