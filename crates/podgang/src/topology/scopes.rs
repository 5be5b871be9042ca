//! The scopes of a gang, with their pods. A scaled gang joins the domain of its replica of the set, and that of
//! its scaling group, and does not always bear their constraints: its base gang is judged by its pods too.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodGang, labels, names};
use domain::Pod;
use domain::object::ownership;
use domain::placement::{GangScope, ScopeOwner, scopes_of};
use domain::topology::Levels;
use engine::Caches;
use engine::cache::set_of;

use crate::gang_part::GangPart;
use crate::scaling_group::find_shared_level;

/// Pods that have to share a domain.
pub(super) struct Scope<'a> {
    /// The gang, scaling group, group replica or PodClique.
    pub(super) name: String,
    /// Key of the node label of the required level.
    pub(super) key: String,
    members: Members<'a>,
}

enum Members<'a> {
    /// The pods of these parts of the gang.
    Parts(Vec<&'a str>),
    /// The pods of all gangs of this replica of the set.
    Replica(i32),
    /// The pods of all replicas of the scaling group, which has the scope's name.
    ScalingGroup,
}

/// The scopes that require a level, outermost first; those of scaling groups that only the template
/// shows come last.
pub(super) fn list<'a>(
    gang: &'a PodGang,
    parts: &[GangPart],
    levels: &Levels,
    caches: &Caches,
) -> Vec<Scope<'a>> {
    let replica = replica_of_base(gang);
    let mut scopes: Vec<Scope<'a>> = scopes_of(gang)
        .into_iter()
        .filter_map(|scope| of_gang(gang, replica, scope))
        .collect();
    if replica.is_none() {
        return scopes;
    }
    let shared = parts
        .iter()
        .filter_map(|part| find_shared_level(gang, &part.name, levels, caches));
    let mut shared: BTreeMap<String, String> = shared.map(|s| (s.group, s.key)).collect();
    shared.retain(|group, _| scopes.iter().all(|scope| scope.name != *group));
    scopes.extend(shared.into_iter().map(|(name, key)| Scope {
        name,
        key,
        members: Members::ScalingGroup,
    }));
    scopes
}

/// The replica of the set whose base gang it is.
fn replica_of_base(gang: &PodGang) -> Option<i32> {
    let set = set_of(&gang.metadata)?;
    names::replica_of_base_gang(&set.name, ownership::name(&gang.metadata))
}

fn of_gang<'a>(gang: &PodGang, replica: Option<i32>, scope: GangScope<'a>) -> Option<Scope<'a>> {
    let key = scope.required?.to_owned();
    let (name, members) = match scope.owner {
        ScopeOwner::Gang => {
            let members = replica.map_or(Members::Parts(scope.parts), Members::Replica);
            (ownership::name(&gang.metadata), members)
        }
        ScopeOwner::ScalingGroup(name) => (name, Members::ScalingGroup),
        ScopeOwner::Group(name) | ScopeOwner::Part(name) => (name, Members::Parts(scope.parts)),
    };
    Some(Scope {
        name: name.to_owned(),
        key,
        members,
    })
}

impl Scope<'_> {
    /// Its pods.
    pub(super) fn pods(
        &self,
        gang: &PodGang,
        parts: &[GangPart],
        caches: &Caches,
    ) -> Vec<Arc<Pod>> {
        let (label, value) = match &self.members {
            Members::Parts(names) => return pods_of(parts, names),
            Members::Replica(replica) => (labels::PCS_REPLICA_INDEX, replica.to_string()),
            Members::ScalingGroup => (labels::SCALING_GROUP, self.name.clone()),
        };
        let set = set_of(&gang.metadata);
        let mut pods = set.map_or_else(Vec::new, |set| caches.of::<Pod>().part_of(&set));
        pods.retain(|pod| ownership::label(&pod.metadata, label) == Some(value.as_str()));
        pods
    }
}

fn pods_of(parts: &[GangPart], names: &[&str]) -> Vec<Arc<Pod>> {
    let parts = parts.iter().filter(|p| names.contains(&p.name.as_str()));
    parts.flat_map(|part| part.pods.iter().cloned()).collect()
}
