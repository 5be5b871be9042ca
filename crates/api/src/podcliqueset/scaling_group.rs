//! A scaling group in the template of a set.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RollingUpdate;
use crate::GoDuration;
use crate::duration::PATTERN;
use crate::podclique::AutoScalingConfig;
use crate::resources::PcsgResourceSharing;
use crate::topology::TopologyConstraint;

/// Cliques scaled as one unit, such as a leader with its workers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueScalingGroupConfig {
    /// Name of the group, a DNS label, unique in the set.
    ///
    /// The names of set, group and clique have at most 45 characters in all. A group under another
    /// name is another group: the old one is deleted with its pods. Cannot be changed for
    /// `Training`.
    pub name: String,
    /// The cliques of one group replica: 1 to 500 names from `cliques`.
    ///
    /// A clique is in one group at most. One that is taken out is deleted in all group replicas and
    /// created as a clique of its own. Cannot be changed for `Training`.
    pub clique_names: Vec<String>,
    /// Annotations of the PodCliqueScalingGroups, not of their pods.
    ///
    /// At most 500; keys that begin with `grove.io/` are refused, but for `grove.io/mnnvl-group`
    /// and `grove.io/topology-name`. A change is copied at once and restarts nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// How many group replicas each replica of the set starts with. Default 1.
    ///
    /// At most 10,000; 0 makes the group idle: it is out of its gang, and the rest of the gang
    /// goes on. A change reaches the groups that nobody has scaled and that have no
    /// `scaleConfig`; the highest indices go first. Cannot be changed for `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub replicas: Option<i32>,
    /// How many group replicas are needed and start together. Default 1.
    ///
    /// From 1 to `replicas`. Further group replicas are optional and start once the first are
    /// ready. Fixed once the group exists: a change is reported (`Ready=False/InvalidSpec`) and not
    /// acted on; for `Training` it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub min_available: Option<i32>,
    /// How an update of this group goes on, in units of group replicas.
    ///
    /// Refused with `OnDelete`. Default: one group replica at a time, without a deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdate>,
    /// Has a HorizontalPodAutoscaler made that scales this group, one in each replica of the set.
    ///
    /// While it is set, a changed `replicas` of the template does not reach groups that exist; once
    /// it is removed, their count stays as it is. A change restarts nothing. Refused for
    /// `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_config: Option<AutoScalingConfig>,
    /// Claims shared within the group. Accepted, without effect yet.
    ///
    /// At most 500. Condition `FieldNotImplemented` names the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsgResourceSharing>,
    /// Where a group replica has to be placed. Without effect yet.
    ///
    /// Condition `FieldNotImplemented` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Replaces the template's `terminationDelay` for this group.
    ///
    /// A Go duration such as `1h`, of at least `1s`; for `Training` also `0s`. For `Inference` it
    /// is refused unless the template has a delay. A change counts at once and restarts nothing by
    /// itself. Default: the template's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = PATTERN))]
    pub termination_delay: Option<GoDuration>,
}
