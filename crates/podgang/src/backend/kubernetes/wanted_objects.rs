//! The PodGroups and CompositePodGroups that a gang needs.

use std::collections::{BTreeMap, BTreeSet};

use api::PodGang;
use domain::object::ownership;
use domain::scheduling::kubernetes::{composite_name, probe_name};

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
}

impl WantedObjects {
    /// Computes them from the existing pods.
    pub fn of(gang: &PodGang, facts: &Facts) -> Self {
        match facts.shape {
            Shape::Split => Self::split(ownership::name(&gang.metadata), facts),
            Shape::Tree => Self::tree(ownership::name(&gang.metadata), facts),
        }
    }

    /// Whether pods wait for PodGroups that cannot be created without CompositePodGroups. Before
    /// their PodGang lists them, the pods show the coming need.
    pub(super) fn needs_composites(&self, facts: &Facts) -> bool {
        let is_new = |name: &String| !facts.groups.contains_key(name);
        let waits = |g: &WantedGroup| g.parent.is_some() && is_new(&g.name);
        let coming: BTreeSet<&String> = facts
            .members
            .iter()
            .filter(|m| !m.is_listed)
            .map(|m| &m.group)
            .filter(|name| is_new(name))
            .collect();
        let is_tree = facts.shape == Shape::Tree && !coming.is_empty();
        self.groups.iter().any(waits) || is_tree || coming.len() > 1
    }

    /// PodGroups that are created together get a common parent. Earlier ones keep theirs, so that a
    /// part that joins a gang never hinders the running ones.
    fn split(gang: &str, facts: &Facts) -> Self {
        let minimums = sum_minimums(facts);
        let parent_of = |name: &&str| -> Option<Option<String>> {
            let group = facts.groups.get(*name)?;
            Some(group.spec.parent_composite_pod_group_name.clone())
        };
        let new: Vec<&str> = minimums
            .keys()
            .copied()
            .filter(|name| parent_of(name).is_none())
            .collect();
        let known = minimums.keys().filter_map(parent_of).flatten();
        // The operator ended after it created this PodGroup and before it created the parent: the
        // other new ones belong to it.
        let unfinished = known
            .into_iter()
            .find(|p| !facts.composites.contains_key(p));
        // Without CompositePodGroups the parts that join a gang are placed one by one.
        let is_joint = new.len() > 1 && (facts.serves_composites || new.len() == minimums.len());
        let of_new = unfinished.or_else(|| is_joint.then(|| free_name(gang, facts)));
        // An unused object of that name is being deleted.
        let is_free = of_new
            .as_ref()
            .is_none_or(|p| !facts.composites.contains_key(p));
        let groups: Vec<WantedGroup> = minimums
            .iter()
            .filter(|(name, _)| is_free || parent_of(name).is_some())
            .map(|(name, minimum)| {
                let parent = parent_of(name).unwrap_or_else(|| of_new.clone());
                WantedGroup {
                    name: (*name).to_owned(),
                    is_unit: is_unit(facts, name, parent.is_some()),
                    parent,
                    minimum: *minimum,
                }
            })
            .collect();
        let mut children: BTreeMap<&String, (u32, bool)> = BTreeMap::new();
        for group in &groups {
            if let Some(parent) = &group.parent {
                let (count, are_units) = children.entry(parent).or_insert((0, true));
                *count += 1;
                *are_units &= group.is_unit;
            }
        }
        let composite = |(name, (required, is_unit)): (&String, (u32, bool))| WantedComposite {
            name: name.clone(),
            parent: None,
            required,
            is_unit,
        };
        Self {
            composites: children.into_iter().map(composite).collect(),
            groups,
        }
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
            tree.groups.push(WantedGroup {
                name: member.group.clone(),
                parent: Some(parent),
                minimum: member.minimum,
                is_unit: false,
            });
        }
        tree.find_units(root, facts);
        children = children.saturating_add(count(groups.len()));
        tree.add_groups(root, &groups);
        if children > 0 {
            tree.add(composite_name(root), None, children, false);
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

    fn add_groups(&mut self, root: &str, groups: &BTreeMap<&str, (u32, BTreeMap<i32, u32>)>) {
        for (group, (required, replicas)) in groups {
            let (name, required) = (
                composite_name(group),
                (*required).min(count(replicas.len())),
            );
            for (replica, cliques) in replicas {
                let replica = replica_name(group, *replica);
                let is_unit = self.is_replica_unit(&replica);
                self.add(replica, Some(name.clone()), *cliques, is_unit);
            }
            self.add(name, Some(composite_name(root)), required, false);
        }
    }

    fn add(&mut self, name: String, parent: Option<String>, required: u32, is_unit: bool) {
        self.composites.push(WantedComposite {
            name,
            parent,
            required: required.max(1),
            is_unit,
        });
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

/// Names of PodGroups with the sums of their minimums. PodGroups whose work is done are left out, as
/// they are not waited for. Several PodCliques that wait together for nodes need all their pods: if
/// one of them is scaled out meanwhile, its pods must not count for those of the others.
fn sum_minimums(facts: &Facts) -> BTreeMap<&str, u32> {
    let mut minimums: BTreeMap<&str, u32> = BTreeMap::new();
    for member in facts.members.iter().filter(|m| m.is_listed) {
        let is_waiting = member.shares_group() && !facts.is_begun && member.minimum > 0;
        let pods = if is_waiting {
            member.pods
        } else {
            member.minimum
        };
        let sum = minimums.entry(&member.group).or_default();
        *sum = sum.saturating_add(pods);
    }
    minimums.retain(|_, sum| *sum > 0);
    minimums
}

/// The first free name. A CompositePodGroup that the gang controls uses its name only while one of
/// the gang's PodGroups names it.
fn free_name(gang: &str, facts: &Facts) -> String {
    let used: BTreeSet<&String> = facts
        .members
        .iter()
        .filter_map(|member| {
            let group = facts.groups.get(&member.group)?;
            group.spec.parent_composite_pod_group_name.as_ref()
        })
        .collect();
    let is_taken = |name: &String| {
        let found = facts.composites.get(name);
        let is_foreign = found.is_some_and(|c| !ownership::is_controlled_by_us(&c.metadata));
        is_foreign || used.contains(name)
    };
    let base = composite_name(gang);
    let mut names = (0..).map(|probe| probe_name(&base, probe));
    let free = names.find(|name| !is_taken(name));
    free.unwrap_or(base)
}

fn replica_name(group: &str, replica: i32) -> String {
    composite_name(&format!("{group}-{replica}"))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
