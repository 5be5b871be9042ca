//! The topology domains that the pods of a gang share.

use api::podgang::GangTopologyConstraint;
use api::{PodCliqueSet, PodGang, labels, names};
use domain::object::ownership;
use domain::topology::{Levels, pack_of};
use domain::workload::layout;
use serde::Serialize;

/// Pods that share a topology domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackedScope {
    /// Name of the gang, scaling group, group replica or PodClique whose pods these are. With the name of its base
    /// gang the pods of a scaled gang share the domain of that one's pods.
    pub scope: String,
    /// Name of the level whose domain they have to share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// Name of the level whose domain they should share, if it has room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred: Option<String>,
}

/// The scopes of a gang with this base gang, the outermost first.
pub(super) fn list_scopes(
    set: &PodCliqueSet,
    gang: &PodGang,
    base: Option<&str>,
) -> Vec<PackedScope> {
    let stored = ownership::annotation(&gang.metadata, labels::TOPOLOGY_LEVELS);
    let levels = stored.and_then(Levels::from_text).unwrap_or_default();
    let spec = &gang.spec;
    let whole = [(ownership::name(&gang.metadata), &spec.topology_constraint)];
    let groups = spec
        .scaling_group_topology_constraints
        .iter()
        .chain(&spec.topology_constraint_group_configs);
    let groups = groups.map(|config| (&*config.name, &config.topology_constraint));
    let parts = spec.pod_groups.iter();
    let parts = parts.map(|part| (&*part.name, &part.topology_constraint));
    let all = whole.into_iter().chain(groups).chain(parts);
    let own = all.filter_map(|(scope, constraint)| describe(scope, constraint.as_ref()?, &levels));
    match base {
        Some(base) => join_base(set, gang, base, own.collect()),
        None => own.collect(),
    }
}

fn describe(
    scope: &str,
    constraint: &GangTopologyConstraint,
    levels: &Levels,
) -> Option<PackedScope> {
    let pack = constraint.pack_constraint.as_ref()?;
    let level = |key: &Option<String>| {
        let key = key.as_ref()?;
        let position = levels.position_of_key(key);
        let level = position.and_then(|position| levels.as_slice().get(position));
        Some(level.map_or_else(|| key.clone(), |level| level.domain.clone()))
    };
    Some(PackedScope {
        scope: scope.to_owned(),
        required: level(&pack.required),
        preferred: level(&pack.preferred),
    })
}

/// The constraint of the set binds all gangs of a replica to the domain that its base gang chooses,
/// and that of all replicas of a scaling group binds them to the domain of those in the base gang.
fn join_base(
    set: &PodCliqueSet,
    gang: &PodGang,
    base: &str,
    own: Vec<PackedScope>,
) -> Vec<PackedScope> {
    let joined: Vec<PackedScope> = shared_domains(set, gang, base).collect();
    let is_shared = |level: &String| {
        joined
            .iter()
            .any(|scope| scope.required.as_ref() == Some(level))
    };
    let narrower = own.into_iter().map(|scope| PackedScope {
        required: scope.required.filter(|level| !is_shared(level)),
        ..scope
    });
    let narrower = narrower.filter(|scope| scope.required.is_some() || scope.preferred.is_some());
    let narrower: Vec<PackedScope> = narrower.collect();
    joined.into_iter().chain(narrower).collect()
}

fn shared_domains(
    set: &PodCliqueSet,
    gang: &PodGang,
    base: &str,
) -> impl Iterator<Item = PackedScope> {
    let (name, template) = (ownership::name(&set.metadata), &set.spec.template);
    let of_set = template.topology_constraint.as_ref();
    let part = gang.spec.pod_groups.first();
    let slot = part.and_then(|part| layout::find(name, template, &part.name));
    let group = slot.and_then(|slot| Some((slot.replica, slot.group?)));
    let of_group = group.map(|(replica, group)| {
        let scope = names::scaling_group(name, replica, &group.name);
        (scope, group.all_replicas_topology_constraint.as_ref())
    });
    let all = [Some((base.to_owned(), of_set)), of_group];
    all.into_iter().flatten().filter_map(|(scope, constraint)| {
        Some(PackedScope {
            scope,
            required: Some(pack_of(constraint).required?.to_owned()),
            preferred: None,
        })
    })
}
