//! Everything that a decision on a scaling group depends on.

use std::sync::Arc;

use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::{PodClique, PodCliqueScalingGroup, labels, names};
use domain::defaults::DefaultsConfig;
use domain::fence::{self, Attempt};
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
    /// Its PodCliques, and those that it may adopt.
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

    /// The attempt in which PodCliques of group replica `j` are created.
    pub fn attempt(&self, j: i32) -> Attempt {
        let status = self.group.status.as_ref();
        let group = status.map_or(0, |s| fence::present(&s.replica_attempts, j));
        Attempt {
            set: self.set_attempt(),
            group,
        }
    }

    /// The attempt of the PodCliqueSet replica.
    pub fn set_attempt(&self) -> i32 {
        let status = self.owner.as_ref().and_then(|o| o.set.status.as_ref());
        let attempts = status.map_or(&[][..], |s| &s.replica_attempts);
        self.replica().map_or(0, |i| fence::present(attempts, i))
    }

    /// The attempt of the PodCliqueSet replica that this group's status speaks of.
    pub fn observed_attempt(&self) -> i32 {
        self.group
            .status
            .as_ref()
            .and_then(|s| s.observed_attempt)
            .unwrap_or(0)
    }

    /// Whether a PodClique is of the present attempt of its group replica.
    pub fn is_current(&self, podclique: &PodClique) -> bool {
        let replica =
            ownership::label_index(&podclique.metadata, labels::SCALING_GROUP_REPLICA_INDEX);
        replica.is_none_or(|j| Attempt::of(&podclique.metadata) == self.attempt(j))
    }

    /// The PodClique of that name, unless it is on its way out or of an earlier attempt.
    pub fn podclique(&self, name: &str) -> Option<&Arc<PodClique>> {
        self.podcliques
            .iter()
            .find(|c| ownership::name(&c.metadata) == name)
            .filter(|c| !ownership::is_terminating(&c.metadata) && self.is_current(c))
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
        podcliques: podcliques(group, world),
        group: group.clone(),
        owner,
    }
}

/// What the group controls, and what nobody controls but says it belongs to it.
fn podcliques(group: &PodCliqueScalingGroup, world: &World) -> Vec<Arc<PodClique>> {
    let meta = &group.metadata;
    let set = ownership::label(meta, labels::PART_OF).unwrap_or_default();
    let set = Key::new(meta.namespace.clone().unwrap_or_default(), set);
    let name = ownership::name(meta);
    let says_so =
        |c: &Arc<PodClique>| ownership::label(&c.metadata, labels::SCALING_GROUP) == Some(name);
    let mut all = world.podcliques.owned_by(ownership::uid(meta));
    all.extend(
        world
            .podcliques
            .orphans_of(&set)
            .into_iter()
            .filter(says_so),
    );
    all
}
