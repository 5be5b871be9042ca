//! The triggers of a binding: itself, and the Topologies that it is about.

use api::ClusterTopologyBinding;
use api::kai::KaiTopology;
use domain::Key;
use domain::object::ownership;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};

use crate::observe::topology_names;

/// Registers all triggers.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<ClusterTopologyBinding>(|change, _| find::own(change));
    on.on_change::<KaiTopology>(from_topology);
}

/// The bindings with the name of the Topology, owned by it or not, and those with an entry for it.
fn from_topology(change: &Change<KaiTopology>, caches: &Caches) -> Vec<Key> {
    let Some(topology) = change.newest() else {
        return Vec::new();
    };
    let name = ownership::name(&topology.metadata);
    let bindings = caches.of::<ClusterTopologyBinding>().all();
    bindings
        .iter()
        .filter(|binding| topology_names(binding).any(|read| read == name))
        .map(|binding| Key::of(&binding.metadata))
        .collect()
}
