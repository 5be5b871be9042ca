//! Resource claims that pods share.

use k8s_openapi::api::resource::v1::ResourceClaimTemplateSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A resource claim template inside the PodCliqueSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaimTemplateConfig {
    /// Name of the template, unique in the list; an entry of `resourceSharing` names it.
    pub name: String,
    /// A ResourceClaimTemplate's spec with at least one device request. Its labels and annotations
    /// go into the claims.
    pub template_spec: ResourceClaimTemplateSpec,
}

/// Number of claims for a template.
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
    /// Name of the claim template, once in each list. Claims are named after it.
    pub name: String,
    /// Namespace of a ResourceClaimTemplate. Empty: a template of the set itself, otherwise one in the
    /// set's namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Number of claims: one for all replicas, or one for each; of a clique, one for each pod.
    pub scope: ResourceSharingScope,
}

/// A resource claim shared by the pods of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsResourceSharing {
    /// Template and scope.
    #[serde(flatten)]
    pub sharing: ResourceSharing,
    /// Cliques and groups whose pods share the claim. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<PcsResourceSharingFilter>,
}

/// Cliques and groups that share a claim of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsResourceSharingFilter {
    /// Names of cliques whose pods share the claim; at most 500.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_clique_names: Vec<String>,
    /// Names of groups whose pods share the claim; at most 500.
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
    /// Cliques of the group whose pods share the claim. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<PcsgResourceSharingFilter>,
}

/// Cliques that share a claim of a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsgResourceSharingFilter {
    /// Names of cliques whose pods share the claim; at most 500.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_clique_names: Vec<String>,
}
