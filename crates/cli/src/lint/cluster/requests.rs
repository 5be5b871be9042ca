//! What a set asks for in all.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use domain::object::quantity::parse_billionths;
use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::lint::parts::{cliques, group_of};

/// Amounts by resource, in billionths: a sum of fractions of a CPU is compared with what is left.
pub(super) type Amounts = BTreeMap<String, i128>;

/// Billionths in one.
pub(super) const ONE: i128 = 1_000_000_000;

/// What is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Requests; limits where there is none, as Kubernetes has it.
    Requests,
    Limits,
}

/// Pods that a set has by its template.
pub(super) fn pods_of(set: &PodCliqueSet) -> i128 {
    counts(set).fold(0, |sum, (count, _)| sum.saturating_add(count))
}

/// What all pods of a set ask for by its template.
pub(super) fn sum_of(set: &PodCliqueSet, which: Which) -> Amounts {
    let mut sum = Amounts::new();
    for (count, pod) in counts(set) {
        for (resource, amount) in of_pod(pod, which) {
            let all = sum.entry(resource).or_default();
            *all = all.saturating_add(amount.saturating_mul(count));
        }
    }
    sum
}

/// Pod specs, and how many pods have them.
fn counts(set: &PodCliqueSet) -> impl Iterator<Item = (i128, &PodSpec)> {
    let replicas = i128::from(set.spec.replicas.max(0));
    cliques(set).map(move |(_, clique)| {
        let group = group_of(set, &clique.name);
        let of_group = group.map_or(1, |group| group.replicas.unwrap_or(1));
        let of_clique = i128::from(clique.spec.replicas.max(0));
        let pods = i128::from(of_group.max(0)).saturating_mul(of_clique);
        (replicas.saturating_mul(pods), &*clique.spec.pod_spec)
    })
}

/// Init containers run before the others, but for those that go on beside them.
fn of_pod(pod: &PodSpec, which: Which) -> Amounts {
    let mut running = Amounts::new();
    for container in &pod.containers {
        add(&mut running, &of_container(container, which));
    }
    let mut beside = Amounts::new();
    let mut most = Amounts::new();
    for container in pod.init_containers.iter().flatten() {
        let own = of_container(container, which);
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut running, &own);
            add(&mut beside, &own);
        } else {
            let mut alone = beside.clone();
            add(&mut alone, &own);
            raise(&mut most, &alone);
        }
    }
    raise(&mut running, &most);
    // What is said of the pod as a whole counts.
    for (resource, amount) in amounts(pod.resources.as_ref(), which) {
        running.insert(resource, amount);
    }
    running
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let held = sum.entry(resource.clone()).or_default();
        *held = held.saturating_add(*amount);
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let known = most.entry(resource.clone()).or_default();
        *known = (*known).max(*amount);
    }
}

fn of_container(container: &Container, which: Which) -> Amounts {
    amounts(container.resources.as_ref(), which)
}

fn amounts(resources: Option<&ResourceRequirements>, which: Which) -> Amounts {
    let parse = |of: &Option<BTreeMap<String, Quantity>>| -> Amounts {
        let all = of.iter().flatten();
        all.filter_map(|(name, amount)| Some((name.clone(), parse_billionths(&amount.0)?)))
            .collect()
    };
    let Some(resources) = resources else {
        return Amounts::new();
    };
    let mut found = parse(&resources.limits);
    if which == Which::Requests {
        found.extend(parse(&resources.requests));
    }
    found
}
