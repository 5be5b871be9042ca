//! The topology that the constraints of the set refer to, and the nodes on which its pods run.

mod rights;

use std::collections::HashMap;
use std::sync::Arc;

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
    /// The node of that name.
    pub fn find_node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(name).map(AsRef::as_ref)
    }

    /// The first required constraint that nobody can honour, for a set of this backend. A scheduler without
    /// domains comes first: no right of the operator and no level gives it any.
    pub fn find_unsupported(
        &self,
        set: &PodCliqueSet,
        backend: Backend,
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
        let levels = self.levels.as_ref();
        let missing = || topology::find_unsupported_topology(template, self.is_enabled, levels);
        self.find_unreadable()
            .or_else(missing)
            .or_else(|| find_in_pieces(set, backend))
            .or_else(|| self.find_contradiction())
    }

    /// The levels are not those of the scheduler, or not those of the nodes.
    fn find_contradiction(&self) -> Option<UnsupportedTopology> {
        let gap = self.scheduler_gap.clone();
        let ambiguous = || self.ambiguous.clone().map(UnsupportedTopology::Ambiguous);
        gap.map(UnsupportedTopology::SchedulerTopology)
            .or_else(ambiguous)
    }
}

fn find_in_pieces(set: &PodCliqueSet, backend: Backend) -> Option<UnsupportedTopology> {
    let is_tree = matches!(backend, Backend::KaiTree | Backend::KubernetesTree);
    let group = topology::find_group_in_pieces(&set.spec.template).filter(|_| !is_tree)?;
    Some(UnsupportedTopology::GroupInPieces(group.to_owned()))
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
