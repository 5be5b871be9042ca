//! The PodGroups and CompositePodGroups that a gang needs.

mod split;

use std::collections::{BTreeMap, BTreeSet};

use api::{PodGang, names};
use domain::object::ownership;
use domain::scheduling::kubernetes::composite_name;

use super::{Facts, Member, objects};

/// How a gang is arranged in groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Each PodGang by itself: its PodGroups, all of them required.
    #[default]
    Split,
    /// All gangs of a replica of a set: standalone cliques, and of each scaling group the number of
    /// replicas that it requires.
    Tree,
}

/// The desired objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedObjects {
    /// Groups of pods.
    pub groups: Vec<WantedGroup>,
    /// Groups of groups.
    pub composites: Vec<WantedComposite>,
}

/// A group of pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedGroup {
    /// Its name, which pods bear.
    pub name: String,
    /// Name of its parent.
    pub parent: Option<String>,
    /// How many pods have to be placed.
    pub minimum: u32,
    /// Whether its pods are evicted together.
    pub is_unit: bool,
    /// Key of the node label whose value its pods have to share.
    pub topology_key: Option<String>,
}

impl WantedGroup {
    /// Whether the cluster has to serve CompositePodGroups. It serves them only if it also has the
    /// feature of topology constraints; else it would drop those of PodGroups.
    pub(super) fn needs_composites(&self) -> bool {
        self.parent.is_some() || self.topology_key.is_some()
    }
}

/// A group of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedComposite {
    /// Its name.
    pub name: String,
    /// Name of its parent.
    pub parent: Option<String>,
    /// How many of its children have to be placed.
    pub required: u32,
    /// Whether its children are evicted together.
    pub is_unit: bool,
    /// Key of the node label whose value all pods below it have to share.
    pub topology_key: Option<String>,
}

impl WantedObjects {
    /// Computes them from the existing pods.
    pub fn of(gang: &PodGang, facts: &Facts) -> Self {
        match facts.shape {
            Shape::Split => split::find_objects(ownership::name(&gang.metadata), facts),
            Shape::Tree => Self::tree(ownership::name(&gang.metadata), facts),
        }
    }

    /// Whether pods wait for PodGroups that cannot be created without CompositePodGroups. Before
    /// their PodGang lists them, the pods show the coming need.
    pub(super) fn needs_composites(&self, facts: &Facts) -> bool {
        let is_new = |name: &String| !facts.groups.contains_key(name);
        let waits = |g: &WantedGroup| g.needs_composites() && is_new(&g.name);
        let coming: BTreeSet<&String> = facts
            .members
            .iter()
            .filter(|m| !m.is_listed)
            .map(|m| &m.group)
            .filter(|name| is_new(name))
            .collect();
        let does_one_suffice = facts.shape == Shape::Split && !facts.topology.requires_domain();
        let may_come = usize::from(does_one_suffice);
        self.groups.iter().any(waits) || coming.len() > may_come
    }

    /// The PodGang is the root, below it are standalone cliques and scaling groups, below those
    /// their replicas with their cliques: four levels, the most that the API allows.
    fn tree(root: &str, facts: &Facts) -> Self {
        let mut tree = Self::default();
        let mut groups: BTreeMap<&str, (u32, BTreeMap<i32, u32>)> = BTreeMap::new();
        let mut children = 0_u32;
        for member in facts.members.iter().filter(|m| is_due(facts, m)) {
            let parent = match &member.place {
                None => composite_name(root),
                Some(place) => replica_name(&place.group, place.replica),
            };
            if stands_elsewhere(facts, member, &parent) {
                continue;
            }
            match &member.place {
                None => children = children.saturating_add(1),
                Some(place) => {
                    let group = groups.entry(&place.group).or_default();
                    group.0 = place.required;
                    *group.1.entry(place.replica).or_default() += 1;
                }
            }
            let topology_key = facts.topology.required_of_podclique(&member.podclique);
            tree.groups.push(WantedGroup {
                name: member.group.clone(),
                parent: Some(parent),
                minimum: member.minimum,
                is_unit: false,
                topology_key: topology_key.map(str::to_owned),
            });
        }
        tree.find_units(root, facts);
        children = children.saturating_add(count(groups.len()));
        tree.add_groups(root, &groups, facts);
        if children > 0 {
            let topology_key = facts.topology.required_of_gang();
            let root = build_composite(composite_name(root), None, children, topology_key);
            tree.composites.push(root);
        }
        tree
    }

