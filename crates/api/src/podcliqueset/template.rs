//! The content of one replica of a set.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PodCliqueScalingGroupConfig, RollingUpdate};
use crate::GoDuration;
use crate::podclique::PodCliqueSpec;
use crate::resources::{PcsResourceSharing, ResourceClaimTemplateConfig, ResourceSharing};
use crate::topology::TopologyConstraint;

/// The content of one replica of the set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueSetTemplateSpec {
    /// The roles of the workload: 1 to 500, with unique names.
    ///
    /// The webhook refuses to add, remove or rename one. Without the webhook, an added clique is
    /// created in every replica, and a removed one is deleted with its pods. For `Training` the
    /// list cannot be changed.
    pub cliques: Vec<PodCliqueTemplateSpec>,
    /// Order in which the cliques of a gang start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "CliqueStartupTypeAnyOrder"))]
    pub clique_startup_type: Option<CliqueStartupType>,
    /// PriorityClass of all pods and PodGangs of the set; it must exist.
    ///
    /// If set, it takes precedence over `podSpec.priorityClassName`. A change reaches PodGangs at
    /// once and restarts pods as `updateStrategy` defines. Cannot be changed for `Training`.
    /// Default: the value in each pod spec.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// Headless Service of each replica, for the DNS names of its pods.
    ///
    /// A change reaches the Services at once and restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless_service_config: Option<HeadlessServiceConfig>,
    /// Topology domain in which to place a replica.
    ///
    /// Cannot be changed. A level that does not exist holds the gangs that have not started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// How long fewer than `minAvailable` may be available before the gang is terminated, e.g.
    /// `4h`.
    ///
    /// A Go duration of at least `1s`; for `Training` also `0s`. Unset: never, unless the
    /// operator's configuration has a default; for `Training` at once (`0s`). A change takes effect
    /// at once, also for a shortage that has begun; by itself it restarts nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_delay: Option<GoDuration>,
    /// Claim templates for `resourceSharing`, beside ResourceClaimTemplates that exist by themselves.
    ///
    /// At most 500, with unique names. Cannot be changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_claim_templates: Vec<ResourceClaimTemplateConfig>,
    /// Resource claims that pods of the set share: one for all of its replicas, or one for each.
    ///
    /// At most 500. The operator creates the claims, and pods wait for them. Cannot be changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsResourceSharing>,
    /// Cliques that are scaled together: at most 500 groups, with unique names. Default: none.
    ///
    /// The webhook (for `Training` the API server) refuses to add, remove or rename one. Without
    /// the webhook, an added group is created in every replica, and a removed one is deleted with
    /// its pods.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        rename = "podCliqueScalingGroups"
    )]
    pub scaling_groups: Vec<PodCliqueScalingGroupConfig>,
}

/// One role of the workload: pods that share one template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueTemplateSpec {
    /// Name of the clique, a DNS label, unique in the set.
    ///
    /// Pod names begin with it: the names of set, group and clique together have at most 45
    /// characters. Renaming deletes the old pods and creates new ones.
    pub name: String,
    /// Labels of the clique's PodCliques and pods; at most 500.
    ///
    /// Keys that begin with `grove.io/` are refused. Part of the pod template: a change restarts
    /// pods as `updateStrategy` defines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the clique's PodCliques and pods; at most 500.
    ///
    /// Keys that begin with `grove.io/` are refused, except `grove.io/mnnvl-group` and
    /// `grove.io/topology-name`. Part of the pod template: a change restarts pods as
    /// `updateStrategy` defines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// How an update replaces pods of this clique: how many at a time, and its deadline. Not for
    /// cliques of a scaling group.
    ///
    /// Refused with `OnDelete`. Default: one pod at a time, no deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdate>,
    /// Topology domain in which to place the clique's pods.
    ///
    /// Cannot be changed. A level that does not exist holds the gangs that have not started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Resource claims that pods of a PodClique share: one for all of them, or one for each index.
    ///
    /// At most 500. The operator creates the claims. Cannot be changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<ResourceSharing>,
    /// The clique's pods: number, required number, template.
    pub spec: PodCliqueSpec,
}

/// Order in which the cliques of a gang start: all at once (default), in the order of the list, or
/// by `startsAfter`.
///
/// The order does not affect placement: all pods are placed together, and an init container holds
/// later ones back until each earlier clique has `minAvailable` Ready pods. It applies within one
/// gang. The webhook refuses a change; without the webhook a change applies to pods created later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CliqueStartupType {
    /// All at once.
    #[default]
    #[serde(rename = "CliqueStartupTypeAnyOrder")]
    AnyOrder,
    /// Each after the one before it in the list.
    #[serde(rename = "CliqueStartupTypeInOrder")]
    InOrder,
    /// In the order that `startsAfter` defines.
    #[serde(rename = "CliqueStartupTypeExplicit")]
    Explicit,
}

/// The headless Service of a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlessServiceConfig {
    /// Whether pods have DNS names before they are Ready. Default true.
    ///
    /// A change reaches the Services at once and restarts nothing.
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
