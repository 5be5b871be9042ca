//! The resource claims that pods share: which ones an owner has and a pod names (docs/devices.md).
//! They follow from the layout, the scope of an entry and its filter.

use std::collections::BTreeSet;

use api::names;
use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use api::resources::{
    PcsResourceSharing, PcsgResourceSharing, ResourceSharing, ResourceSharingScope,
};

use super::layout::LayoutSlot;
use crate::scheduling::kubernetes::base_of_probe;

/// The kind of a claim's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The set.
    Set,
    /// One of its scaling groups.
    Group,
    /// One of its PodCliques.
    Clique,
}

/// A claim of an entry of `resourceSharing`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedClaim<'a> {
    /// Its name.
    pub name: String,
    /// Its owner's kind.
    pub level: Level,
    /// The replica of the owner, the pod in a PodClique; `None`: one claim for all.
    pub index: Option<i32>,
    /// The entry.
    pub sharing: &'a ResourceSharing,
}

impl SharedClaim<'_> {
    /// Whether a claim with this name may be this one: the name is its own, or its own with a number
    /// behind it, which a claim gets that takes the place of an earlier one.
    pub fn may_have_name(&self, name: &str) -> bool {
        self.name == base_of_probe(name)
    }
}

/// Whether pods of the set share claims at all.
pub fn has_sharing(template: &PodCliqueSetTemplateSpec) -> bool {
    entries(template).next().is_some()
}

/// Whether pods of this clique share claims.
pub fn reach_clique(template: &PodCliqueSetTemplateSpec, clique: &PodCliqueTemplateSpec) -> bool {
    let name = clique.name.as_str();
    let mut groups = template.scaling_groups.iter();
    let group = groups.find(|group| group.clique_names.iter().any(|member| member == name));
    let mut of_set = template.resource_sharing.iter();
    let mut of_group = group.into_iter().flat_map(|group| &group.resource_sharing);
    let group = group.map(|group| group.name.as_str());
    !clique.resource_sharing.is_empty()
        || of_set.any(|entry| is_shared_in_set(entry, name, group))
        || of_group.any(|entry| is_shared_in_group(entry, name))
}

/// All entries of `resourceSharing`: those of the set, of its groups and of its cliques.
pub fn entries(template: &PodCliqueSetTemplateSpec) -> impl Iterator<Item = &ResourceSharing> {
    let of_set = template.resource_sharing.iter().map(|entry| &entry.sharing);
    let groups = template.scaling_groups.iter();
    let of_groups = groups.flat_map(|group| &group.resource_sharing);
    let cliques = template.cliques.iter();
    of_set
        .chain(of_groups.map(|entry| &entry.sharing))
        .chain(cliques.flat_map(|clique| &clique.resource_sharing))
}

/// The claims of the owner of this name, if its replicas, or the pods of a PodClique, have these
/// indexes. Whether a filter lets any pod use a claim makes no difference.
pub fn of_owner<'a>(
    level: Level,
    owner: &str,
    entries: impl IntoIterator<Item = &'a ResourceSharing>,
    indexes: &BTreeSet<i32>,
) -> Vec<SharedClaim<'a>> {
    let claim = |sharing: &'a ResourceSharing, index| claim(level, owner, sharing, index);
    entries
        .into_iter()
        .flat_map(|sharing| match sharing.scope {
            ResourceSharingScope::AllReplicas => vec![claim(sharing, None)],
            ResourceSharingScope::PerReplica => {
                let indexes = indexes.iter();
                indexes.map(|index| claim(sharing, Some(*index))).collect()
            }
        })
        .collect()
}

/// The claims that the pod with this index in this PodClique names, in their order: of the set, the
/// group and the clique, of each those of all replicas first, then as listed.
pub fn of_pod<'a>(
    set: &str,
    template: &'a PodCliqueSetTemplateSpec,
    slot: &LayoutSlot<'a>,
    index: i32,
) -> Vec<SharedClaim<'a>> {
    let mut claims = of_parents(set, template, slot);
    let mut cliques = template.cliques.iter();
    let clique = cliques.find(|clique| clique.name == slot.clique);
    let own = clique.into_iter().flat_map(|c| &c.resource_sharing);
    claims.extend(in_order(Level::Clique, &slot.name, own, Some(index)));
    claims
}

/// Those of them that the set and the scaling group own: all pods of the PodClique name the same.
pub fn of_parents<'a>(
    set: &str,
    template: &'a PodCliqueSetTemplateSpec,
    slot: &LayoutSlot<'a>,
) -> Vec<SharedClaim<'a>> {
    let of_set = template.resource_sharing.iter();
    let group = slot.group.map(|group| group.name.as_str());
    let of_set = of_set.filter(|entry| is_shared_in_set(entry, slot.clique, group));
    let of_set = of_set.map(|entry| &entry.sharing);
    let mut claims = in_order(Level::Set, set, of_set, Some(slot.replica));
    if let Some(group) = slot.group {
        let name = names::scaling_group(set, slot.replica, &group.name);
        let entries = group.resource_sharing.iter();
        let entries = entries.filter(|entry| is_shared_in_group(entry, slot.clique));
        let entries = entries.map(|entry| &entry.sharing);
        claims.extend(in_order(Level::Group, &name, entries, slot.group_replica));
    }
    claims
}

fn in_order<'a>(
    level: Level,
    owner: &str,
    entries: impl Iterator<Item = &'a ResourceSharing>,
    index: Option<i32>,
) -> Vec<SharedClaim<'a>> {
    let is_for_all =
        |sharing: &&ResourceSharing| sharing.scope == ResourceSharingScope::AllReplicas;
    let (all, each): (Vec<_>, Vec<_>) = entries.partition(is_for_all);
    let all = all.into_iter().map(|sharing| (sharing, None));
    all.chain(each.into_iter().map(|sharing| (sharing, index)))
        .map(|(sharing, index)| claim(level, owner, sharing, index))
        .collect()
}

fn claim<'a>(
    level: Level,
    owner: &str,
    sharing: &'a ResourceSharing,
    index: Option<i32>,
) -> SharedClaim<'a> {
    let name = match index {
        None => names::shared_claim(owner, &sharing.name),
        Some(index) => names::replica_claim(owner, index, &sharing.name),
    };
    SharedClaim {
        name,
        level,
        index,
        sharing,
    }
}

fn is_shared_in_set(entry: &PcsResourceSharing, clique: &str, group: Option<&str>) -> bool {
    let Some(filter) = &entry.filter else {
        return true;
    };
    let mut groups = filter.child_scaling_group_names.iter();
    names_it(&filter.child_clique_names, clique) || groups.any(|g| Some(g.as_str()) == group)
}

fn is_shared_in_group(entry: &PcsgResourceSharing, clique: &str) -> bool {
    let filter = entry.filter.as_ref();
    filter.is_none_or(|filter| names_it(&filter.child_clique_names, clique))
}

fn names_it(names: &[String], name: &str) -> bool {
    names.iter().any(|named| named == name)
}
