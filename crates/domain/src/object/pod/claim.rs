//! The resource claims that a pod names.

use serde::Deserialize;

/// A resource claim that a pod names, or the template that its claim is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodClaim {
    /// Name by which its containers use the claim.
    pub name: String,
    /// Name of an existing ResourceClaim.
    pub resource_claim_name: Option<String>,
    /// Name of the ResourceClaimTemplate from which Kubernetes makes a claim for this pod.
    pub resource_claim_template_name: Option<String>,
}

impl PodClaim {
    /// "claim a", or "a claim of template b".
    pub fn describe(&self) -> String {
        let template = self.resource_claim_template_name.as_ref();
        match (&self.resource_claim_name, template) {
            (Some(claim), _) => format!("claim {claim}"),
            (None, Some(template)) => format!("a claim of template {template}"),
            (None, None) => format!("claim {}", self.name),
        }
    }
}
