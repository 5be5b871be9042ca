//! What the operator knows of a node: where it is, and how much it holds.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Node as FullNode;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Deserialize;

use super::pod::lean_metadata;

/// A node as seen in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Resource)]
#[resource(inherit = FullNode)]
pub struct Node {
    /// Metadata without managed fields.
    #[serde(deserialize_with = "lean_metadata")]
    pub metadata: ObjectMeta,
    /// The few fields of the status.
    #[serde(default)]
    pub status: NodeStatus,
}

/// The fields of a node's status that rules read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct NodeStatus {
    /// What pods may request of it, as quantities.
    #[serde(default)]
    pub allocatable: BTreeMap<String, String>,
}
