//! Pods that have to join others in a topology domain, and find no node there because all of them are
//! cordoned or gone. Their scheduler only says that no node suits them.

use std::sync::Arc;

use api::{PodGang, labels, names};
use domain::health::readiness;
use domain::object::ownership;
use domain::placement::{
    ClosedDomain, PinScope, ScopeOwner, find_closed_domain, requires_domain, scopes_of,
};
use domain::topology::{Levels, pin_of};
use domain::{Node, Pod};
use engine::Caches;
use k8s_openapi::api::core::v1::Toleration;

use crate::gang_part::GangPart;
use crate::scaling_group::find_shared_level;
use crate::{levels, peers};

/// The taint by which the scheduler treats a cordoned node.
const CORDON: &str = "node.kubernetes.io/unschedulable";

/// The first such pod of a gang that is not placed: its name, and the domain.
pub(crate) fn find_closed(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
) -> Option<(String, ClosedDomain)> {
    let is_placed = |part: &GangPart| part.has_minimum(&Pod::is_scheduled);
    let may_wait = requires_domain(gang) && !parts.iter().all(is_placed);
    if !may_wait || !caches.is_served::<Node>("") {
        return None;
    }
    let mut waiting = parts
        .iter()
        .filter(|part| !tolerates_cordon(part))
        .flat_map(|part| part.pods.iter().map(move |pod| (part, pod)))
        .filter(|(_, pod)| !pod.is_scheduled() && readiness::is_refused(pod))
        .filter(|(_, pod)| !pin_of(pod).is_empty())
        .peekable();
    waiting.peek()?;
    let levels = levels::of_constraints(gang, caches);
    let nodes = caches.of::<Node>().all();
    let nodes: Vec<&Node> = nodes.iter().map(AsRef::as_ref).collect();
    waiting.find_map(|(part, pod)| {
        let scopes = scopes_of_part(gang, &part.name, pod, &levels, caches);
        let closed = find_closed_domain(&pin_of(pod), &scopes, &levels, &nodes)?;
        Some((pod.name().to_owned(), closed))
    })
}

/// Whether pods of the part may be placed on cordoned nodes.
fn tolerates_cordon(part: &GangPart) -> bool {
    let tolerates = |toleration: &Toleration| match toleration.key.as_deref() {
        None | Some("") => true,
        Some(key) => key == CORDON,
    };
    let podclique = part.podclique.as_ref();
    let mut tolerations = podclique
        .and_then(|podclique| podclique.spec.pod_spec.tolerations.as_ref())
        .into_iter()
        .flatten();
    tolerations.any(tolerates)
}

/// The scopes of a part that require a level, outermost first.
fn scopes_of_part(
    gang: &PodGang,
    part: &str,
    pod: &Arc<Pod>,
    levels: &Levels,
    caches: &Caches,
) -> Vec<PinScope> {
    let of_replica = scope_of_replica(gang, pod, levels, caches);
    let own = scopes_of(gang).into_iter().filter_map(|scope| {
        let position = levels.position_of_key(scope.required?)?;
        let is_of_part = scope.parts.contains(&part);
        let is_of_set = scope.owner == ScopeOwner::Gang
            && of_replica.as_ref().map(|scope| scope.position) == Some(position);
        (is_of_part && !is_of_set).then(|| describe(scope.owner, position, pod))
    });
    let own: Vec<PinScope> = own.collect();
    let of_all = scope_of_scaling_group(gang, part, pod, levels, caches);
    of_replica.into_iter().chain(of_all).chain(own).collect()
}

/// That of the replica of the set: scaled gangs share it with their base gang.
fn scope_of_replica(
    gang: &PodGang,
    pod: &Pod,
    levels: &Levels,
    caches: &Caches,
) -> Option<PinScope> {
    let base = peers::base_of(gang, caches);
    let root = base.as_deref().unwrap_or(gang);
    let set = ownership::label(&root.metadata, labels::PART_OF)?;
    names::replica_of_base_gang(set, ownership::name(&root.metadata))?;
    let constraint = root.spec.topology_constraint.as_ref()?;
    let key = constraint.pack_constraint.as_ref()?.required.as_deref()?;
    Some(PinScope {
        position: levels.position_of_key(key)?,
        owner: "its replica".to_owned(),
        selector: select(pod, &[labels::PART_OF, labels::PCS_REPLICA_INDEX]),
    })
}

/// That of all replicas of the scaling group of the part: a scaled gang does not show it.
fn scope_of_scaling_group(
    gang: &PodGang,
    part: &str,
    pod: &Pod,
    levels: &Levels,
    caches: &Caches,
) -> Option<PinScope> {
    let shared = find_shared_level(gang, part, levels, caches)?;
    Some(PinScope {
        position: levels.position_of_key(&shared.key)?,
        owner: format!("scaling group {}", shared.group),
        selector: select(pod, &[labels::SCALING_GROUP]),
    })
}

fn describe(owner: ScopeOwner<'_>, position: usize, pod: &Pod) -> PinScope {
    let of_group_replica = [labels::SCALING_GROUP, labels::SCALING_GROUP_REPLICA_INDEX];
    let (owner, labels): (String, &[&str]) = match owner {
        ScopeOwner::Gang => ("its group replica".to_owned(), &of_group_replica),
        ScopeOwner::ScalingGroup(name) => {
            (format!("scaling group {name}"), &[labels::SCALING_GROUP])
        }
        ScopeOwner::Group(name) => (format!("group replica {name}"), &of_group_replica),
        ScopeOwner::Part(name) => (format!("PodClique {name}"), &[labels::POD_CLIQUE]),
    };
    PinScope {
        position,
        owner,
        selector: select(pod, labels),
    }
}

/// The label selector of all pods with these labels of the pod.
fn select(pod: &Pod, keys: &[&str]) -> String {
    let label = |key: &str| Some(format!("{key}={}", ownership::label(&pod.metadata, key)?));
    let labels = keys.iter().filter_map(|key| label(key));
    labels.collect::<Vec<String>>().join(",")
}
