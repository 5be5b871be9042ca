//! PodGroups of Kubernetes' own scheduler: their names, and the marks of pods.
//!
//! A pod names its PodGroup at its creation and never another one, and a PodGroup never gets
//! another parent. So pods that are placed together have a PodGroup of their own each time
//! (decision 87).

use api::PodCliqueSpec;
use k8s_openapi::api::core::v1::{Pod, PodSchedulingGroup};

use crate::workload::gang::clique_minimum;

/// A name that was not used before: the first one is `base`. No other object has a name like the
/// later ones, because names of gangs and PodCliques have no dots.
pub fn probe_name(base: &str, probe: usize) -> String {
    match probe {
        0 => base.to_owned(),
        n => format!("{base}.{n}"),
    }
}

/// The base of a name made by [`probe_name`].
pub fn base_of_probe(name: &str) -> &str {
    name.split_once('.').map_or(name, |(base, _)| base)
}

/// Name of the group of groups that belongs to an object. No PodGroup has this name: the scheduler
/// of 1.37.1 places nothing if a CompositePodGroup has the name of one of its PodGroups.
pub fn composite_name(of: &str) -> String {
    format!("{of}.groups")
}

/// Whether all pods of the PodClique have to be placed. Such PodCliques of a gang share a PodGroup:
/// the number of their pods defines it fully.
pub fn needs_all_pods(spec: &PodCliqueSpec) -> bool {
    clique_minimum(spec) == spec.replicas
}

/// Lets the pod be placed with those of this PodGroup.
pub fn join_pod_group(pod: &mut Pod, group: &str) {
    let spec = pod.spec.get_or_insert_default();
    spec.scheduling_group = Some(PodSchedulingGroup {
        pod_group_name: Some(group.to_owned()),
    });
}
