//! The inputs of a decision.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::ClusterTopologyBinding;
use api::kai::KaiTopology;
use api::topology::SchedulerTopologyBinding;
use domain::Key;
use domain::object::ownership;
use domain::scheduling::Profiles;
use engine::Caches;

/// All that a decision depends on.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The binding.
    pub binding: Arc<ClusterTopologyBinding>,
    /// The names by which pods ask for KAI Scheduler, from the operator's configuration.
    pub schedulers: Vec<String>,
    /// Whether the cluster serves Topologies of KAI Scheduler, as far as is known.
    pub is_served: bool,
    /// The existing Topologies that the binding is about, by name: that of its own name, and those
    /// of its entries.
    pub topologies: BTreeMap<String, Arc<KaiTopology>>,
}

impl Snapshot {
    /// Name of the binding, and of the Topology that the operator maintains for it.
    pub(crate) fn name(&self) -> &str {
        ownership::name(&self.binding.metadata)
    }

    /// The entry of the binding for this scheduler; the first one, should there be several.
    pub(crate) fn entry(&self, scheduler: &str) -> Option<&SchedulerTopologyBinding> {
        let mut entries = self.binding.spec.scheduler_topology_bindings.iter();
        entries.find(|entry| entry.scheduler_name == scheduler)
    }

    /// The Topology of that name, if it exists.
    pub(crate) fn topology(&self, name: &str) -> Option<&KaiTopology> {
        self.topologies.get(name).map(AsRef::as_ref)
    }
}

/// Reads the caches.
pub fn observe(
    binding: &Arc<ClusterTopologyBinding>,
    caches: &Caches,
    profiles: &Profiles,
) -> Snapshot {
    let topologies = caches.of::<KaiTopology>();
    let find = |name: &str| Some((name.to_owned(), topologies.get(&Key::new("", name))?));
    Snapshot {
        binding: binding.clone(),
        schedulers: profiles.kai_schedulers().map(str::to_owned).collect(),
        is_served: caches.is_served::<KaiTopology>(""),
        topologies: topology_names(binding).filter_map(find).collect(),
    }
}

/// Names of the Topologies that a binding is about.
pub(crate) fn topology_names(binding: &ClusterTopologyBinding) -> impl Iterator<Item = &str> {
    let entries = binding.spec.scheduler_topology_bindings.iter();
    let named = entries.map(|entry| entry.topology_reference.as_str());
    named.chain([ownership::name(&binding.metadata)])
}
