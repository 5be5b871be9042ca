//! `PodGang`: pods that a scheduler has to place together.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Toleration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Pods that a scheduler has to place together, by PodClique.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "scheduler.grove.io",
    version = "v1alpha1",
    kind = "PodGang",
    doc = "Pods that a scheduler has to place together. Created by the operator.",
    namespaced,
    status = "PodGangStatus",
    shortname = "pg",
    category = "grove",
    selectable = ".status.phase",
    selectable = ".status.schedulingPhase",
    derive = "PartialEq",
    derive = "Default",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(
        name = "Scheduling",
        type_ = "string",
        json_path = ".status.schedulingPhase"
    ),
    printcolumn(
        name = "State",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
    ),
    printcolumn(
        name = "Quota",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"QuotaReserved\")].status",
        priority = 1
    ),
    printcolumn(
        name = "Score",
        type_ = "number",
        json_path = ".status.placementScore",
        priority = 1
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = 1
    )
)]
#[serde(rename_all = "camelCase")]
pub struct PodGangSpec {
    /// The parts of the gang: one for each PodClique that is not scaled to 0. Written by the
    /// operator: all pods at once when the gang starts, and all pods of a part at once when it is
    /// scaled up from 0; after that the list follows the existing pods. A listed pod may be
    /// scheduled.
    #[serde(rename = "podgroups")]
    pub pod_groups: Vec<PodGroup>,
    /// Topology domain in which to place the whole gang: for a base gang the constraint of the
    /// PodCliqueSet, for a scaled gang that of its scaling group or else of the PodCliqueSet. A set
    /// without topology constraints leaves the value of another writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<GangTopologyConstraint>,
    /// Group replicas in a base gang to place each in one topology domain. A set without topology
    /// constraints leaves the value of another writer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology_constraint_group_configs: Vec<TopologyConstraintGroupConfig>,
    /// Scaling groups whose group replicas in a base gang have to be, or should be, placed in one
    /// topology domain together: those with `allReplicasTopologyConstraint` that require more than one
    /// replica. Only schedulers that get all gangs of a replica as one tree can keep it. A set without
    /// topology constraints leaves the value of another writer. Grove does not have this field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling_group_topology_constraints: Vec<TopologyConstraintGroupConfig>,
    /// PriorityClass of the gang: always that of the PodCliqueSet, `template.priorityClassName`.
    /// Empty: none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
    /// Not used by this operator. Declared for compatibility with the Go operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reuse_reservation_ref: Option<NamespacedName>,
}

/// One part of a gang: the pods of one PodClique.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGroup {
    /// Name of the PodClique that the pods belong to.
    pub name: String,
    /// The existing pods that are not being deleted, by index; the first `minReplicas` are the
    /// guaranteed ones. Empty while all of them are being replaced.
    pub pod_references: Vec<NamespacedName>,
    /// How many of its pods have to be placed together: the smaller of `minAvailable` and
    /// `replicas` of the PodClique.
    pub min_replicas: i32,
    /// Topology domain in which to place the pods of this part: the constraint of its clique. A set
    /// without topology constraints leaves the value of another writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<GangTopologyConstraint>,
    /// Listed pods that have to join pods which already run in a topology domain. They get the node
    /// selector in the write that removes their gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placements: Vec<PodPlacement>,
}

/// The nodes on which some pods of a part may be placed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodPlacement {
    /// Indexes of the pods in their PodClique, in order.
    pub indexes: Vec<i32>,
    /// Node labels of the domain in which the scope of these pods already runs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
}

/// Names an object by its namespace and name.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct NamespacedName {
    /// Namespace of the object, always that of the PodGang.
    pub namespace: String,
    /// Name of the object in that namespace, such as a pod.
    pub name: String,
}

/// Parts of a gang that have to be placed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologyConstraintGroupConfig {
    /// Name of the constraint: `<scaling group>-<replica>`, or `<scaling group>` for all replicas.
    pub name: String,
    /// Names of the parts to which it applies: the PodCliques of one group replica, or of all.
    pub pod_group_names: Vec<String>,
    /// Topology domain in which to place these parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_constraint: Option<GangTopologyConstraint>,
}

