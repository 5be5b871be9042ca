//! The resource claims that a PodGroup names for its pods: a claim takes 256 users, and a PodGroup
//! counts as one, whatever the number of its pods. An API server without feature
//! `DRAWorkloadResourceClaims` drops them, and each pod is a user of its own then.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use domain::Pod;
use domain::object::pod::PodClaim;
use k8s_openapi::api::scheduling::v1beta1::PodGroupResourceClaim;

/// The API allows no more.
const MOST: usize = 4;

/// Claims by the name of the PodGroup.
pub type ClaimsOfGroups = BTreeMap<String, Vec<PodGroupResourceClaim>>;

/// The claims that several of a PodGroup's pods name, those with the most pods first.
pub fn find_claims<'a>(pods: impl Iterator<Item = &'a Pod>) -> ClaimsOfGroups {
    let mut users: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for pod in pods {
        let Some(group) = pod.pod_group() else {
            continue;
        };
        for (name, claim) in pod.spec.resource_claims.iter().filter_map(names_of) {
            *users.entry((group, name, claim)).or_default() += 1;
        }
    }
    let mut shared: Vec<_> = users.into_iter().filter(|(_, count)| *count > 1).collect();
    shared.sort_by_key(|(_, count)| Reverse(*count));
    let mut claims = ClaimsOfGroups::new();
    for ((group, name, claim), _) in shared {
        let of_group = claims.entry(group.to_owned()).or_default();
        if of_group.len() < MOST {
            of_group.push(PodGroupResourceClaim {
                name: name.to_owned(),
                resource_claim_name: Some(claim.to_owned()),
                resource_claim_template_name: None,
            });
        }
    }
    claims
}

fn names_of(claim: &PodClaim) -> Option<(&str, &str)> {
    Some((&claim.name, claim.resource_claim_name.as_deref()?))
}
