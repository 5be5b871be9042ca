//! PodGroups of Kubernetes' own scheduler: their names, and the marks of pods.
//!
//! A pod names its PodGroup at its creation and never another one, and a PodGroup never gets
//! another parent. So pods that are placed together have a PodGroup of their own each time
//! (decision 87).

use api::{PodCliqueSet, PodCliqueSpec};
use k8s_openapi::api::core::v1::{Pod, PodSchedulingGroup};

use crate::object::ownership;
use crate::topology::pack_of;
use crate::workload::gang::clique_minimum;
use crate::workload::layout;

/// What a name of [`instance_name`] has behind its first dot.
const INSTANCE: &str = "instance";

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

/// Name of the group of the PodGroups of one group replica (`<group>-<replica>`), which a gang that
/// is no tree has if these pods have to share a topology domain. It differs from
/// [`composite_name`], because a scaled gang is called like an earlier group replica of its group.
pub fn instance_name(group_replica: &str) -> String {
    format!("{group_replica}.{INSTANCE}")
}

/// Whether the name is one of [`instance_name`], with or without a probe.
pub fn is_instance_name(name: &str) -> bool {
    name.split('.').nth(1) == Some(INSTANCE)
}

/// Name of the group at the top of a gang, above a PodGroup with this parent. Groups that are
/// created together have the same probe, so the name of one shows the names of the others.
pub fn root_name(gang: &str, parent: &str) -> String {
    if is_instance_name(parent) {
        probe_name(&composite_name(gang), probe_of_composite(parent))
    } else {
        parent.to_owned()
    }
}

/// Name of the group of a group replica that is created together with this root.
pub fn instance_below(root: &str, group_replica: &str) -> String {
    probe_name(&instance_name(group_replica), probe_of_composite(root))
}

/// The probe in the name of a group of groups.
fn probe_of_composite(name: &str) -> usize {
    let probe = name.split('.').nth(2);
    probe.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Whether the pods of this PodClique, or those of its group replica, have to share a topology
/// domain. Such a PodClique shares its PodGroup with no other one of its gang: a PodGroup has one
/// domain for all of its pods.
pub fn has_own_domain(set: &PodCliqueSet, podclique: &str) -> bool {
    let template = &set.spec.template;
    let Some(slot) = layout::find(ownership::name(&set.metadata), template, podclique) else {
        return false;
    };
    let mut cliques = template.cliques.iter();
    let clique = cliques.find(|clique| clique.name == slot.clique);
    let constraints = [
        clique.and_then(|clique| clique.topology_constraint.as_ref()),
        slot.group
            .and_then(|group| group.topology_constraint.as_ref()),
        slot.group
            .and_then(|group| group.all_replicas_topology_constraint.as_ref()),
    ];
    constraints
        .into_iter()
        .any(|constraint| pack_of(constraint).required.is_some())
}

/// Whether all pods of the PodClique have to be placed. Such PodCliques of a gang share a PodGroup
/// unless they have a topology domain of their own: the number of their pods defines it fully.
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
