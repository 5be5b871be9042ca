//! The ComputeDomain of NVIDIA's driver for dynamic resource allocation: the fields that this operator
//! writes or reads. Its definition needs them, and makes the spec immutable.

use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// Pods that share memory over NVLink across nodes. The driver makes a ResourceClaimTemplate for it,
/// and pods with claims from that template are in the domain.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "resource.nvidia.com",
    version = "v1beta1",
    kind = "ComputeDomain",
    namespaced,
    status = "ComputeDomainStatus",
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
#[serde(rename_all = "camelCase")]
pub struct ComputeDomainSpec {
    /// How many nodes it waits for; 0: it grows with its pods.
    #[serde(default)]
    pub num_nodes: i32,
    /// How pods get its channels.
    #[serde(default)]
    pub channel: ComputeDomainChannel,
}

/// How pods get channels of a domain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComputeDomainChannel {
    /// The ResourceClaimTemplate that the driver makes.
    #[serde(default)]
    pub resource_claim_template: ComputeDomainTemplate,
}

/// The ResourceClaimTemplate of a domain, in its namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputeDomainTemplate {
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// The state of a domain, written by the driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputeDomainStatus {
    /// [`READY`], or another word.
    #[serde(default)]
    pub status: String,
    /// The nodes with pods of it.
    #[serde(default)]
    pub nodes: Vec<ComputeDomainNode>,
}

/// A node of a domain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputeDomainNode {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// [`READY`], or another word.
    #[serde(default)]
    pub status: String,
}

/// State of a domain, or of a node of it, over which pods can share memory.
pub const READY: &str = "Ready";
/// The resource of a GPU of NVIDIA.
pub const GPU: &str = "nvidia.com/gpu";