    /// Replicas of several PodCliques are evicted as a whole: without one of them the others are
    /// useless. The levels above them have parts that are not needed.
    fn find_units(&mut self, root: &str, facts: &Facts) {
        let root = composite_name(root);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for parent in self.groups.iter().filter_map(|g| g.parent.clone()) {
            *counts.entry(parent).or_default() += 1;
        }
        for group in &mut self.groups {
            let of_replica = group.parent.as_ref().filter(|parent| **parent != root);
            let is_joint = of_replica.and_then(|p| counts.get(p)) > Some(&1);
            group.is_unit = is_unit(facts, &group.name, is_joint);
        }
    }

    fn is_replica_unit(&self, replica: &str) -> bool {
        let mut groups = self.groups.iter();
        groups.all(|g| g.is_unit || g.parent.as_deref() != Some(replica))
    }

    fn add_groups(
        &mut self,
        root: &str,
        groups: &BTreeMap<&str, (u32, BTreeMap<i32, u32>)>,
        facts: &Facts,
    ) {
        for (group, (required, replicas)) in groups {
            let (name, required) = (
                composite_name(group),
                (*required).min(count(replicas.len())),
            );
            for (replica, cliques) in replicas {
                let of_replica = names::group_constraint(group, *replica);
                let topology_key = facts.topology.required_of_group_replica(&of_replica);
                let replica = composite_name(&of_replica);
                let is_unit = self.is_replica_unit(&replica);
                self.composites.push(WantedComposite {
                    is_unit,
                    ..build_composite(replica, Some(name.clone()), *cliques, topology_key)
                });
            }
            let root = Some(composite_name(root));
            let topology_key = facts.topology.required_of_scaling_group(group);
            self.composites
                .push(build_composite(name, root, required, topology_key));
        }
    }
}

/// A CompositePodGroup whose children are evicted one by one.
fn build_composite(
    name: String,
    parent: Option<String>,
    required: u32,
    topology_key: Option<&str>,
) -> WantedComposite {
    WantedComposite {
        name,
        parent,
        required: required.max(1),
        is_unit: false,
        topology_key: topology_key.map(str::to_owned),
    }
}

/// Whether the pods of a PodGroup are evicted together (decision 139): always if others are placed
/// with them, which would break without it; a single PodGroup only if it has no pod beyond its
/// minimum. The field is set when the PodGroup is created, and never changed.
fn is_unit(facts: &Facts, group: &str, is_joint: bool) -> bool {
    if let Some(found) = facts.groups.get(group) {
        return objects::is_unit(found);
    }
    let mut members = facts.members.iter().filter(|m| m.group == group);
    is_joint || members.all(|member| member.pods <= member.minimum)
}

/// Whether the member of a tree is to be placed. The scheduler fills a group with all fitting pods
/// before it tries the next one, and gives the tree up if that finds no room; so surplus members
/// are added once all required ones are placed.
fn is_due(facts: &Facts, member: &Member) -> bool {
    let may_be_told =
        !member.is_scaled || facts.is_placed || facts.groups.contains_key(&member.group);
    member.is_listed && member.minimum > 0 && may_be_told
}

/// Whether its PodGroup was created with another parent, before the configuration changed: it
/// cannot be moved.
fn stands_elsewhere(facts: &Facts, member: &Member, parent: &str) -> bool {
    let found = facts.groups.get(&member.group);
    member.shares_group()
        || found.is_some_and(|g| g.spec.parent_composite_pod_group_name.as_deref() != Some(parent))
}

fn replica_name(group: &str, replica: i32) -> String {
    composite_name(&names::group_constraint(group, replica))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
