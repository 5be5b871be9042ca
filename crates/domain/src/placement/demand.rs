//! What the pods of a scope need together.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::PodSpec;

use super::shape::Shape;
use crate::Node;
use crate::object::ownership;

/// Pods of one part of a scope.
#[derive(Clone, Copy, Debug)]
pub struct PartDemand<'a> {
    /// Their template.
    pub template: &'a PodSpec,
    /// How many have to be placed together.
    pub pods: u64,
}

/// Pods that have to share a domain: all of a scope, or those of them that request a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// The resource, if others of the scope do not request it.
    pub resource: Option<String>,
    /// How many pods.
    pub pods: u64,
    /// The least that one of them requests.
    pub shape: Shape,
    /// Node selectors of which a node has to match one; any node will do if there is none.
    selectors: Vec<BTreeMap<String, String>>,
}

/// The demands of a scope: all its pods, and for each resource that not all of them request those
/// that do. Of pods of different sizes the smallest counts, so that no domain counts as too small
/// for pods that it holds.
pub fn demands_of(parts: &[PartDemand<'_>]) -> Vec<Demand> {
    let requests = |part: &PartDemand<'_>| -> BTreeSet<String> {
        let shape = Shape::of([part.template]);
        shape.resources().map(str::to_owned).collect()
    };
    let requested: Vec<BTreeSet<String>> = parts.iter().map(requests).collect();
    let all: BTreeSet<&String> = requested.iter().flatten().collect();
    let of_resources = all.into_iter().filter_map(|resource| {
        let of_part = parts.iter().zip(&requested);
        let some: Vec<PartDemand<'_>> = of_part
            .filter(|(_, requested)| requested.contains(resource))
            .map(|(part, _)| *part)
            .collect();
        let is_of_some = some.len() < parts.len();
        is_of_some.then(|| demand_of(&some, Some(resource.clone())))
    });
    let whole = (!parts.is_empty()).then(|| demand_of(parts, None));
    whole.into_iter().chain(of_resources).collect()
}

fn demand_of(parts: &[PartDemand<'_>], resource: Option<String>) -> Demand {
    let selector = |part: &PartDemand<'_>| part.template.node_selector.clone().unwrap_or_default();
    let mut selectors: Vec<_> = parts.iter().map(selector).collect();
    selectors.dedup();
    if selectors.iter().any(BTreeMap::is_empty) {
        selectors.clear();
    }
    Demand {
        resource,
        pods: parts.iter().map(|part| part.pods).sum(),
        shape: Shape::of(parts.iter().map(|part| part.template)),
        selectors,
    }
}

impl Demand {
    /// How many of the pods the node could hold if it were empty.
    pub fn capacity_of(&self, node: &Node) -> u64 {
        let has = |(key, value): (&String, &String)| {
            ownership::label(&node.metadata, key) == Some(value.as_str())
        };
        let mut selectors = self.selectors.iter();
        let may_be_used = self.selectors.is_empty() || selectors.any(|s| s.iter().all(has));
        if may_be_used {
            self.shape.capacity_of(node)
        } else {
            0
        }
    }
}
