//! The sum of pods' requests, for gangs and quotas.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::quantity::parse_billionths;
use super::quantity_text::{smallest_unit, write_amount};

/// Amounts by name of the resource, in billionths of a core, a byte, a device: sums are exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceSum(BTreeMap<String, i128>);

/// Requests or limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Requests, or limits without a request, as in the API server.
    Requests,
    /// Limits.
    Limits,
}

impl ResourceSum {
    /// The requests of a pod: of all containers together, or of the largest init container, or of
    /// the pod as a whole; with its overhead.
    pub fn of_pod(spec: &PodSpec, which: Which) -> Self {
        let mut running = Self::default();
        for container in &spec.containers {
            running.add(&Self::of_container(container, which), 1);
        }
        let (mut sidecars, mut starting) = (Self::default(), Self::default());
        for container in spec.init_containers.iter().flatten() {
            let own = Self::of_container(container, which);
            if is_sidecar(container) {
                running.add(&own, 1);
                sidecars.add(&own, 1);
            } else {
                let mut beside = sidecars.clone();
                beside.add(&own, 1);
                starting.raise(&beside);
            }
        }
        running.raise(&starting);
        running.replace(spec.resources.as_ref(), which);
        running.add_overhead(spec, which);
        running
    }

    /// Adds the other requests that many times.
    pub fn add(&mut self, other: &Self, times: i128) {
        for (name, amount) in &other.0 {
            let sum = self.0.entry(name.clone()).or_default();
            *sum = sum.saturating_add(amount.saturating_mul(times));
        }
    }

    /// Billionths of the resource.
    pub fn get(&self, resource: &str) -> Option<i128> {
        self.0.get(resource).copied()
    }

    /// Whether nothing is requested.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|amount| *amount == 0)
    }

    /// In the notation of Kubernetes, by name, rounded up.
    pub fn quantities(&self) -> BTreeMap<String, String> {
        let write = |(name, amount): (&String, &i128)| {
            let units = -(-amount).div_euclid(smallest_unit(name));
            (name.clone(), write_amount(name, units))
        };
        self.0.iter().map(write).collect()
    }

    fn of_container(container: &Container, which: Which) -> Self {
        let mut all = Self::default();
        all.replace(container.resources.as_ref(), which);
        all
    }

    /// Replaces amounts by these.
    fn replace(&mut self, resources: Option<&ResourceRequirements>, which: Which) {
        let Some(resources) = resources else { return };
        self.0.extend(read(resources.limits.as_ref()));
        if which == Which::Requests {
            self.0.extend(read(resources.requests.as_ref()));
        }
    }

    /// A missing limit limits nothing.
    fn add_overhead(&mut self, spec: &PodSpec, which: Which) {
        let mut overhead: BTreeMap<String, i128> = read(spec.overhead.as_ref()).collect();
        if which == Which::Limits {
            overhead.retain(|name, _| self.0.contains_key(name));
        }
        self.add(&Self(overhead), 1);
    }

    fn raise(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let most = self.0.entry(name.clone()).or_default();
            *most = (*most).max(*amount);
        }
    }
}

fn read(quantities: Option<&BTreeMap<String, Quantity>>) -> impl Iterator<Item = (String, i128)> {
    quantities
        .into_iter()
        .flatten()
        .filter_map(|(name, quantity)| Some((name.clone(), parse_billionths(&quantity.0)?)))
}

/// A sidecar: an init container that continues beside the others.
fn is_sidecar(container: &Container) -> bool {
    container.restart_policy.as_deref() == Some("Always")
}
