//! How many pods of a gang a node could hold if it were empty.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec};

use crate::object::node::Node;
use crate::object::quantity::parse_quantity;

/// Pods that a node holds if it states no limit.
const PODS_OF_NODE: f64 = 110.0;

/// The requests of the smallest pod of a gang, by resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape(BTreeMap<String, f64>);

impl Shape {
    /// The shape of these templates: of each resource the least that any pod requests, so that no
    /// node counts as too small for the pods it holds.
    pub fn of<'a>(templates: impl IntoIterator<Item = &'a PodSpec>) -> Self {
        let shapes = templates.into_iter().map(requests);
        let least = |a: BTreeMap<String, f64>, b: BTreeMap<String, f64>| {
            a.into_iter()
                .filter_map(|(resource, amount)| {
                    let other = b.get(&resource)?;
                    Some((resource, amount.min(*other)))
                })
                .collect()
        };
        Self(shapes.reduce(least).unwrap_or_default())
    }

    /// The resources that every pod requests.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        let requested = self.0.iter().filter(|(_, amount)| **amount > 0.0);
        requested.map(|(resource, _)| resource.as_str())
    }

    /// How many such pods the node could hold if it were empty.
    pub fn capacity_of(&self, node: &Node) -> u64 {
        let allocatable = |resource: &str| {
            let amount = node.status.allocatable.get(resource);
            amount.and_then(|amount| parse_quantity(amount))
        };
        let pods = allocatable("pods").unwrap_or(PODS_OF_NODE);
        let fitting =
            self.0
                .iter()
                .filter(|(_, amount)| **amount > 0.0)
                .map(|(resource, amount)| {
                    let available = allocatable(resource).unwrap_or(0.0);
                    // 0.3 / 0.1 is a little less than 3.
                    (available / amount + 1e-9).floor()
                });
        whole(fitting.fold(pods, f64::min))
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and a billion"
)]
fn whole(pods: f64) -> u64 {
    pods.clamp(0.0, 1e9) as u64
}

/// The requests of a pod of this template: its containers together, or one init container, if that
/// is more.
fn requests(template: &PodSpec) -> BTreeMap<String, f64> {
    let mut sum: BTreeMap<String, f64> = BTreeMap::new();
    for (resource, amount) in template.containers.iter().flat_map(requests_of) {
        *sum.entry(resource).or_default() += amount;
    }
    let init = template.init_containers.iter().flatten();
    for (resource, amount) in init.flat_map(requests_of) {
        let held = sum.entry(resource).or_default();
        *held = held.max(amount);
    }
    sum
}

/// A limit without a request counts as the request.
fn requests_of(container: &Container) -> BTreeMap<String, f64> {
    container
        .resources
        .iter()
        .flat_map(|r| [&r.limits, &r.requests].into_iter().flatten())
        .flatten()
        .filter_map(|(name, amount)| Some((name.clone(), parse_quantity(&amount.0)?)))
        .collect()
}
