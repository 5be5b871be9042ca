//! The nodes that a scheduler gives to pods which it places together. Like KAI it chooses a domain
//! for each constraint of their PodGang by these pods alone: it forgets those that have nodes.

use serde_json::Value;

use crate::actors::nodes::{is_closed, is_selected};
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::topology::{domain, position_of_key};
use crate::{Rng, view};

/// A pod and its node.
pub(super) type Binding = (Id, String);

/// Pods that share the domains of a constraint, or of none.
struct Unit<'a> {
    /// The position of the level that is required, and of the one that is preferred.
    required: Option<usize>,
    preferred: Option<usize>,
    units: Vec<Unit<'a>>,
    pods: Vec<(&'a Id, &'a Stored)>,
}

/// Nodes for all pods of the batch, if the constraints of their PodGang can be kept.
pub(super) fn choose(
    store: &Store,
    rng: &mut Rng,
    gang: &Value,
    batch: &[Id],
) -> Option<Vec<Binding>> {
    let pods: Vec<(&Id, &Stored)> = batch
        .iter()
        .filter_map(|id| Some((id, store.get(id)?)))
        .collect();
    let nodes = store.all(Resource::Node).map(|(_, node)| &**node);
    let open: Vec<&Value> = nodes.filter(|node| !is_closed(node)).collect();
    place(&unit_of(gang, &pods), &open, rng)
}

/// The gang, with the group replicas in it that have a constraint, and its parts.
fn unit_of<'a>(gang: &'a Value, pods: &[(&'a Id, &'a Stored)]) -> Unit<'a> {
    let configs = || view::list(gang, "/spec/topologyConstraintGroupConfigs");
    let is_of = |config: &Value, part: &Value| {
        view::list(config, "/podGroupNames").any(|name| *name == part["name"])
    };
    let parts = || view::list(gang, "/spec/podgroups");
    let grouped = configs().map(|config| {
        let members = parts().filter(|part| is_of(config, part));
        let units = members.map(|part| unit_of_part(part, pods)).collect();
        Unit::new(config, "/topologyConstraint", units, Vec::new())
    });
    let alone = parts().filter(|part| !configs().any(|config| is_of(config, part)));
    let alone = alone.map(|part| unit_of_part(part, pods));
    let units = grouped.chain(alone).collect();
    Unit::new(gang, "/spec/topologyConstraint", units, Vec::new())
}

fn unit_of_part<'a>(part: &Value, pods: &[(&'a Id, &'a Stored)]) -> Unit<'a> {
    let is_listed = |(id, _): &&(&Id, &Stored)| {
        view::list(part, "/podReferences").any(|pod| view::text(pod, "/name") == id.name)
    };
    let own = pods.iter().filter(is_listed).copied().collect();
    Unit::new(part, "/topologyConstraint", Vec::new(), own)
}

impl<'a> Unit<'a> {
    fn new(
        object: &Value,
        constraint: &str,
        units: Vec<Self>,
        pods: Vec<(&'a Id, &'a Stored)>,
    ) -> Self {
        let level = |kind: &str| {
            let path = format!("{constraint}/packConstraint/{kind}");
            position_of_key(view::text(object, &path))
        };
        Self {
            required: level("required"),
            preferred: level("preferred"),
            units,
            pods,
        }
    }

    fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.units.iter().all(Unit::is_empty)
    }
}

/// Places a unit in one of the domains that its constraint allows.
fn place(unit: &Unit<'_>, nodes: &[&Value], rng: &mut Rng) -> Option<Vec<Binding>> {
    if unit.is_empty() {
        return Some(Vec::new());
    }
    let allowed = match unit.required {
        Some(position) => domains(nodes, position, rng),
        None => vec![nodes.to_vec()],
    };
    allowed.iter().find_map(|nodes| {
        let preferred = unit.preferred.map(|position| domains(nodes, position, rng));
        let mut choices = preferred.unwrap_or_default();
        choices.push(nodes.clone());
        choices.iter().find_map(|nodes| fill(unit, nodes, rng))
    })
}

/// Places all that the unit consists of on these nodes.
fn fill(unit: &Unit<'_>, nodes: &[&Value], rng: &mut Rng) -> Option<Vec<Binding>> {
    let mut bindings = Vec::new();
    for inner in &unit.units {
        bindings.extend(place(inner, nodes, rng)?);
    }
    for (id, pod) in &unit.pods {
        let possible: Vec<&Value> = nodes
            .iter()
            .filter(|node| is_selected(node, pod))
            .copied()
            .collect();
        let node = rng.pick(&possible)?;
        bindings.push(((*id).clone(), view::name(node).to_owned()));
    }
    Some(bindings)
}

/// The nodes by domain of the level at `position`, in random order.
fn domains<'n>(nodes: &[&'n Value], position: usize, rng: &mut Rng) -> Vec<Vec<&'n Value>> {
    let mut known: Vec<(Vec<&str>, Vec<&'n Value>)> = Vec::new();
    for node in nodes {
        let Some(own) = domain(node, position) else {
            continue;
        };
        match known.iter_mut().find(|(domain, _)| *domain == own) {
            Some((_, members)) => members.push(node),
            None => known.push((own, vec![node])),
        }
    }
    let mut left: Vec<Vec<&Value>> = known.into_iter().map(|(_, nodes)| nodes).collect();
    let mut shuffled = Vec::new();
    while !left.is_empty() {
        shuffled.push(left.swap_remove(rng.below(left.len())));
    }
    shuffled
}
