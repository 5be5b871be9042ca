//! Everything that a decision on a scaling group depends on.

use std::sync::Arc;

use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::{PodClique, PodCliqueScalingGroup, labels, names};
use domain::defaults::DefaultsConfig;
use domain::intake::{self, Intake};
use domain::{Key, ownership};
use engine::World;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The group.
    pub group: Arc<PodCliqueScalingGroup>,
    /// The set that owns it, unless that is gone.
    pub owner: Option<Intake>,
    /// Its PodCliques, by name.
    pub podcliques: Vec<Arc<PodClique>>,
}

impl Snapshot {
    /// Index of the PodCliqueSet replica.
    pub fn replica(&self) -> Option<i32> {
        ownership::label_index(&self.group.metadata, labels::PCS_REPLICA_INDEX)
    }

    /// The group's entry in the template.
    pub fn config(&self) -> Option<&PodCliqueScalingGroupConfig> {
        let set = &self.owner.as_ref()?.set;
        let (set_name, i) = (ownership::name(&set.metadata), self.replica()?);
        let name = ownership::name(&self.group.metadata);
        set.spec
            .template
            .scaling_groups
            .iter()
            .find(|g| names::scaling_group(set_name, i, &g.name) == name)
    }

    /// `spec.minAvailable`; 1 if unset.
    pub fn min_available(&self) -> i32 {
        self.group.spec.min_available.unwrap_or(1)
    }

    /// The PodClique of that name, unless it is on its way out.
    pub fn podclique(&self, name: &str) -> Option<&Arc<PodClique>> {
        self.podcliques
            .iter()
            .find(|c| ownership::name(&c.metadata) == name)
            .filter(|c| !ownership::is_terminating(&c.metadata))
    }
}

/// Reads the caches.
pub fn observe(
    group: &Arc<PodCliqueScalingGroup>,
    world: &World,
    defaults: &DefaultsConfig,
) -> Snapshot {
    let meta = &group.metadata;
    let namespace = meta.namespace.clone().unwrap_or_default();
    let owner = ownership::controller(meta).and_then(|owner| {
        let set = world
            .podcliquesets
            .get(&Key::new(namespace, owner.name.clone()))?;
        let stays = !ownership::is_terminating(&set.metadata);
        (stays && ownership::uid(&set.metadata) == owner.uid).then(|| intake::take(&set, defaults))
    });
    Snapshot {
        podcliques: world.podcliques.owned_by(ownership::uid(meta)),
        group: group.clone(),
        owner,
    }
}
