//! Topology constraints in the PodGroup of KAI Scheduler: those of the PodGang, or else those that
//! the set requests in annotations. Constraints that the operator did not write stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::kai::{KaiPodGroup, KaiSubGroup, KaiTopologyConstraint, keys};
use api::podgang::PackConstraint;
use api::{PodClique, PodGang, names};
use domain::object::ownership;
use domain::scheduling::{leaf_name, replica_name};
use engine::Caches;
use serde_json::Value;

use crate::backend::is_noted;
use crate::backend::lost_levels::LostLevels;
use crate::backend::topology::Topology;
use crate::backend::tree::GroupParts;

/// The constraint of the PodGroup, in annotation `grove.io/fields-written`.
pub(super) const OF_GANG: &str = "topologyConstraint";
/// Those of its subgroups.
pub(super) const OF_SUBGROUPS: &str = "subGroups.topologyConstraint";

const TOPOLOGY: &str = "topology";
const REQUIRED: &str = "requiredTopologyLevel";
const PREFERRED: &str = "preferredTopologyLevel";

/// The annotations of a set, each with the field that it requests.
const REQUESTS: [(&str, &str); 3] = [
    (keys::TOPOLOGY, TOPOLOGY),
    (keys::TOPOLOGY_REQUIRED, REQUIRED),
    (keys::TOPOLOGY_PREFERRED, PREFERRED),
];

/// The constraints of the nodes of a tree, by name.
pub(in crate::backend) type NodeConstraints = BTreeMap<String, KaiTopologyConstraint>;

/// A constraint in KAI's form.
pub(super) fn build_constraint(
    topology: &Topology,
    pack: Option<&PackConstraint>,
) -> Option<KaiTopologyConstraint> {
    let pack = pack.filter(|pack| **pack != PackConstraint::default())?;
    let fields = [
        (TOPOLOGY, Some(&topology.name)),
        (REQUIRED, pack.required.as_ref()),
        (PREFERRED, pack.preferred.as_ref()),
    ];
    let fields = fields.into_iter().filter_map(|(field, value)| {
        let value = Value::from(value?.as_str());
        Some((field.to_owned(), value))
    });
    Some(fields.collect())
}

/// Whether there is a constraint. KAI writes an empty one where there is none.
pub(super) fn is_set(constraint: Option<&KaiTopologyConstraint>) -> bool {
    constraint.is_some_and(|constraint| !constraint.is_empty())
}

/// The constraints that the operator decides: those that it writes, and those that it wrote before.
/// As soon as it writes one of a subgroup it decides those of all subgroups.
pub(super) struct Decided {
    /// That of the gang; empty if it has none.
    gang: KaiTopologyConstraint,
    had_gang: bool,
    has_subgroups: bool,
    had_subgroups: bool,
}

impl Decided {
    /// For the PodGroup that is to be corrected, with these subgroups.
    pub(super) fn of(
        found: &KaiPodGroup,
        gang: &PodGang,
        topology: &Topology,
        subgroups: &[KaiSubGroup],
    ) -> Self {
        let mut subgroups = subgroups.iter();
        Self {
            gang: build_constraint(topology, Some(&topology.gang))
                .unwrap_or_else(|| find_requested(gang)),
            had_gang: is_noted(&found.metadata, OF_GANG),
            has_subgroups: subgroups.any(|subgroup| subgroup.topology_constraint.is_some()),
            had_subgroups: is_noted(&found.metadata, OF_SUBGROUPS),
        }
    }

    /// Keeps the constraint of a known subgroup if it is another writer's.
    pub(super) fn keep_foreign(&self, subgroup: &mut KaiSubGroup, known: &KaiSubGroup) {
        if !self.has_subgroups && !self.had_subgroups {
            let foreign = &known.topology_constraint;
            subgroup.topology_constraint.clone_from(foreign);
        }
    }

