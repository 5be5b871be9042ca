//! The requests of a whole pod, by kube-scheduler's rules.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::amounts::{self, Amounts, BadQuantity, read_amounts};
use super::objects::{ContainerShape, ContainerStatus, PodShape, PodStatus};

/// The requests of a pod with this spec.
pub fn requests_of(pod: &PodShape) -> Result<Amounts, BadQuantity> {
    requests_by(pod, |container| requested(&container.resources))
}

/// The resources that a bound pod holds: during a resize the larger of allocated and requested.
pub fn held_by(pod: &PodShape, status: &PodStatus) -> Result<Amounts, BadQuantity> {
    let mut most = requests_of(pod)?;
    let given = |container: &ContainerShape| {
        let asked = requested(&container.resources)?;
        let Some(found) = status_of(status, &container.name) else {
            return Ok(asked);
        };
        let running = found.resources.as_ref().and_then(|r| r.requests.as_ref());
        let mut known = [found.allocated_resources.as_ref(), running]
            .into_iter()
            .flatten()
            .peekable();
        if known.peek().is_none() {
            return Ok(asked);
        }
        known.try_fold(Amounts::new(), |mut most, given| {
            amounts::raise(&mut most, &read_amounts(given)?);
            Ok(most)
        })
    };
    amounts::raise(&mut most, &requests_by(pod, given)?);
    Ok(most)
}

fn status_of<'a>(status: &'a PodStatus, container: &str) -> Option<&'a ContainerStatus> {
    let init = status.init_container_statuses.iter();
    status
        .container_statuses
        .iter()
        .chain(init)
        .find(|found| found.name == container)
}

fn requests_by(
    pod: &PodShape,
    of: impl Fn(&ContainerShape) -> Result<Amounts, BadQuantity>,
) -> Result<Amounts, BadQuantity> {
    let mut sum = Amounts::new();
    for container in &pod.containers {
        amounts::add(&mut sum, &of(container)?);
    }
    // Sidecars stay beside the others; of init containers only the largest counts.
    let (mut staying, mut starting) = (Amounts::new(), Amounts::new());
    for container in &pod.init_containers {
        let mut held = of(container)?;
        if container.restart_policy.as_deref() == Some("Always") {
            amounts::add(&mut sum, &held);
            amounts::add(&mut staying, &held);
            held.clone_from(&staying);
        } else {
            amounts::add(&mut held, &staying);
        }
        amounts::raise(&mut starting, &held);
    }
    amounts::raise(&mut sum, &starting);
    replace_by_pod_level(&mut sum, &pod.resources)?;
    amounts::add(&mut sum, &read_amounts(&pod.overhead)?);
    Ok(sum)
}

/// Requests of the pod as a whole replace those of its containers.
fn replace_by_pod_level(
    sum: &mut Amounts,
    resources: &ResourceRequirements,
) -> Result<(), BadQuantity> {
    let is_allowed =
        |name: &String| ["cpu", "memory"].contains(&&**name) || name.starts_with("hugepages-");
    let read = |all: &Option<BTreeMap<String, Quantity>>| all.as_ref().map(read_amounts);
    for (name, amount) in read(&resources.requests).transpose()?.unwrap_or_default() {
        if is_allowed(&name) {
            sum.insert(name, amount);
        }
    }
    for (name, amount) in read(&resources.limits).transpose()?.unwrap_or_default() {
        if is_allowed(&name) {
            sum.entry(name).or_insert(amount);
        }
    }
    Ok(())
}

/// A limit without a request counts as the request.
fn requested(resources: &ResourceRequirements) -> Result<Amounts, BadQuantity> {
    let read = |all: &Option<BTreeMap<String, Quantity>>| all.as_ref().map(read_amounts);
    let mut all = read(&resources.limits).transpose()?.unwrap_or_default();
    all.extend(read(&resources.requests).transpose()?.unwrap_or_default());
    Ok(all)
}
