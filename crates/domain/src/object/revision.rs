//! A ControllerRevision of a set: the pod templates of one accepted generation.

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::ownership;
use super::packed_text::PackedText;
use super::pod::lean_metadata;

/// A ControllerRevision as seen in the cluster. Its content is packed text until a rule needs it, which
/// is rare: as values it would take many times the memory.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Resource)]
#[resource(inherit = ControllerRevision)]
pub struct Revision {
    /// Metadata without managed fields.
    #[serde(deserialize_with = "lean_metadata")]
    pub metadata: ObjectMeta,
    /// The newest revision of a set has the largest number.
    #[serde(default)]
    pub revision: i64,
    /// The content as JSON; `workload::revision` decodes it.
    #[serde(default, deserialize_with = "pack")]
    pub data: PackedText,
}

impl Revision {
    /// Name of the revision.
    pub fn name(&self) -> &str {
        ownership::name(&self.metadata)
    }
}

fn pack<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PackedText, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(PackedText::from(value.to_string().as_str()))
}
