//! The level whose domain all replicas of a scaling group have to share, by the template of the set:
//! a scaled gang does not show it.

use api::{PodCliqueSet, PodGang, names};
use domain::object::ownership;
use domain::topology::{Levels, pack_of};
use domain::workload::layout;
use engine::Caches;
use engine::cache::set_of;

/// A scaling group whose replicas share a domain.
pub(crate) struct SharedLevel {
    /// Name of the PodCliqueScalingGroup.
    pub(crate) group: String,
    /// Key of the node label of the level.
    pub(crate) key: String,
}

/// That of the scaling group of a part of the gang.
pub(crate) fn find_shared_level(
    gang: &PodGang,
    part: &str,
    levels: &Levels,
    caches: &Caches,
) -> Option<SharedLevel> {
    let set = caches.of::<PodCliqueSet>().get(&set_of(&gang.metadata)?)?;
    let name = ownership::name(&set.metadata);
    let slot = layout::find(name, &set.spec.template, part)?;
    let group = slot.group?;
    let required = pack_of(group.all_replicas_topology_constraint.as_ref()).required?;
    Some(SharedLevel {
        group: names::scaling_group(name, slot.replica, &group.name),
        key: levels.key(required)?.to_owned(),
    })
}