/// A topology constraint in node label keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GangTopologyConstraint {
    /// The topology domains that the pods have to, or should, share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack_constraint: Option<PackConstraint>,
}

/// Node label keys whose value the pods have to, or should, share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackConstraint {
    /// Key of a node label whose value all pods have to share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// Key of a node label whose value the pods should share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred: Option<String>,
}

/// State of the gang. The operator computes it from the gang's pods, with every scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodGangStatus {
    /// `Pending` (no guaranteed pod has a node, or a placed gang lost one), `Starting` (some have
    /// one), `Running` (every part has its guaranteed number of pods running).
    #[serde(deserialize_with = "known_phase")]
    pub phase: PodGangPhase,
    /// Progress of scheduling; absent until the gang starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling_phase: Option<SchedulingPhase>,
    /// `Initialized` (the gang has started: its pods are listed), `Scheduled` and `Ready` (every
    /// part has its guaranteed number of pods on nodes, or Ready), `Unhealthy` (a listed pod
    /// failed), `DisruptionTarget` (a listed pod is about to be evicted). All are always present.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// When `Scheduled` last became True: every part had its guaranteed number of pods on nodes.
    /// Never cleared; absent means that the gang was never placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_scheduled: Option<Time>,
    /// When `Ready` last became True: every part had its guaranteed number of pods Ready. Never
    /// cleared; absent means that the gang never was Ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ready: Option<Time>,
    /// How close together the pods are placed, from 0 (as far apart as possible) to 1 (no placement
    /// in this cluster is closer); four digits. Measured by the levels of the
    /// ClusterTopologyBinding, or without one by zones and hosts; with topology constraints within
    /// each scope. Absent until all guaranteed pods have nodes, and if the operator may not read
    /// nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement_score: Option<f64>,
    /// The quota that the gang has in the queue of Kueue which its set names. Absent for other gangs.
    /// Grove does not have this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<GangQuota>,
}

/// The quota of a gang.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GangQuota {
    /// How often the gang has lost its quota. Pods that were created before the last time end, and
    /// none of them starts again.
    #[serde(default)]
    pub round: i64,
    /// The reserved quota: first that with which the gang started, then that of pods which were added
    /// later. Empty while the gang waits in its queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<QuotaGrant>,
}

/// The quota that is reserved for one Workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotaGrant {
    /// Name of the Workload by which the operator asked for the quota.
    pub workload: String,
    /// Uid of the Workload: another one of this name is another request.
    pub uid: String,
    /// Name of the ClusterQueue whose quota it is.
    pub cluster_queue: String,
    /// The pods for which the quota is reserved, by PodClique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<GrantedPods>,
}

/// Pods of a PodClique that have quota.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantedPods {
    /// Name of the PodClique that these pods belong to.
    pub name: String,
    /// How many of its pods have it, by index behind those of earlier grants. It only falls: as pods
    /// complete or are scaled in.
    pub count: i32,
    /// Node labels of the ResourceFlavors. Pods get them in the write that removes their gate.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Tolerations of the ResourceFlavors. Pods get them in the same write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
}

/// The definition allows any text, as Grove's does. Only the operator writes the phase: an unknown
/// one counts as `Pending`, so that the object can still be decoded.
fn known_phase<'de, D: Deserializer<'de>>(text: D) -> Result<PodGangPhase, D::Error> {
    Ok(match String::deserialize(text)?.as_str() {
        "Running" => PodGangPhase::Running,
        "Starting" => PodGangPhase::Starting,
        _ => PodGangPhase::Pending,
    })
}

/// Grove's phases of a gang.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display,
)]
pub enum PodGangPhase {
    /// No guaranteed pod is bound yet.
    #[default]
    Pending,
    /// Some guaranteed pods are bound.
    Starting,
    /// Every part has its guaranteed pods running.
    Running,
}

/// `Pending` (all pods may be scheduled, none has a node), `Binding` (some guaranteed pods have a
/// node), `Scheduled` (all have one). Absent until all guaranteed pods may be scheduled. After the
/// loss of a node it is `Pending` until all have nodes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
pub enum SchedulingPhase {
    /// All pods exist and may be scheduled.
    Pending,
    /// Some pods are bound.
    Binding,
    /// All guaranteed pods are bound.
    Scheduled,
}
