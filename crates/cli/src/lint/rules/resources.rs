//! Requests of pods.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueTemplateSpec;
use domain::workload::claims;
use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::lint::parts::{cliques, containers};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const NO_REQUESTS: Rule = Rule::warning(
    "no-requests",
    "a container without requests (limits count as such)",
    "Schedulers place the pod as if it needed nothing, so a gang may get a node that cannot run \
     it; its pods are evicted first; quotas, `capacity` and autoscalers by utilization cannot count it.",
);

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    cliques(set)
        .filter(|(_, clique)| !asks(clique.spec.pod_spec.resources.as_ref()))
        .flat_map(|(at, clique)| {
            let has_claims = has_claims(set, clique);
            containers(&format!("{at}.spec.podSpec"), &clique.spec.pod_spec)
                .filter(|(_, container)| !asks(container.resources.as_ref()))
                .map(move |(at, container)| no_requests(&at, container, has_claims))
        })
        .collect()
}

/// Whether pods of the clique have resource claims, of their own or shared ones.
fn has_claims(set: &PodCliqueSet, clique: &PodCliqueTemplateSpec) -> bool {
    let own = clique.spec.pod_spec.resource_claims.as_ref();
    own.is_some_and(|own| !own.is_empty()) || claims::reach_clique(&set.spec.template, clique)
}

/// A container with devices needs more than an example has.
fn no_requests(at: &str, container: &Container, has_claims: bool) -> Remark {
    let (problem, remedy) = if has_claims {
        (
            "requests no cpu and no memory, and devices of claims are no requests",
            "set requests with the cpu and memory that it needs beside its devices",
        )
    } else {
        (
            "requests no resources",
            "set requests such as {cpu: \"1\", memory: 2Gi}",
        )
    };
    let problem = format!("container {} {problem}", container.name);
    let remark = Remark::new(&NO_REQUESTS, format!("{at}.resources.requests"), problem);
    remark.remedy(remedy)
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
