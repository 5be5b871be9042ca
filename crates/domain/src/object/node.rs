//! The facts about a node that rules read: where it is, its capacity, and whether it ends pods.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Node as FullNode;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::{Deserialize, Deserializer};

use super::pod::{PodCondition, lean_metadata};

/// With this taint an administrator declares that a node's machine is off: its pods have ended.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// A node as seen in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Resource)]
#[resource(inherit = FullNode)]
pub struct Node {
    /// Metadata without managed fields.
    #[serde(deserialize_with = "lean_metadata")]
    pub metadata: ObjectMeta,
    /// The few fields of the spec.
    #[serde(default)]
    pub spec: NodeSpec,
    /// The few fields of the status.
    #[serde(default)]
    pub status: NodeStatus,
}

/// The fields of a node's spec that rules read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct NodeSpec {
    /// Whether it has taint `node.kubernetes.io/out-of-service`.
    #[serde(
        default,
        rename = "taints",
        deserialize_with = "is_tainted_out_of_service"
    )]
    pub is_out_of_service: bool,
    /// Whether it is cordoned: it takes no more pods.
    #[serde(default, rename = "unschedulable")]
    pub is_cordoned: bool,
}

/// The fields of a node's status that rules read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct NodeStatus {
    /// The amounts that pods may request on it, as quantities.
    #[serde(default)]
    pub allocatable: BTreeMap<String, String>,
    /// Whether condition `Ready` is True. Of the conditions only that is kept.
    #[serde(default, rename = "conditions", deserialize_with = "has_ready")]
    pub is_ready: bool,
}

impl Node {
    /// Whether its kubelet reports: then a pod that it did not report as ended may still run.
    pub fn is_in_service(&self) -> bool {
        self.status.is_ready && !self.spec.is_out_of_service
    }
}

#[derive(Deserialize)]
struct Taint {
    key: String,
}

fn is_tainted_out_of_service<'de, D: Deserializer<'de>>(taints: D) -> Result<bool, D::Error> {
    let taints = Option::<Vec<Taint>>::deserialize(taints)?.unwrap_or_default();
    Ok(taints.iter().any(|taint| taint.key == OUT_OF_SERVICE))
}

fn has_ready<'de, D: Deserializer<'de>>(conditions: D) -> Result<bool, D::Error> {
    let conditions = Option::<Vec<PodCondition>>::deserialize(conditions)?.unwrap_or_default();
    let mut ready = conditions.iter().filter(|c| c.type_ == "Ready");
    Ok(ready.any(|c| c.status == "True"))
}
