//! Scopes: the pods that have to share a topology domain. The constraint of the set makes one of
//! each of its replicas, scaled gangs included, those of a scaling group make one of all its replicas
//! in a replica of the set and one of each group replica, and that of a clique makes one of each
//! PodClique.

use std::sync::Arc;

use api::podcliqueset::PodCliqueSetTemplateSpec;
use api::podgang::PodPlacement;
use domain::Pod;
use domain::topology::{self, Levels, ScopeState, Selector};
use domain::workload::layout::LayoutSlot;

use super::places::{Place, Places};
use crate::observe::TopologyFacts;

/// Names a scope in a set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeKey {
    /// Position of the required level.
    position: usize,
    owner: Owner,
}

/// The part of the set to which a constraint applies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Owner {
    Replica(i32),
    ScalingGroup(i32, String),
    GroupReplica(i32, String, i32),
    PodClique(String),
}

impl Owner {
    fn has(&self, slot: &LayoutSlot<'_>) -> bool {
        match self {
            Self::Replica(replica) => slot.replica == *replica,
            Self::ScalingGroup(replica, group) => {
                let config = slot.group.map(|config| config.name.as_str());
                slot.replica == *replica && config == Some(group)
            }
            Self::GroupReplica(replica, group, j) => {
                let config = slot.group.map(|config| config.name.as_str());
                slot.replica == *replica && config == Some(group) && slot.group_replica == Some(*j)
            }
            Self::PodClique(name) => slot.name == *name,
        }
    }
}

/// Pods of the present attempt that have to share a domain.
pub(super) struct Scope<'a> {
    position: usize,
    members: Vec<&'a Place<'a>>,
}

/// The scopes of the PodClique of that name that require a known level.
pub(super) fn keys_of(places: &Places<'_>, name: &str, levels: &Levels) -> Vec<ScopeKey> {
    let Some(place) = places.find(name) else {
        return Vec::new();
    };
    let slot = &place.slot;
    let [of_set, of_all, of_group, of_clique] = required_levels(places.template(), slot);
    let config = slot.group.map(|config| config.name.clone());
    let all = config
        .clone()
        .map(|name| Owner::ScalingGroup(slot.replica, name));
    let group = config.zip(slot.group_replica);
    let group = group.map(|(name, j)| Owner::GroupReplica(slot.replica, name, j));
    let owners = [
        (of_set, Some(Owner::Replica(slot.replica))),
        (of_all, all),
        (of_group, group),
        (of_clique, Some(Owner::PodClique(slot.name.clone()))),
    ];
    owners
        .into_iter()
        .filter_map(|(level, owner)| {
            Some(ScopeKey {
                position: levels.position(level?)?,
                owner: owner?,
            })
        })
        .collect()
}

/// The levels that a slot is required to share: by the set, for all replicas of its group, for its
/// group replica, and by its clique.
fn required_levels<'t>(
    template: &'t PodCliqueSetTemplateSpec,
    slot: &LayoutSlot<'t>,
) -> [Option<&'t str>; 4] {
    let mut cliques = template.cliques.iter();
    let clique = cliques.find(|clique| clique.name == slot.clique);
    let group = slot.group;
    [
        template.topology_constraint.as_ref(),
        group.and_then(|group| group.all_replicas_topology_constraint.as_ref()),
        group.and_then(|group| group.topology_constraint.as_ref()),
        clique.and_then(|clique| clique.topology_constraint.as_ref()),
    ]
    .map(|constraint| topology::pack_of(constraint).required)
}

impl<'a> Scope<'a> {
    /// The scope of that key.
    pub(super) fn of(places: &'a Places<'a>, key: &ScopeKey, replica: i32) -> Self {
        let members = places.in_replica(replica);
        Self {
            position: key.position,
            members: members.filter(|place| key.owner.has(&place.slot)).collect(),
        }
    }

    /// Where its bound pods are.
    pub(super) fn state(&self, levels: &Levels, facts: &TopologyFacts) -> ScopeState {
        let pods: Vec<&Pod> = self.pods().map(|(_, pod)| &**pod).collect();
        let find = |name: &str| facts.find_node(name);
        topology::judge_scope(&pods, levels, self.position, find)
    }

    /// Whether a PodGang lists a pod of it that exists.
    pub(super) fn has_listed_pod(&self) -> bool {
        let mut pods = self.pods();
        pods.any(|(place, pod)| place.listed.contains(pod.name()))
    }

    /// Key of the node label of the required level.
    pub(super) fn key<'l>(&self, levels: &'l Levels) -> Option<&'l str> {
        let level = levels.as_slice().get(self.position)?;
        Some(&level.key)
    }

    /// The pods without a node that may only be placed in a domain of the required level that was
    /// chosen earlier, now or once their gate is removed; each with its pin.
    pub(super) fn pinned_pods(
        &self,
        levels: &Levels,
    ) -> impl Iterator<Item = (&'a Arc<Pod>, Selector)> {
        let key = self.key(levels).map(str::to_owned);
        let unbound = self.pods().filter(|(_, pod)| !pod.is_scheduled());
        unbound.filter_map(move |(place, pod)| {
            let pin = pin_of(place, pod);
            pin.contains_key(key.as_deref()?).then_some((pod, pin))
        })
    }

    fn pods(&self) -> impl Iterator<Item = (&'a Place<'a>, &'a Arc<Pod>)> {
        let members = self.members.iter().copied();
        members.flat_map(|place| place.part.staying().map(move |pod| (place, pod)))
    }
}

/// The node labels of all domains in which scopes run.
pub(super) fn unite<'s>(states: impl Iterator<Item = &'s ScopeState>) -> Selector {
    let mut all = Selector::new();
    for state in states {
        if let ScopeState::In(domain) = state {
            all.extend(domain.clone());
        }
    }
    all
}

/// The node labels that a pod has got, or gets with the removal of its gate.
fn pin_of(place: &Place<'_>, pod: &Pod) -> Selector {
    let mut pin = topology::pin_of(pod);
    let is_listed = place.listed.contains(pod.name());
    let index = pod.index().filter(|_| is_listed);
    let coming = index.and_then(|index| placement_of(place.placements, index));
    for (key, value) in coming.into_iter().flatten() {
        pin.entry(key.clone()).or_insert_with(|| value.clone());
    }
    pin
}

/// The node labels of the pod with this index.
pub(super) fn placement_of(placements: &[PodPlacement], index: i32) -> Option<&Selector> {
    let mut placements = placements.iter();
    let placement = placements.find(|placement| placement.indexes.contains(&index))?;
    Some(&placement.node_selector)
}
