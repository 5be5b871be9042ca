//! Everything that the status of a PodGang depends on.

use std::sync::Arc;

use api::PodGang;
use domain::{Key, Pod};
use engine::World;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The gang.
    pub gang: Arc<PodGang>,
    /// The parts, in the order of the gang.
    pub parts: Vec<Part>,
}

/// One part of the gang.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Name of the PodClique.
    pub name: String,
    /// How many pods have to be placed together.
    pub min_replicas: i32,
    /// Listed pods that exist and stay, in the order of the list.
    pub pods: Vec<Arc<Pod>>,
}

/// Reads the caches.
pub fn observe(gang: &Arc<PodGang>, world: &World) -> Snapshot {
    let parts = gang.spec.pod_groups.iter().map(|group| Part {
        name: group.name.clone(),
        min_replicas: group.min_replicas,
        pods: group
            .pod_references
            .iter()
            .filter_map(|r| {
                world
                    .pods
                    .get(&Key::new(r.namespace.clone(), r.name.clone()))
            })
            .filter(|p| !p.is_terminating())
            .collect(),
    });
    Snapshot {
        parts: parts.collect(),
        gang: gang.clone(),
    }
}
