//! The topology domains that the pods of a gang share.

use api::podgang::GangTopologyConstraint;
use api::{PodCliqueSet, PodGang, labels};
use domain::object::ownership;
use domain::topology::{Levels, pack_of};
use serde::Serialize;

/// Pods that share a topology domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackedScope {
    /// Name of the gang, group replica or PodClique whose pods these are. With the name of its base
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
    let groups = spec.topology_constraint_group_configs.iter();
    let groups = groups.map(|config| (&*config.name, &config.topology_constraint));
    let parts = spec.pod_groups.iter();
    let parts = parts.map(|part| (&*part.name, &part.topology_constraint));
    let all = whole.into_iter().chain(groups).chain(parts);
    let own = all.filter_map(|(scope, constraint)| describe(scope, constraint.as_ref()?, &levels));
    match base {
        Some(base) => join_base(set, base, own.collect()),
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

/// The constraint of the set binds all gangs of a replica to the domain that its base gang chooses.
fn join_base(set: &PodCliqueSet, base: &str, own: Vec<PackedScope>) -> Vec<PackedScope> {
    let of_set = pack_of(set.spec.template.topology_constraint.as_ref());
    let Some(shared) = of_set.required else {
        return own;
    };
    let joined = PackedScope {
        scope: base.to_owned(),
        required: Some(shared.to_owned()),
        preferred: None,
    };
    let narrower = own.into_iter().map(|scope| PackedScope {
        required: scope.required.filter(|level| level != shared),
        ..scope
    });
    let narrower = narrower.filter(|scope| scope.required.is_some() || scope.preferred.is_some());
    std::iter::once(joined).chain(narrower).collect()
}
