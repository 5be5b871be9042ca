//! Limits below requests.

use domain::object::quantity::parse_billionths;
use k8s_openapi::api::core::v1::{PodSpec, ResourceRequirements};

use super::gpus;
use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const BELOW_REQUEST: Rule = Rule::error(
    "limit-below-request",
    "a request above the limit of the same resource",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let of_pod = pod.resources.iter().map(|own| (at.to_owned(), own));
    let of_containers = all_containers(at, pod)
        .filter_map(|(at, container)| Some((at, container.resources.as_ref()?)));
    of_pod
        .chain(of_containers)
        .flat_map(|(at, resources)| compare(&at, resources))
        .collect()
}

fn compare(at: &str, resources: &ResourceRequirements) -> Vec<Remark> {
    let requests = resources.requests.iter().flatten();
    requests
        .filter(|(name, _)| !gpus::is_indivisible(name))
        .filter_map(|(name, request)| {
            let limit = resources.limits.as_ref()?.get(name)?;
            let is_above = parse_billionths(&request.0)? > parse_billionths(&limit.0)?;
            let problem = format!("is above the {name} limit of {}", limit.0);
            is_above.then(|| {
                let at = format!("{at}.resources.requests[{name}]");
                let remark = Remark::new(&BELOW_REQUEST, at, problem);
                remark
                    .value(format!("{:?}", request.0))
                    .remedy("lower the request, or raise the limit")
            })
        })
        .collect()
}
