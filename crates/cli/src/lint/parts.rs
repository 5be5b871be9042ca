//! The parts of a set with their paths.

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec};

/// The cliques with their paths.
pub(super) fn cliques(
    set: &PodCliqueSet,
) -> impl Iterator<Item = (String, &PodCliqueTemplateSpec)> {
    let cliques = set.spec.template.cliques.iter().enumerate();
    cliques.map(|(i, clique)| (format!("spec.template.cliques[{i}]"), clique))
}

/// The scaling groups with their paths.
pub(super) fn groups(
    set: &PodCliqueSet,
) -> impl Iterator<Item = (String, &PodCliqueScalingGroupConfig)> {
    let groups = set.spec.template.scaling_groups.iter().enumerate();
    groups.map(|(i, group)| (format!("spec.template.podCliqueScalingGroups[{i}]"), group))
}

/// The pod specs with their paths.
pub(super) fn pods(set: &PodCliqueSet) -> impl Iterator<Item = (String, &PodSpec)> {
    cliques(set).map(|(at, clique)| (format!("{at}.spec.podSpec"), &*clique.spec.pod_spec))
}

/// The main containers of a pod, with their paths.
pub(super) fn containers<'a>(
    at: &str,
    pod: &'a PodSpec,
) -> impl Iterator<Item = (String, &'a Container)> + use<'a> {
    let at = format!("{at}.containers");
    let containers = pod.containers.iter().enumerate();
    containers.map(move |(i, container)| (format!("{at}[{i}]"), container))
}

/// The same, then the init containers and sidecars.
pub(super) fn all_containers<'a>(
    at: &str,
    pod: &'a PodSpec,
) -> impl Iterator<Item = (String, &'a Container)> + use<'a> {
    let main = containers(at, pod);
    let at = format!("{at}.initContainers");
    let init = pod.init_containers.iter().flatten().enumerate();
    main.chain(init.map(move |(i, container)| (format!("{at}[{i}]"), container)))
}

/// Whether a path is that of the part, or of a field in it.
pub(super) fn is_within(path: &str, part: &str) -> bool {
    let rest = path.strip_prefix(part);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
