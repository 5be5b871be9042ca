//! The objects for Kubernetes' own scheduler: a PodGroup for pods that are placed together, under
//! CompositePodGroups if a number of pods does not suffice to describe a gang (decision 87).

mod claims;
mod dropped;
mod objects;
mod observe;
mod shape;
mod wanted_objects;
mod workload;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::PodGang;
use domain::object::ownership;
use domain::plan::{Action, Purpose, Target};
use domain::scheduling::Backend;
use domain::scheduling::kubernetes::base_of_probe;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use kube::Resource;
use serde_json::json;

use super::is_ours;
use super::topology::Topology;
pub use claims::{ClaimsOfGroups, find_claims};
pub(super) use dropped::dropped;
use objects::Objects;
pub(super) use observe::observe;
pub(super) use shape::shape_of;
pub use wanted_objects::{Shape, WantedComposite, WantedGroup, WantedObjects};

/// The existing objects for the scheduler, and the inputs of the wanted ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// How a gang is laid out in groups.
    pub shape: Shape,
    /// PodCliques whose pods name PodGroups.
    pub members: Vec<Member>,
    /// PodGroups by name: those that pods name and those that the gang controls.
    pub groups: BTreeMap<String, Arc<PodGroup>>,
    /// CompositePodGroups by name, chosen in the same way.
    pub composites: BTreeMap<String, Arc<CompositePodGroup>>,
    /// The Workloads that both may refer to, by name.
    pub workloads: BTreeMap<String, Arc<Workload>>,
    /// The topology constraints of the gang, or of all gangs of a tree.
    pub topology: Topology,
    /// The resource claims that pods of a PodGroup share.
    pub claims: ClaimsOfGroups,
    /// Whether each part of the gang has as many pods on nodes as it needs.
    pub is_placed: bool,
    /// Whether any pod has a node.
    pub is_begun: bool,
    /// Whether a part that needs pods has none.
    pub lacks_pods: bool,
    /// Whether the cluster serves PodGroups at all.
    pub serves_groups: bool,
    /// Whether it serves CompositePodGroups and Workloads.
    pub serves_composites: bool,
}

/// A PodClique with pods that stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub podclique: String,
    /// Name of the PodGroup that its pods bear.
    pub group: String,
    /// How many of them have to be placed.
    pub minimum: u32,
    /// How many pods it will have.
    pub pods: u32,
    /// Whether its PodGang lists one of them: before that the scheduler must not get them.
    pub is_listed: bool,
    /// How many of them it lists that have not done their work.
    pub listed: u32,
    /// Its place in a scaling group.
    pub place: Option<GroupPosition>,
    /// Whether it belongs to a scaled gang.
    pub is_scaled: bool,
}

impl Member {
    /// Whether it shares its PodGroup.
    fn shares_group(&self) -> bool {
        base_of_probe(&self.group) != self.podclique
    }
}

/// A place in a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupPosition {
    /// Name of the PodCliqueScalingGroup.
    pub group: String,
    /// Index of the group replica.
    pub replica: i32,
    /// How many of them have to be placed.
    pub required: u32,
}

impl Facts {
    /// Whether the scheduler has parts that have no node yet, and another part has no pods, or has
    /// some again that are listed once all of them exist.
    fn is_awaiting_pods(&self) -> bool {
        let is_known = |member: &Member| self.groups.contains_key(&member.group);
        let comes_back = |m: &Member| is_known(m) && !m.is_listed && m.minimum > 0;
        let lacks_pods = self.lacks_pods || self.members.iter().any(comes_back);
        !self.is_begun && lacks_pods && self.members.iter().any(is_known)
    }
}

/// The writes that bring the scheduler's objects up to date.
pub(super) fn plan(gang: &PodGang, facts: &Facts) -> Vec<Vec<Action>> {
    if !facts.serves_groups {
        return Vec::new();
    }
    let wanted = WantedObjects::of(gang, facts);
    let objects = Objects::of(gang, facts, &wanted);
    let can_exist = |g: &WantedGroup| facts.serves_composites || !g.needs_composites();
    let missing = wanted
        .groups
        .iter()
        .filter(|g| !facts.groups.contains_key(&g.name) && can_exist(g));
    let created: Vec<Action> = missing
        .map(|group| Action::create(objects.group(group)))
        .collect();
    let is_complete = created.is_empty();
    let mut groups = created;
    // A PodGroup that waits for a node keeps its minimum when a part has lost its pods: they return
    // to their PodGroup, and the rest must not be placed without them.
    let may_ask_for_less = !facts.is_awaiting_pods();
    if may_ask_for_less {
        groups.extend(wanted.groups.iter().filter_map(|g| corrected(facts, g)));
    }
    let mut composites = Vec::new();
    if is_complete && facts.serves_composites {
        let missing = wanted
            .composites
            .iter()
            .filter(|c| !facts.composites.contains_key(&c.name));
        composites.extend(missing.map(|c| Action::create(objects.composite(c))));
    }
    let needs_workload = !wanted.composites.is_empty() && facts.serves_composites;
    let workload = needs_workload.then(|| objects.create_workload());
    vec![
        if may_ask_for_less {
            leftovers(gang, facts, &wanted)
        } else {
            Vec::new()
        },
        workload.flatten().into_iter().collect(),
        groups,
        composites,
    ]
}

/// Only the number of pods of a PodGroup may change.
fn corrected(facts: &Facts, wanted: &WantedGroup) -> Option<Action> {
    let found = facts.groups.get(&wanted.name)?;
    let is_right = objects::minimum_of(found) == Some(wanted.minimum);
    let is_ours = ownership::is_controlled_by_us(&found.metadata);
    (is_ours && !is_right).then(|| Action::Merge {
        target: Target::of::<PodGroup>(&found.metadata),
        patch: json!({"spec": {"schedulingPolicy": {"gang": {"minCount": wanted.minimum}}}}),
    })
}

/// PodGroups that no pod names, and CompositePodGroups whose children have changed: their demands
/// cannot be changed, so they are recreated once they are gone.
fn leftovers(gang: &PodGang, facts: &Facts, wanted: &WantedObjects) -> Vec<Action> {
    let in_use: BTreeSet<&str> = facts.members.iter().map(|m| &*m.group).collect();
    let groups = facts.groups.iter();
    let groups = groups
        .filter(|(name, group)| !in_use.contains(name.as_str()) && is_ours(gang, group.as_ref()));
    let right = |found: &CompositePodGroup| {
        let mut named = wanted
            .composites
            .iter()
            .filter(|c| found.metadata.name.as_ref() == Some(&c.name));
        named.any(|c| {
            c.parent == found.spec.parent_composite_pod_group_name
                && objects::required_by(found) == Some(c.required)
        })
    };
    let composites = facts
        .composites
        .values()
        .filter(|c| is_ours(gang, c.as_ref()) && !right(c));
    let groups = groups.map(|(_, group)| delete(group.as_ref()));
    groups
        .chain(composites.map(|c| delete(c.as_ref())))
        .collect()
}

fn delete<K: Resource<DynamicType = ()>>(object: &K) -> Action {
    Action::delete_as_seen::<K>(object.meta(), Purpose::RemovePodGroup)
}

/// The backend if the cluster lacks a kind that it needs.
pub(super) fn unserved(gang: &PodGang, facts: &Facts) -> Option<Backend> {
    if !facts.serves_groups {
        Some(Backend::Kubernetes)
    } else if !facts.serves_composites && WantedObjects::of(gang, facts).needs_composites(facts) {
        Some(Backend::KubernetesTree)
    } else {
        None
    }
}
