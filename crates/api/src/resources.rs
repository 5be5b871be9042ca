//! Resource claims that pods share.

use k8s_openapi::api::resource::v1::ResourceClaimTemplateSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A resource claim template kept inside the PodCliqueSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaimTemplateConfig {
    /// Name of the template, unique in the list; see `resourceSharing`. Without effect yet.
    pub name: String,
    /// A ResourceClaimTemplate's spec with at least one device request. Without effect yet.
    pub template_spec: ResourceClaimTemplateSpec,
}

/// How many claims are made of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ResourceSharingScope {
    /// One for all replicas.
    #[default]
    AllReplicas,
    /// One for each replica.
    PerReplica,
}

/// A resource claim shared by the pods of a clique.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSharing {
    /// Name of the claim template, once in each list. Without effect yet.
    pub name: String,
    /// Namespace of a ResourceClaimTemplate; empty: one of the set's own. Without effect yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// How many claims are to be made: one for all replicas, or one each. Without effect yet.
    pub scope: ResourceSharingScope,
}

/// A resource claim shared by the pods of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsResourceSharing {
    /// Template and scope.
    #[serde(flatten)]
    pub sharing: ResourceSharing,
    /// Which cliques and groups share it. Default: all. Without effect yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<PcsResourceSharingFilter>,
}

/// Which cliques and groups take part in a claim of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsResourceSharingFilter {
    /// Names of cliques that share the claim; at most 500. Without effect yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_clique_names: Vec<String>,
    /// Names of groups that share the claim; at most 500. Without effect yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_scaling_group_names: Vec<String>,
}

/// A resource claim shared by the pods of a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsgResourceSharing {
    /// Template and scope.
    #[serde(flatten)]
    pub sharing: ResourceSharing,
    /// Which cliques of the group share it. Default: all. Without effect yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<PcsgResourceSharingFilter>,
}

/// Which cliques take part in a claim of a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsgResourceSharingFilter {
    /// Names of cliques that share the claim; at most 500. Without effect yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_clique_names: Vec<String>,
}
