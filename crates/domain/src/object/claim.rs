//! A ResourceClaim, of which rules read who owns it and whether it is being deleted.

use api::labels;
use k8s_openapi::api::resource::v1::ResourceClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Deserialize;

use super::ownership;
use super::pod::lean_metadata;

/// A ResourceClaim as seen in the cluster. Its status changes with every pod that uses it, and no rule
/// reads it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Resource)]
#[resource(inherit = ResourceClaim)]
pub struct Claim {
    /// Metadata without managed fields.
    #[serde(deserialize_with = "lean_metadata")]
    pub metadata: ObjectMeta,
}

impl Claim {
    /// Name of the claim.
    pub fn name(&self) -> &str {
        ownership::name(&self.metadata)
    }

    /// Whether an owner of this set left it, so that the next one adopts it: it has no controller, and our
    /// labels of the set. A claim that a user made under the same name has not.
    pub fn is_left_by(&self, set: &str) -> bool {
        let label = |key| ownership::label(&self.metadata, key);
        let is_ours = label(labels::MANAGED_BY) == Some(labels::MANAGER);
        let is_of_set = is_ours && label(labels::PART_OF) == Some(set);
        ownership::controller(&self.metadata).is_none() && is_of_set
    }

    /// Whether deletion was requested. It stays while a pod uses it, and no other pod may.
    pub fn is_terminating(&self) -> bool {
        ownership::is_terminating(&self.metadata)
    }
}
