//! The objects of one PodGang by itself.

use std::collections::{BTreeMap, BTreeSet};

use domain::object::ownership;
use domain::scheduling::kubernetes::{
    base_of_probe, composite_name, instance_below, is_instance_name, probe_name, root_name,
};

use super::{Facts, Member, WantedComposite, WantedGroup, WantedObjects, is_unit};

/// PodGroups that are created together get a common parent. Earlier ones keep theirs, so that a
/// part that joins a gang never hinders the running ones. The PodGroups of a group replica whose
/// pods have to share a topology domain have a parent of their own below the common one.
pub(super) fn find_objects(gang: &str, facts: &Facts) -> WantedObjects {
    let groups = find_groups(gang, facts);
    WantedObjects {
        composites: find_composites(gang, &groups, facts),
        groups,
    }
}

fn find_groups(gang: &str, facts: &Facts) -> Vec<WantedGroup> {
    let minimums = sum_minimums(facts);
    let (known, new): (Vec<&str>, Vec<&str>) = minimums
        .keys()
        .copied()
        .partition(|name| facts.groups.contains_key(*name));
    let parents = NewParents::choose(gang, facts, &known, &new);
    minimums
        .iter()
        .filter(|(name, _)| parents.are_free || facts.groups.contains_key(**name))
        .map(|(name, minimum)| {
            let parent = match facts.groups.get(*name) {
                Some(found) => found.spec.parent_composite_pod_group_name.clone(),
                None => parents.of_group(name),
            };
            WantedGroup {
                name: (*name).to_owned(),
                is_unit: is_unit(facts, name, parent.is_some()),
                topology_key: required_of_group(facts, name, parent.is_some()),
                parent,
                minimum: *minimum,
            }
        })
        .collect()
}

/// The parents of the PodGroups that are created now.
struct NewParents<'a> {
    facts: &'a Facts,
    /// The common one; a PodGroup that is created alone has none.
    root: Option<String>,
    /// Whether nothing has their names. An unused object that has one is being deleted, and the
    /// PodGroups are created once it is gone.
    are_free: bool,
}

impl<'a> NewParents<'a> {
    fn choose(gang: &str, facts: &'a Facts, known: &[&str], new: &[&str]) -> Self {
        let exists = |name: &String| facts.composites.contains_key(name);
        let mut parents = known.iter().filter_map(|name| parent_of(facts, name));
        // The operator ended after it created this PodGroup and before it created the parent: the
        // other new ones belong to it.
        let unfinished = parents.find_map(|parent| {
            let root = root_name(gang, parent);
            (!exists(&root)).then_some(root)
        });
        if unfinished.is_some() {
            return Self {
                facts,
                root: unfinished,
                are_free: true,
            };
        }
        // Without CompositePodGroups the parts that join a gang are placed one by one.
        let is_joint = new.len() > 1 && (facts.serves_composites || known.is_empty());
        let new = new.iter();
        let names = NewNames {
            group_replicas: new
                .filter_map(|name| group_replica_of(facts, name))
                .collect(),
        };
        let root = is_joint.then(|| names.find_free_root(gang, facts));
        let is_free = |root: &String| !names.below(root).any(|name| exists(&name));
        Self {
            are_free: root.as_ref().is_none_or(is_free),
            facts,
            root,
        }
    }

    /// The parent of a new PodGroup.
    fn of_group(&self, name: &str) -> Option<String> {
        let root = self.root.as_ref()?;
        let group_replica = group_replica_of(self.facts, name);
        Some(group_replica.map_or_else(|| root.clone(), |of| instance_below(root, of)))
    }
}

/// The names of CompositePodGroups that are created together.
struct NewNames<'a> {
    /// The group replicas that get one.
    group_replicas: BTreeSet<&'a str>,
}

impl NewNames<'_> {
    /// The root, and all names that belong to it.
    fn below(&self, root: &str) -> impl Iterator<Item = String> {
        let instances = self.group_replicas.iter();
        std::iter::once(root.to_owned()).chain(instances.map(move |of| instance_below(root, of)))
    }

    /// The first root that is free with all of its names. A CompositePodGroup that the gang controls
    /// uses its name only while one of the gang's PodGroups is below it.
    fn find_free_root(&self, gang: &str, facts: &Facts) -> String {
        let members = facts.members.iter();
        let parents = members.filter_map(|member| parent_of(facts, &member.group));
        let used: BTreeSet<String> = parents
            .flat_map(|parent| [parent.to_owned(), root_name(gang, parent)])
            .collect();
        let is_taken = |name: &String| {
            let found = facts.composites.get(name);
            let is_foreign = found.is_some_and(|c| !ownership::is_controlled_by_us(&c.metadata));
            is_foreign || used.contains(name)
        };
        let base = composite_name(gang);
        let mut roots = (0..).map(|probe| probe_name(&base, probe));
        let free = roots.find(|root| !self.below(root).any(|name| is_taken(&name)));
        free.unwrap_or(base)
    }
}

