//! Lets a new pod use claims.

use k8s_openapi::api::core::v1::{Container, Pod, PodResourceClaim, PodSpec, ResourceClaim};

/// A claim as a pod names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedClaim {
    /// The name under which containers use it: that of the claim without a number.
    pub name: String,
    /// Name of the ResourceClaim.
    pub claim: String,
}

/// Gives the claims to the pod, and to each of its containers that exists so far.
pub fn inject(pod: &mut Pod, claims: &[NamedClaim]) {
    if let Some(spec) = &mut pod.spec {
        for claim in claims {
            add(spec, claim);
        }
    }
}

fn add(spec: &mut PodSpec, claim: &NamedClaim) {
    let list = spec.resource_claims.get_or_insert_default();
    if list.iter().any(|named| named.name == claim.name) {
        return;
    }
    list.push(PodResourceClaim {
        name: claim.name.clone(),
        resource_claim_name: Some(claim.claim.clone()),
        resource_claim_template_name: None,
    });
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        allow(container, &claim.name);
    }
}

fn allow(container: &mut Container, name: &str) {
    let resources = container.resources.get_or_insert_default();
    let claims = resources.claims.get_or_insert_default();
    claims.push(ResourceClaim {
        name: name.to_owned(),
        request: None,
    });
}