    /// Writes the constraint of the gang.
    pub(super) fn write(&self, current: &mut Option<KaiTopologyConstraint>) {
        if self.gang.is_empty() && !self.had_gang {
            return;
        }
        let mut next = current.take().unwrap_or_default();
        next.retain(|field, _| ![TOPOLOGY, REQUIRED, PREFERRED].contains(&field.as_str()));
        next.extend(self.gang.clone());
        *current = (!next.is_empty()).then_some(next);
    }

    /// Whether a field that the PodGroup has is one that the operator wrote.
    pub(super) fn is_ours(&self, field: &str) -> bool {
        match field {
            OF_GANG => !self.gang.is_empty(),
            OF_SUBGROUPS => self.has_subgroups,
            _ => true,
        }
    }
}

/// The constraint that annotations request; none beside constraints of the PodGang.
fn find_requested(gang: &PodGang) -> KaiTopologyConstraint {
    if !Topology::of(gang).is_empty() {
        return KaiTopologyConstraint::new();
    }
    let requested = requests(gang);
    requested
        .map(|(_, field, value)| (field.to_owned(), Value::from(value)))
        .collect()
}

/// The annotations that have no effect beside constraints of the PodGang, for people.
pub(super) fn refused(gang: &PodGang) -> Vec<String> {
    if Topology::of(gang).is_empty() {
        return Vec::new();
    }
    let refused = requests(gang);
    refused
        .map(|(key, _, value)| {
            format!(
                "annotation {key}: {value} has no effect beside a topologyConstraint of the \
                 template; remove it from the set"
            )
        })
        .collect()
}

/// Key, field and value of each annotation.
fn requests(gang: &PodGang) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
    REQUESTS.into_iter().filter_map(move |(key, field)| {
        let value = ownership::annotation(&gang.metadata, key)?;
        Some((key, field, value))
    })
}

/// The constraints of the nodes of the tree of these parts, whose base gang this is.
pub(in crate::backend) fn find_of_tree(
    gang: &PodGang,
    standalone: &[Arc<PodClique>],
    groups: &[GroupParts],
    caches: &Caches,
) -> NodeConstraints {
    let grouped: Vec<(&str, i32, &PodClique)> = groups.iter().flat_map(members_of).collect();
    let group_replicas = grouped
        .iter()
        .map(|(group, j, podclique)| (names::group_constraint(group, *j), *podclique));
    let topology = Topology::of_replica(gang, group_replicas, caches);
    let podcliques = standalone.iter().map(|podclique| &**podclique);
    let podcliques = podcliques.chain(grouped.iter().map(|(_, _, podclique)| *podclique));
    let lost = LostLevels::of_tree(&topology, podcliques, caches);
    let topology = topology.without(&lost);
    let scaling_groups = topology.scaling_groups.iter().filter_map(|(name, pack)| {
        let constraint = build_constraint(&topology, Some(pack))?;
        Some((name.clone(), constraint))
    });
    let nodes = grouped.iter().filter_map(|(group, j, _)| {
        let pack = topology
            .group_replicas
            .get(&names::group_constraint(group, *j));
        Some((replica_name(group, *j), build_constraint(&topology, pack)?))
    });
    let grouped = grouped.iter().map(|(_, _, podclique)| *podclique);
    let podcliques = standalone.iter().map(|podclique| &**podclique);
    let leaves = podcliques.chain(grouped).filter_map(|podclique| {
        let meta = &podclique.metadata;
        let pack = topology.podcliques.get(ownership::name(meta));
        Some((leaf_name(meta), build_constraint(&topology, pack)?))
    });
    scaling_groups.chain(nodes).chain(leaves).collect()
}

/// The PodCliques of a group, each with the group's name and the index of its replica.
fn members_of((group, podcliques): &GroupParts) -> Vec<(&str, i32, &PodClique)> {
    let name = ownership::name(&group.metadata);
    podcliques
        .iter()
        .filter_map(|podclique| {
            let j = ownership::group_replica_in(name, &podclique.metadata)?;
            Some((name, j, &**podclique))
        })
        .collect()
}
