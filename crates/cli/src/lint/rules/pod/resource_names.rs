//! Names of resources that no node has.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Container, PodSpec};
use strsim::osa_distance;

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_RESOURCE: Rule = Rule::error(
    "invalid-resource",
    "a resource without a domain that is not one of Kubernetes' own",
    "The API server stores the set and refuses each of its pods.",
);

pub(in crate::lint) const MISSPELT_RESOURCE: Rule = Rule::warning(
    "misspelt-resource",
    "a resource with almost the name of a known device",
    "The API server accepts any name with a domain, and pods that request a resource that no node has \
     are never placed.",
);

/// Resources of Kubernetes itself.
const OWN: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Devices by the names of their plugins.
const DEVICES: [&str; 9] = [
    "nvidia.com/gpu",
    "amd.com/gpu",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "google.com/tpu",
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "habana.ai/gaudi",
    "vpc.amazonaws.com/efa",
];

/// So many letters differ at most in a name that was misspelt, or whose domain lost its end.
const NEAR: usize = 2;
const NEAR_WITHOUT_DOT: usize = 4;

/// The known name with the most similar spelling; none if it is a known one itself, or another word.
pub(crate) fn nearest<'a>(known: &[&'a str], name: &str) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let most = if name.contains('.') || !name.contains('/') {
        NEAR
    } else {
        NEAR_WITHOUT_DOT
    };
    known
        .iter()
        .map(|known| (osa_distance(known, &lower), *known))
        .min()
        .filter(|(distance, _)| *distance <= most && !known.contains(&name))
        .map(|(_, known)| known)
}

/// Whether Kubernetes has the resource on every node.
pub(in crate::lint) fn is_own(resource: &str) -> bool {
    OWN.contains(&resource) || resource.starts_with("hugepages-")
}

/// The resources of a pod's containers, each with the first field that names it.
pub(in crate::lint) fn named_by<'a>(at: &str, pod: &'a PodSpec) -> Vec<(String, &'a str)> {
    let mut seen = BTreeSet::new();
    all_containers(at, pod)
        .flat_map(|(at, container)| of_container(&at, container))
        .filter(|(_, name)| seen.insert(*name))
        .collect()
}

fn of_container<'a>(at: &str, container: &'a Container) -> Vec<(String, &'a str)> {
    let Some(resources) = &container.resources else {
        return Vec::new();
    };
    let lists = [
        ("limits", &resources.limits),
        ("requests", &resources.requests),
    ];
    lists
        .into_iter()
        .flat_map(|(field, list)| list.iter().flatten().map(move |(name, _)| (field, name)))
        .map(|(field, name)| (format!("{at}.resources.{field}[{name}]"), name.as_str()))
        .collect()
}

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    named_by(at, pod)
        .into_iter()
        .filter_map(|(at, name)| without_domain(&at, name).or_else(|| misspelt(&at, name)))
        .collect()
}

fn without_domain(at: &str, name: &str) -> Option<Remark> {
    let is_invalid = !name.contains('/') && !is_own(name);
    is_invalid.then(|| {
        let problem = format!("{name} is no resource of Kubernetes, and has no domain");
        let remedy = match device_of(name).or_else(|| nearest(&OWN, name)) {
            Some(meant) => format!("did you mean {meant}?"),
            None => "put the domain of its device plugin before it".to_owned(),
        };
        Remark::new(&INVALID_RESOURCE, at, problem).remedy(remedy)
    })
}

/// The device of that name in any domain.
fn device_of(name: &str) -> Option<&'static str> {
    let is_it = |device: &&&str| device.split_once('/').is_some_and(|(_, own)| own == name);
    DEVICES.iter().find(is_it).copied()
}

fn misspelt(at: &str, name: &str) -> Option<Remark> {
    let meant = nearest(&DEVICES, name)?;
    let problem = format!("no known device is named {name}");
    let remark = Remark::new(&MISSPELT_RESOURCE, at, problem);
    Some(remark.remedy(format!("did you mean {meant}?")))
}
