//! The controller of a PodClique. Owner references decide it, as labels can be edited (decision
//! 69).

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::object::ownership;

/// The controller of a PodClique, as seen from a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The set, or a group that the set controls.
    Set,
    /// None, or a group without a controller: the set may adopt the PodClique.
    Nobody,
    /// Any other object, such as an earlier set of the same name.
    Foreign,
}

/// Finds the controller of a PodClique, as seen from the set of that uid. `group` is the scaling
/// group that its controller reference names, if one of that name was found.
pub fn owner_of(set: &str, group: Option<&ObjectMeta>, podclique: &ObjectMeta) -> Owner {
    let Some(owner) = ownership::controller(podclique) else {
        return Owner::Nobody;
    };
    if ownership::is_controlled_by(podclique, set) {
        return Owner::Set;
    }
    match group.filter(|g| ownership::uid(g) == owner.uid) {
        Some(group) if ownership::is_controlled_by(group, set) => Owner::Set,
        Some(group) if ownership::controller(group).is_none() => Owner::Nobody,
        _ => Owner::Foreign,
    }
}
