//! What one replica of a set consists of.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PodCliqueScalingGroupConfig, RollingUpdate};
use crate::GoDuration;
use crate::podclique::PodCliqueSpec;
use crate::resources::{PcsResourceSharing, ResourceClaimTemplateConfig, ResourceSharing};
use crate::topology::TopologyConstraint;

/// What one replica of the set consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetTemplateSpec {
    /// The roles of the workload: 1 to 500, each name once.
    ///
    /// None can be added, removed or renamed: the webhook refuses it. Without the webhook one that is
    /// added is created in every replica, and one that is removed is deleted with its pods. For
    /// `Training` the list cannot be changed.
    pub cliques: Vec<PodCliqueTemplateSpec>,
    /// In which order the cliques of a gang start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "CliqueStartupTypeAnyOrder"))]
    pub clique_startup_type: Option<CliqueStartupType>,
    /// PriorityClass of all pods and PodGangs of the set; it must exist.
    ///
    /// If set, it wins over `podSpec.priorityClassName`. A change reaches PodGangs at once and
    /// restarts pods by `updateStrategy`. Cannot be changed for `Training`.
    /// Default: what each pod spec says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// The headless Service that each replica has for its pods' DNS names.
    ///
    /// A change is made to the Services at once and restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless_service_config: Option<HeadlessServiceConfig>,
    /// Where a replica has to be placed. Accepted, without effect yet.
    ///
    /// Condition `FieldNotImplemented` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// How long fewer than `minAvailable` may be available before the gang is terminated, e.g.
    /// `4h`.
    ///
    /// A Go duration of at least `1s`; for `Training` also `0s`. Unset: never terminated, unless
    /// the operator's configuration names a default; for `Training` at once (`0s`). A change counts
    /// at once, also for a shortage that has begun; it restarts nothing by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_delay: Option<GoDuration>,
    /// Templates for `resourceSharing`. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_claim_templates: Vec<ResourceClaimTemplateConfig>,
    /// Claims shared by the set's pods. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field; pods do not get the claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsResourceSharing>,
    /// Cliques that are scaled together; at most 500 groups, each name once.
    ///
    /// None can be added, removed or renamed: the webhook refuses it, for `Training` the API server.
    /// Without the webhook one that is added is created in every replica, and one that is removed is
    /// deleted with its pods. Default: none.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        rename = "podCliqueScalingGroups"
    )]
    pub scaling_groups: Vec<PodCliqueScalingGroupConfig>,
}

/// One role of the workload: its pods share one template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueTemplateSpec {
    /// Name of the clique, a DNS label, unique in the set.
    ///
    /// Pods are named after it: the names of set, group and clique have at most 45 characters in
    /// all. A clique under another name is another clique: the old pods are deleted, new ones
    /// created.
    pub name: String,
    /// Labels of the clique's PodCliques and pods; at most 500.
    ///
    /// Keys that begin with `grove.io/` are refused. Part of the pod template: a change restarts
    /// pods by `updateStrategy`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of its PodCliques and pods; at most 500.
    ///
    /// Keys that begin with `grove.io/` are refused, but for `grove.io/mnnvl-group` and
    /// `grove.io/topology-name`. Part of the pod template: a change restarts pods by
    /// `updateStrategy`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// How an update of this clique goes on; not for cliques of a scaling group.
    ///
    /// Refused with `OnDelete`. Default: one pod at a time, without a deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdate>,
    /// Where its pods have to be placed. Accepted, without effect yet.
    ///
    /// Condition `FieldNotImplemented` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Claims shared by its pods. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<ResourceSharing>,
    /// Pods of the clique: how many, how many are needed, template.
    pub spec: PodCliqueSpec,
}

/// In which order the cliques of a gang start: all at once (default), in the order of the list, or
/// by `startsAfter`.
///
/// Pods are placed together whatever the order; an init container holds those back that start
/// later, until the others have `minAvailable` pods Ready. Order is kept within one gang. The webhook
/// refuses a change; without it, it concerns pods that are created afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CliqueStartupType {
    /// All at once.
    #[default]
    #[serde(rename = "CliqueStartupTypeAnyOrder")]
    AnyOrder,
    /// Each after the one before it in the list.
    #[serde(rename = "CliqueStartupTypeInOrder")]
    InOrder,
    /// As `startsAfter` says.
    #[serde(rename = "CliqueStartupTypeExplicit")]
    Explicit,
}

/// The headless Service of a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlessServiceConfig {
    /// Whether pods have DNS names before they are Ready. Default true.
    ///
    /// A change is made to the Services at once and restarts nothing.
    #[serde(default = "yes")]
    pub publish_not_ready_addresses: bool,
}

impl Default for HeadlessServiceConfig {
    fn default() -> Self {
        Self {
            publish_not_ready_addresses: true,
        }
    }
}

fn yes() -> bool {
    true
}
