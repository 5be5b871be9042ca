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
    /// The names of set, group and clique together have at most 45 characters. Renaming deletes the
    /// old group with its pods and creates a new one. Cannot be changed for `Training`.
    pub name: String,
    /// The cliques of one group replica: 1 to 500 names from `cliques`.
    ///
    /// A clique is in at most one group. A clique that you take out of the group is deleted in all
    /// group replicas and created as a standalone clique. Cannot be changed for `Training`.
    pub clique_names: Vec<String>,
    /// Annotations of the PodCliqueScalingGroups, not of their pods.
    ///
    /// At most 500. Keys that begin with `grove.io/` are refused, except `grove.io/mnnvl-group` and
    /// `grove.io/topology-name`. A change is copied at once and restarts nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Initial number of group replicas in each replica of the set. Default 1.
    ///
    /// At most 10,000. With 0 the group is scaled to zero: it leaves its gang, and the rest of the
    /// gang continues. A change applies to groups that were not scaled and have no `scaleConfig`;
    /// the highest indices are deleted first. Cannot be changed for `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub replicas: Option<i32>,
    /// How many group replicas are required and start together. Default 1.
    ///
    /// From 1 to `replicas`. Further group replicas are optional and start once the required ones
    /// are ready. Fixed once the group exists: a change is reported (`Ready=False/InvalidSpec`) and
    /// has no effect; for `Training` it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1))]
    pub min_available: Option<i32>,
    /// How an update replaces group replicas: how many at a time, and its deadline.
    ///
    /// Refused with `OnDelete`. Default: one group replica at a time, no deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdate>,
    /// Creates a HorizontalPodAutoscaler that scales this group, one in each replica of the set.
    ///
    /// While it is set, a change of `replicas` in the template does not apply to existing groups.
    /// After you remove it, their number of replicas stays. A change restarts nothing. Refused for
    /// `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_config: Option<AutoScalingConfig>,
    /// Resource claims that pods of the group share: one for all of its replicas, or one for each.
    ///
    /// At most 500. The operator creates the claims. Cannot be changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_sharing: Vec<PcsgResourceSharing>,
    /// Topology domain in which to place a group replica.
    ///
    /// Cannot be changed. A level that does not exist holds the gangs that have not started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<TopologyConstraint>,
    /// Topology domain in which to place all replicas of the group in one replica of the set. Grove
    /// does not have this field.
    ///
    /// Cannot be changed. With `minAvailable` above 1 a required level needs a profile with `gangs:
    /// Tree`; else, or while the level does not exist, gangs that have not started are held. The level
    /// is at most as broad as that of the set, and at least as broad as that of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_replicas_topology_constraint: Option<TopologyConstraint>,
    /// Replaces the template's `terminationDelay` for this group.
    ///
    /// A Go duration such as `1h`, at least `1s`; for `Training` also `0s`. For `Inference` it is
    /// refused unless the template has a delay. A change takes effect at once and by itself
    /// restarts nothing. Default: the template's delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = PATTERN))]
    pub termination_delay: Option<GoDuration>,
}
