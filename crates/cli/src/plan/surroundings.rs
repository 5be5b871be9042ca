//! Objects of the whole cluster by which topology constraints are planned: the
//! ClusterTopologyBindings, and the nodes on which pods run. Sets without constraints need none of
//! them.

mod assumed_levels;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use api::kai::KaiTopology;
use api::{ClusterTopologyBinding, PodCliqueSet, PodGang, labels};
use domain::object::ownership;
use domain::plan::Kind;
use domain::topology::{self, Levels};
use domain::{Node, Pod};
use podcliqueset::desired::gang::scheduler_name;
use serde_json::{Value, json};

use super::world::{NODE, Rules, World, encode};
use crate::exit::Failure;
use crate::json;

/// ClusterTopologyBindings and nodes, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    bindings: BTreeMap<String, ClusterTopologyBinding>,
    /// Whether these are all that there are.
    are_all_known: bool,
    /// The nodes, with their labels.
    nodes: Option<Vec<Value>>,
    /// Why the cluster's bindings are not known, if they were to be read.
    unread_bindings: Option<String>,
    /// Why its nodes are not known.
    unread_nodes: Option<String>,
}

impl Surroundings {
    /// The rules by which the webhook judges the set.
    pub(super) fn admission_rules(&self, set: &PodCliqueSet, rules: &Rules) -> admission::Rules {
        let name = topology::binding_name(&set.spec.template);
        let is_named_one_known = name.is_some_and(|name| self.bindings.contains_key(name));
        let bindings = self.bindings.iter();
        let levels = bindings.map(|(name, binding)| (name.clone(), Levels::of(binding)));
        admission::Rules {
            topologies: (self.are_all_known || is_named_one_known).then(|| levels.collect()),
            ..rules.admission()
        }
    }

    /// Adds all that the constraints of the set need. The objects from the cluster are in the world.
    pub(super) fn put_into(&self, world: &mut World, set: &PodCliqueSet) -> Result<(), Failure> {
        if !topology::has_constraints(&set.spec.template) {
            return Ok(());
        }
        let mut keys = keys_of_gangs(world);
        if let Some(binding) = self.find_binding(world, set) {
            let levels = binding.spec.levels.iter();
            keys.extend(levels.map(|level| level.key.clone()));
            put_binding(world, set, &binding)?;
        }
        for node in self.nodes.iter().flatten() {
            put(world, Kind::of::<Node>(), node.clone())?;
        }
        let mut assumed = BTreeSet::from([NODE.to_owned()]);
        if self.nodes.is_none() {
            assumed.extend(nodes_of_pods(world));
        }
        for name in assumed {
            put(world, Kind::of::<Node>(), assume_node(&name, &keys))?;
        }
        if let Some(why) = &self.unread_nodes {
            world.assume(format!(
                "all running pods are in one topology domain: {why}"
            ));
        }
        Ok(())
    }

    /// The binding that the set names. If nobody knows whether it exists, it has the levels that the
    /// set names.
    fn find_binding(
        &self,
        world: &mut World,
        set: &PodCliqueSet,
    ) -> Option<ClusterTopologyBinding> {
        let name = topology::binding_name(&set.spec.template)?;
        if self.are_all_known || self.bindings.contains_key(name) {
            return self.bindings.get(name).cloned();
        }
        let binding = assumed_levels::build_binding(name, &set.spec.template);
        let levels: Vec<&str> = binding.spec.levels.iter().map(|l| &*l.domain).collect();
        let remedy = "add it to the file, or read it from the cluster with --live";
        let why = self.unread_bindings.as_deref().unwrap_or(remedy);
        world.assume(format!(
            "ClusterTopologyBinding {name} has the levels {}, broadest first: {why}",
            levels.join(", ")
        ));
        Some(binding)
    }
}

/// The binding, and the objects that KAI Scheduler reads, which are assumed to have its levels.
fn put_binding(
    world: &mut World,
    set: &PodCliqueSet,
    binding: &ClusterTopologyBinding,
) -> Result<(), Failure> {
    put(
        world,
        Kind::of::<ClusterTopologyBinding>(),
        encode(binding)?,
    )?;
    if !world.backend_of(scheduler_name(set)).is_kai() {
        return Ok(());
    }
    let entries = binding.spec.scheduler_topology_bindings.iter();
    let mut names: BTreeSet<&str> = entries.map(|e| e.topology_reference.as_str()).collect();
    names.insert(ownership::name(&binding.metadata));
    let levels = binding.spec.levels.iter();
    let levels: Vec<Value> = levels
        .map(|level| json!({"nodeLabel": level.key}))
        .collect();
    for name in names {
        let topology = json!({"metadata": {"name": name}, "spec": {"levels": levels}});
        put(world, Kind::of::<KaiTopology>(), topology)?;
    }
    Ok(())
}

/// An object of the whole cluster; one from a file has neither uid nor version.
fn put(world: &mut World, kind: Kind, mut object: Value) -> Result<(), Failure> {
    let uid = format!("{kind}-{}", json::meta(&object, "name"));
    for (field, value) in [("uid", uid.as_str()), ("resourceVersion", "1")] {
        if json::meta(&object, field).is_empty() {
            json::set(&mut object, "/metadata", field, json!(value));
        }
    }
    world.put_found(kind, object)
}

/// A node with these labels. All such nodes are in one domain of each level.
fn assume_node(name: &str, keys: &BTreeSet<String>) -> Value {
    let labels: BTreeMap<&String, &str> = keys.iter().map(|key| (key, NODE)).collect();
    json!({"metadata": {"name": name, "labels": labels}})
}

/// The keys of the levels with which gangs of the cluster started.
fn keys_of_gangs(world: &World) -> BTreeSet<String> {
    let gangs = world.stored(Kind::of::<PodGang>());
    let stored = gangs.map(|(_, gang)| json::annotation(gang, labels::TOPOLOGY_LEVELS));
    let levels = stored.filter_map(Levels::from_text);
    levels
        .flat_map(|levels| levels.as_slice().to_vec())
        .map(|level| level.key)
        .collect()
}

fn nodes_of_pods(world: &World) -> BTreeSet<String> {
    let pods = world.stored(Kind::of::<Pod>());
    let names = pods.map(|(_, pod)| json::text(pod, "/spec/nodeName").to_owned());
    names.filter(|name| !name.is_empty()).collect()
}
