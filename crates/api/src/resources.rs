//! Resource claims that pods share.

use k8s_openapi::api::resource::v1::ResourceClaimTemplateSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A resource claim template kept inside the PodCliqueSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaimTemplateConfig {
    /// Unique name, used by `resourceSharing`.
    pub name: String,
    /// The template.
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
    /// Name of the template.
    pub name: String,
    /// Namespace of an external template; empty for one of `resourceClaimTemplates`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// How many claims.
    pub scope: ResourceSharingScope,
}

/// A resource claim shared by the pods of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsResourceSharing {
    /// Template and scope.
    #[serde(flatten)]
    pub sharing: ResourceSharing,
    /// Which cliques and groups take part. Absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<PcsResourceSharingFilter>,
}

/// Which cliques and groups take part in a claim of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsResourceSharingFilter {
    /// Names of cliques.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_clique_names: Vec<String>,
    /// Names of scaling groups.
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
    /// Which cliques take part. Absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<PcsgResourceSharingFilter>,
}

/// Which cliques take part in a claim of a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsgResourceSharingFilter {
    /// Names of cliques.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub child_clique_names: Vec<String>,
}