fn parent_of<'a>(facts: &'a Facts, group: &str) -> Option<&'a str> {
    let group = facts.groups.get(group)?;
    group.spec.parent_composite_pod_group_name.as_deref()
}

/// The PodClique whose pods alone name the PodGroup.
fn only_member<'a>(facts: &'a Facts, group: &str) -> Option<&'a Member> {
    let mut members = facts.members.iter().filter(|m| m.group == group);
    let first = members.next();
    first.filter(|_| members.next().is_none())
}

/// The group replica of a PodGroup, if its pods have to share a topology domain.
fn group_replica_of<'a>(facts: &'a Facts, group: &str) -> Option<&'a str> {
    let topology = &facts.topology;
    if !topology.requires_domain() {
        return None;
    }
    let member = only_member(facts, group)?;
    let group_replica = topology.group_replica_of(&member.podclique)?;
    let is_required = topology.required_of_group_replica(group_replica).is_some();
    is_required.then_some(group_replica)
}

/// Key of the node label whose value the pods of a PodGroup have to share. A PodGroup without a
/// parent stands for its group replica and its gang as well.
fn required_of_group(facts: &Facts, group: &str, has_parent: bool) -> Option<String> {
    let topology = &facts.topology;
    if !topology.requires_domain() {
        return None;
    }
    let podclique = only_member(facts, group).map(|member| member.podclique.as_str());
    let key = if has_parent {
        podclique.and_then(|name| topology.required_of_podclique(name))
    } else {
        topology.narrowest_for(podclique)
    };
    key.map(str::to_owned)
}

/// The children of a CompositePodGroup.
struct Children {
    count: u32,
    are_units: bool,
}

fn add_child(parents: &mut BTreeMap<String, Children>, parent: String, is_unit: bool) {
    let children = parents.entry(parent).or_insert(Children {
        count: 0,
        are_units: true,
    });
    children.count = children.count.saturating_add(1);
    children.are_units &= is_unit;
}

/// The parents of these PodGroups, and the parents of those.
fn find_composites(gang: &str, groups: &[WantedGroup], facts: &Facts) -> Vec<WantedComposite> {
    let (mut instances, mut roots) = (BTreeMap::new(), BTreeMap::new());
    for group in groups {
        let Some(parent) = &group.parent else {
            continue;
        };
        let level = if is_instance_name(parent) {
            &mut instances
        } else {
            &mut roots
        };
        add_child(level, parent.clone(), group.is_unit);
    }
    for (name, children) in &instances {
        add_child(&mut roots, root_name(gang, name), children.are_units);
    }
    let instances = instances.into_iter().map(|(name, children)| {
        let key = facts
            .topology
            .required_of_group_replica(base_of_probe(&name));
        let topology_key = key.map(str::to_owned);
        let parent = Some(root_name(gang, &name));
        build_composite((name, parent), &children, topology_key)
    });
    let roots = roots.into_iter().map(|(name, children)| {
        let topology_key = facts.topology.required_of_gang().map(str::to_owned);
        build_composite((name, None), &children, topology_key)
    });
    instances.chain(roots).collect()
}

fn build_composite(
    (name, parent): (String, Option<String>),
    children: &Children,
    topology_key: Option<String>,
) -> WantedComposite {
    WantedComposite {
        name,
        parent,
        required: children.count,
        is_unit: children.are_units,
        topology_key,
    }
}

/// Names of PodGroups with the sums of their minimums. PodGroups whose work is done are left out, as
/// they are not waited for.
fn sum_minimums(facts: &Facts) -> BTreeMap<&str, u32> {
    let mut minimums: BTreeMap<&str, u32> = BTreeMap::new();
    for member in facts.members.iter().filter(|m| m.is_listed) {
        let sum = minimums.entry(&member.group).or_default();
        *sum = sum.saturating_add(needed_of(member, facts));
    }
    minimums.retain(|_, sum| *sum > 0);
    minimums
}

/// How many pods a PodClique needs in its PodGroup. Several PodCliques that wait together for nodes
/// need all their pods: if one of them is scaled out meanwhile, its pods must not count for those of
/// the others. Of a gang that waits for a topology domain only the minimum is listed at first: it
/// needs as many as are listed.
fn needed_of(member: &Member, facts: &Facts) -> u32 {
    let is_waiting = member.shares_group() && !facts.is_begun && member.minimum > 0;
    if !is_waiting {
        member.minimum
    } else if facts.topology.requires_domain() {
        member.minimum.max(member.listed)
    } else {
        member.pods
    }
}
