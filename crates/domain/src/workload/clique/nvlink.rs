//! The claim by which pods join the ComputeDomain of their MNNVL group. It is put into the pod template of a
//! new PodClique (Grove does the same).
//!
//! It is not in the set, so it is no difference between templates, and a PodClique with the claim
//! keeps it: pods that run with it must not be replaced by pods without. Nor do PodCliques that exist get
//! it, so a changed configuration of the operator restarts nothing.

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet, names};
use k8s_openapi::api::core::v1::{Container, PodResourceClaim, PodSpec, ResourceClaim};

use crate::object::ownership;
use crate::workload::nvlink::{CountedClaims, counted_claims, enrolled_group, uses_gpus};

/// Its name, in the pod and in its containers.
pub const MNNVL_CLAIM: &str = "mnnvl-claim";

/// Lets the pods of a new PodClique, which is in this replica, join the ComputeDomain of their group, if
/// the clique is enrolled.
pub fn join_domain(
    podclique: &mut PodClique,
    set: &PodCliqueSet,
    clique: &PodCliqueTemplateSpec,
    replica: i32,
) {
    let Some(group) = enrolled_group(set, clique, &podclique.spec.pod_spec) else {
        return;
    };
    if has_claim(&podclique.spec.pod_spec) {
        return;
    }
    let name = names::compute_domain(ownership::name(&set.metadata), replica, group);
    let claim = PodResourceClaim {
        name: MNNVL_CLAIM.to_owned(),
        resource_claim_name: None,
        resource_claim_template_name: Some(name),
    };
    let spec: &mut PodSpec = &mut podclique.spec.pod_spec;
    spec.resource_claims.get_or_insert_default().push(claim);
    let counted = counted_claims(set, clique);
    let init = spec.init_containers.iter_mut().flatten();
    let all = spec.containers.iter_mut().chain(init);
    for container in all.filter(|container| uses_gpus(container, counted)) {
        allow(container);
    }
}

/// Name of the ComputeDomain, and of its ResourceClaimTemplate, that pods with this spec join; `None` if
/// they join none of this set.
pub fn domain_of<'a>(set: &str, pod_spec: &'a PodSpec) -> Option<&'a str> {
    let mut claims = pod_spec.resource_claims.iter().flatten();
    let claim = claims.find(|claim| claim.name == MNNVL_CLAIM)?;
    let name = claim.resource_claim_template_name.as_deref()?;
    names::parts_of_compute_domain(set, name).map(|_| name)
}

/// Whether the pods have the claim.
pub(super) fn has_claim(spec: &PodSpec) -> bool {
    let mut claims = spec.resource_claims.iter().flatten();
    claims.any(|claim| claim.name == MNNVL_CLAIM)
}

/// Takes the claim out.
pub(super) fn remove_claim(spec: &mut PodSpec) {
    retain(&mut spec.resource_claims, |claim| claim.name != MNNVL_CLAIM);
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        if let Some(resources) = &mut container.resources {
            retain(&mut resources.claims, |claim| claim.name != MNNVL_CLAIM);
        }
    }
}

/// Puts the claim in where the pods had it: into the pod, and the containers of the same name. Containers
/// of a changed template that request GPUs get it likewise.
pub(super) fn keep_claim(spec: &mut PodSpec, before: &PodSpec) {
    let claims = before.resource_claims.iter().flatten();
    let Some(claim) = claims.into_iter().find(|claim| claim.name == MNNVL_CLAIM) else {
        return;
    };
    if has_claim(spec) {
        return;
    }
    spec.resource_claims
        .get_or_insert_default()
        .push(claim.clone());
    let init = before.init_containers.iter().flatten();
    let claiming: Vec<&str> = before
        .containers
        .iter()
        .chain(init)
        .filter(|c| uses_claim(c))
        .map(|c| c.name.as_str())
        .collect();
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        let is_one = claiming.contains(&container.name.as_str());
        if is_one || uses_gpus(container, CountedClaims::None) {
            allow(container);
        }
    }
}

/// Lets the container use the claim.
fn allow(container: &mut Container) {
    let resources = container.resources.get_or_insert_default();
    resources
        .claims
        .get_or_insert_default()
        .push(ResourceClaim {
            name: MNNVL_CLAIM.to_owned(),
            request: None,
        });
}

fn uses_claim(container: &Container) -> bool {
    let mut claims = container
        .resources
        .iter()
        .flat_map(|r| r.claims.iter().flatten());
    claims.any(|claim| claim.name == MNNVL_CLAIM)
}

fn retain<T>(list: &mut Option<Vec<T>>, keep: impl Fn(&T) -> bool) {
    if let Some(items) = list {
        items.retain(keep);
        if items.is_empty() {
            *list = None;
        }
    }
}
