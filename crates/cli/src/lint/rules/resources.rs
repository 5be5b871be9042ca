//! Requests of pods.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::lint::parts::{containers, pods};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const NO_REQUESTS: Rule = Rule::warning(
    "no-requests",
    "a container without requests (limits count as such)",
    "Schedulers place the pod as if it needed nothing, so a gang may get a node that cannot run \
     it; its pods are evicted first; quotas, `capacity` and autoscalers by utilization cannot count it.",
);

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    let silent = pods(set)
        .filter(|(_, pod)| !asks(pod.resources.as_ref()))
        .flat_map(|(at, pod)| containers(&at, pod).filter(|(_, c)| !asks(c.resources.as_ref())));
    let remark = |(at, container): (String, &Container)| {
        let problem = format!("container {} requests no resources", container.name);
        let remark = Remark::new(&NO_REQUESTS, format!("{at}.resources.requests"), problem);
        remark.remedy("set requests such as {cpu: \"1\", memory: 2Gi}")
    };
    silent.map(remark).collect()
}

fn asks(resources: Option<&ResourceRequirements>) -> bool {
    let is_empty =
        |of: &Option<BTreeMap<String, Quantity>>| of.as_ref().is_none_or(BTreeMap::is_empty);
    resources.is_some_and(|r| !is_empty(&r.requests) || !is_empty(&r.limits) || r.claims.is_some())
}

/// Whether a pod, or each of its containers, requests that resource.
pub(super) fn asks_everywhere(pod: &PodSpec, resource: &str) -> bool {
    let has = |resources: Option<&ResourceRequirements>| {
        resources.is_some_and(|r| {
            [&r.requests, &r.limits]
                .into_iter()
                .flatten()
                .any(|of| of.contains_key(resource))
        })
    };
    has(pod.resources.as_ref()) || pod.containers.iter().all(|c| has(c.resources.as_ref()))
}
