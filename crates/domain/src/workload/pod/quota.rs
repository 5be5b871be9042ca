//! The amounts of a pod that a `ResourceQuota` counts.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::object::quantity::parse_quantity;

/// Amounts by the name of the resource.
type Amounts = BTreeMap<String, f64>;
/// Amounts as written.
type Given = BTreeMap<String, Quantity>;

/// The amounts by the names that a quota may use for them: `cpu` and `requests.cpu` are the same.
pub fn count_for_quota(spec: &PodSpec) -> Amounts {
    let one = ["pods", "count/pods"].map(|name| (name.to_owned(), 1.0));
    let mut all = Amounts::from(one);
    let of_pod = |given: Option<&Given>| amounts(given).collect::<Amounts>();
    let own = spec.resources.as_ref();
    let requested = of_pod(own.and_then(|own| own.requests.as_ref()));
    let limited = of_pod(own.and_then(|own| own.limits.as_ref()));
    for (name, amount) in count(spec, requested, requests_of) {
        all.insert(format!("requests.{name}"), amount);
        all.insert(name, amount);
    }
    for (name, amount) in count(spec, limited, limits_of) {
        all.insert(format!("limits.{name}"), amount);
    }
    all
}

/// The API server takes a request that is not given from the limit.
fn requests_of(resources: &ResourceRequirements) -> Amounts {
    let mut all = limits_of(resources);
    all.extend(amounts(resources.requests.as_ref()));
    all
}

fn limits_of(resources: &ResourceRequirements) -> Amounts {
    amounts(resources.limits.as_ref()).collect()
}

/// The amounts of the whole pod: of its containers and sidecars together or, if that is more, of an
/// init container with the sidecars that start before it, and the overhead of its runtime class.
/// Those that the pod itself states are in place of the sums of containers.
fn count(spec: &PodSpec, stated: Amounts, read: fn(&ResourceRequirements) -> Amounts) -> Amounts {
    let of = |container: &Container| container.resources.as_ref().map(read).unwrap_or_default();
    let mut sidecars = Amounts::new();
    let mut most = Amounts::new();
    for container in spec.init_containers.iter().flatten() {
        if container.restart_policy.as_deref() == Some("Always") {
            sidecars = add(sidecars, of(container));
        } else {
            most = larger(most, add(sidecars.clone(), of(container)));
        }
    }
    let running = spec.containers.iter().map(of).fold(sidecars, add);
    let mut all = larger(most, running);
    all.extend(stated);
    add(all, amounts(spec.overhead.as_ref()).collect())
}

fn add(mut all: Amounts, more: Amounts) -> Amounts {
    for (name, amount) in more {
        *all.entry(name).or_default() += amount;
    }
    all
}

fn larger(mut all: Amounts, other: Amounts) -> Amounts {
    for (name, amount) in other {
        let most = all.entry(name).or_default();
        *most = most.max(amount);
    }
    all
}

fn amounts(given: Option<&Given>) -> impl Iterator<Item = (String, f64)> + use<'_> {
    let given = given.into_iter().flatten();
    given.filter_map(|(name, amount)| Some((name.clone(), parse_quantity(&amount.0)?)))
}
