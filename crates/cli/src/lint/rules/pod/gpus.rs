//! Devices, such as GPUs, whose request has no limit of the same amount.

use domain::object::quantity::parse_billionths;
use k8s_openapi::api::core::v1::{PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const WITHOUT_LIMIT: Rule = Rule::error(
    "gpu-without-limit",
    "a request for GPUs or other devices without a limit of the same whole number",
    "Devices cannot be shared beyond a limit. The API server stores the set and refuses each of its \
     pods.",
);

/// Billionths in one.
const ONE: i128 = 1_000_000_000;

/// Whether the limit of a resource has to equal its request: devices, and huge pages.
pub(super) fn is_indivisible(resource: &str) -> bool {
    is_device(resource) || resource.starts_with("hugepages-")
}

fn is_device(resource: &str) -> bool {
    let domain = resource.split_once('/').map(|(domain, _)| domain);
    domain.is_some_and(|domain| domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io"))
}

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    all_containers(at, pod)
        .filter_map(|(at, container)| Some((at, container.resources.as_ref()?)))
        .flat_map(|(at, resources)| {
            [without_limit(&at, resources), fractions(&at, resources)].concat()
        })
        .collect()
}

fn without_limit(at: &str, resources: &ResourceRequirements) -> Vec<Remark> {
    let requests = resources.requests.iter().flatten();
    requests
        .filter(|(name, _)| is_indivisible(name))
        .filter_map(|(name, request)| {
            let limit = resources
                .limits
                .as_ref()
                .and_then(|limits| limits.get(name));
            let amount = |quantity: &Quantity| parse_billionths(&quantity.0);
            let problem = match limit {
                None => format!("{name} has a request and no limit"),
                Some(limit) if amount(limit) == amount(request) => return None,
                Some(limit) => format!("must equal the limit, which is {}", limit.0),
            };
            let at = format!("{at}.resources.requests[{name}]");
            let remark = Remark::new(&WITHOUT_LIMIT, at, problem).value(format!("{:?}", request.0));
            Some(remark.remedy(format!("set resources.limits[{name}] to {}", request.0)))
        })
        .collect()
}

/// Of limits, and of requests that equal them: the others have an error already.
fn fractions(at: &str, resources: &ResourceRequirements) -> Vec<Remark> {
    let limits = resources.limits.iter().flatten();
    let is_equal = |name: &String, request: &Quantity| {
        let limit = resources.limits.as_ref().and_then(|all| all.get(name));
        limit.is_some_and(|limit| parse_billionths(&limit.0) == parse_billionths(&request.0))
    };
    let requests = resources.requests.iter().flatten();
    let requests = requests.filter(|(name, request)| is_equal(name, request));
    limits
        .map(|entry| ("limits", entry))
        .chain(requests.map(|entry| ("requests", entry)))
        .filter(|(_, (name, _))| is_device(name))
        .filter(|(_, (_, given))| {
            parse_billionths(&given.0).is_some_and(|amount| amount % ONE != 0)
        })
        .map(|(field, (name, given))| {
            let at = format!("{at}.resources.{field}[{name}]");
            let problem = "must be a whole number".to_owned();
            let remark = Remark::new(&WITHOUT_LIMIT, at, problem).value(format!("{:?}", given.0));
            remark.remedy("round it")
        })
        .collect()
}
