//! The pods with which those of a part have to share a topology domain. A scaled gang joins those of its
//! replica of the set and of its scaling group, and does not always bear their constraints.

use api::{PodGang, labels, names};
use domain::Pod;
use domain::object::ownership;
use domain::placement::{ScopeOwner, scopes_of};
use domain::topology::Levels;
use engine::Caches;

use crate::peers;
use crate::scaling_group::find_shared_level;

/// Pods that have to share a domain.
pub(crate) struct PartScope {
    /// Position of the required level.
    pub(crate) position: usize,
    /// The part of the set that the pods are: `its replica`, `group replica demo-0-g-1`.
    pub(crate) owner: String,
    /// The labels of the pods.
    pub(crate) labels: Vec<(&'static str, String)>,
}

impl PartScope {
    /// Whether the pod of the same set is one of them.
    pub(crate) fn has(&self, pod: &Pod) -> bool {
        let mut labels = self.labels.iter();
        !self.labels.is_empty()
            && labels
                .all(|(key, value)| ownership::label(&pod.metadata, key) == Some(value.as_str()))
    }
}

/// The scopes of a part that require a level, outermost first.
pub(crate) fn list(
    gang: &PodGang,
    part: &str,
    pod: &Pod,
    levels: &Levels,
    caches: &Caches,
) -> Vec<PartScope> {
    let of_replica = scope_of_replica(gang, pod, levels, caches);
    let own = scopes_of(gang).into_iter().filter_map(|scope| {
        let position = levels.position_of_key(scope.required?)?;
        let is_of_part = scope.parts.contains(&part);
        let is_of_set = scope.owner == ScopeOwner::Gang
            && of_replica.as_ref().map(|scope| scope.position) == Some(position);
        (is_of_part && !is_of_set).then(|| describe(scope.owner, position, pod))
    });
    let own: Vec<PartScope> = own.collect();
    let of_all = scope_of_scaling_group(gang, part, pod, levels, caches);
    of_replica.into_iter().chain(of_all).chain(own).collect()
}

/// That of the replica of the set: scaled gangs share it with their base gang.
fn scope_of_replica(
    gang: &PodGang,
    pod: &Pod,
    levels: &Levels,
    caches: &Caches,
) -> Option<PartScope> {
    let base = peers::base_of(gang, caches);
    let root = base.as_deref().unwrap_or(gang);
    let set = ownership::label(&root.metadata, labels::PART_OF)?;
    names::replica_of_base_gang(set, ownership::name(&root.metadata))?;
    let constraint = root.spec.topology_constraint.as_ref()?;
    let key = constraint.pack_constraint.as_ref()?.required.as_deref()?;
    Some(PartScope {
        position: levels.position_of_key(key)?,
        owner: "its replica".to_owned(),
        labels: select(pod, &[labels::PART_OF, labels::PCS_REPLICA_INDEX]),
    })
}

/// That of all replicas of the scaling group of the part: a scaled gang does not show it.
fn scope_of_scaling_group(
    gang: &PodGang,
    part: &str,
    pod: &Pod,
    levels: &Levels,
    caches: &Caches,
) -> Option<PartScope> {
    let shared = find_shared_level(gang, part, levels, caches)?;
    Some(PartScope {
        position: levels.position_of_key(&shared.key)?,
        owner: format!("scaling group {}", shared.group),
        labels: select(pod, &[labels::SCALING_GROUP]),
    })
}

fn describe(owner: ScopeOwner<'_>, position: usize, pod: &Pod) -> PartScope {
    let of_group_replica = [labels::SCALING_GROUP, labels::SCALING_GROUP_REPLICA_INDEX];
    let (owner, labels): (String, &[&'static str]) = match owner {
        ScopeOwner::Gang => ("its group replica".to_owned(), &of_group_replica),
        ScopeOwner::ScalingGroup(name) => {
            (format!("scaling group {name}"), &[labels::SCALING_GROUP])
        }
        ScopeOwner::Group(name) => (format!("group replica {name}"), &of_group_replica),
        ScopeOwner::Part(name) => (format!("PodClique {name}"), &[labels::POD_CLIQUE]),
    };
    PartScope {
        position,
        owner,
        labels: select(pod, labels),
    }
}

/// These labels of the pod.
fn select(pod: &Pod, keys: &[&'static str]) -> Vec<(&'static str, String)> {
    let label = |key: &'static str| Some((key, ownership::label(&pod.metadata, key)?.to_owned()));
    keys.iter().copied().filter_map(label).collect()
}
