//! Names of containers and volumes.

use std::collections::HashMap;

use admission::is_dns_label;
use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_NAME: Rule = Rule::error(
    "invalid-name",
    "a name of a container or volume that is no DNS label, or that another container has",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let containers: Vec<(String, &str)> = all_containers(at, pod)
        .map(|(at, container)| (format!("{at}.name"), container.name.as_str()))
        .collect();
    let volumes = pod.volumes.iter().flatten().enumerate();
    let volumes = volumes.map(|(i, volume)| (format!("{at}.volumes[{i}].name"), &*volume.name));
    let all: Vec<(String, &str)> = containers.iter().cloned().chain(volumes).collect();
    let invalid = all.into_iter().filter(|(_, name)| !is_dns_label(name));
    invalid
        .map(not_a_label)
        .chain(shared(&containers))
        .collect()
}

fn not_a_label((at, name): (String, &str)) -> Remark {
    let problem =
        "must be a DNS label: lower-case letters, digits and hyphens, at most 63".to_owned();
    let remark = Remark::new(&INVALID_NAME, at, problem).value(format!("{name:?}"));
    remark.remedy("rename it, such as main-1")
}

/// An init container with the name of another container; the definition finds two in one list.
fn shared(containers: &[(String, &str)]) -> Vec<Remark> {
    let list_of = |at: &str| at.rsplit_once('[').map_or("", |(list, _)| list).to_owned();
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut remarks = Vec::new();
    for (at, name) in containers {
        let other = *first.entry(*name).or_insert(at.as_str());
        if list_of(other) != list_of(at) {
            let problem = format!("is the name of {other}, too");
            let remark = Remark::new(&INVALID_NAME, at.as_str(), problem);
            remarks.push(
                remark
                    .value(format!("{name:?}"))
                    .remedy("rename one of the two"),
            );
        }
    }
    remarks
}
