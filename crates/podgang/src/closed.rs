//! Pods that have to join others in a topology domain, and find no node there because all of them are
//! cordoned or gone. Their scheduler only says that no node suits them.

use api::PodGang;
use domain::health::readiness;
use domain::placement::{ClosedDomain, PinScope, find_closed_domain, requires_domain};
use domain::topology::pin_of;
use domain::{Node, Pod};
use engine::Caches;
use k8s_openapi::api::core::v1::Toleration;

use crate::gang_part::GangPart;
use crate::levels;
use crate::part_scopes::{self, PartScope};

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
        let scopes = part_scopes::list(gang, &part.name, pod, &levels, caches);
        let scopes: Vec<PinScope> = scopes.into_iter().map(describe).collect();
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

/// With the label selector of its pods.
fn describe(scope: PartScope) -> PinScope {
    let labels = scope.labels.iter();
    let labels: Vec<String> = labels
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    PinScope {
        position: scope.position,
        owner: scope.owner,
        selector: labels.join(","),
    }
}
