//! The claim that the Go operator puts into the pod templates of PodCliques whose set requests
//! NVLink between nodes (`grove.io/mnnvl-group`; Grove, `internal/mnnvl`).
//!
//! It is not in the set, so it is no difference between templates, and a PodClique with the claim
//! keeps it: pods that run with it must not be replaced by pods without.

use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceClaim};

/// Its name, in the pod and in its containers.
const CLAIM: &str = "mnnvl-claim";

/// Whether the pods have the claim.
pub(super) fn has_claim(spec: &PodSpec) -> bool {
    let mut claims = spec.resource_claims.iter().flatten();
    claims.any(|claim| claim.name == CLAIM)
}

/// Takes the claim out.
pub(super) fn remove_claim(spec: &mut PodSpec) {
    retain(&mut spec.resource_claims, |claim| claim.name != CLAIM);
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        if let Some(resources) = &mut container.resources {
            retain(&mut resources.claims, |claim| claim.name != CLAIM);
        }
    }
}

/// Puts the claim in where the pods had it: into the pod, and the containers of the same name.
pub(super) fn keep_claim(spec: &mut PodSpec, before: &PodSpec) {
    let claims = before.resource_claims.iter().flatten();
    let Some(claim) = claims.into_iter().find(|claim| claim.name == CLAIM) else {
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
        if claiming.contains(&container.name.as_str()) {
            let resources = container.resources.get_or_insert_default();
            resources
                .claims
                .get_or_insert_default()
                .push(ResourceClaim {
                    name: CLAIM.to_owned(),
                    request: None,
                });
        }
    }
}

fn uses_claim(container: &Container) -> bool {
    let mut claims = container
        .resources
        .iter()
        .flat_map(|r| r.claims.iter().flatten());
    claims.any(|claim| claim.name == CLAIM)
}

fn retain<T>(list: &mut Option<Vec<T>>, keep: impl Fn(&T) -> bool) {
    if let Some(items) = list {
        items.retain(keep);
        if items.is_empty() {
            *list = None;
        }
    }
}
