//! Updates of a set: settings and progress.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GoDuration;
use crate::duration::POSITIVE;

/// How a changed pod template reaches running pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategy {
    /// `RollingRecreate` (default): one replica after the other is replaced. `Coherent`: likewise, and
    /// the changed cliques and groups of a replica go together, in steps of at least `minAvailable` of
    /// each. `OnDelete`: a pod gets the new template when it is deleted.
    ///
    /// A switch takes effect at once: to `OnDelete` stops a running update, to another one starts one
    /// if any pod has an older template.
    #[serde(rename = "type", default)]
    pub type_: UpdateStrategyType,
    /// While true, the operator replaces nothing because of a template, and accepts no newer one.
    /// Default false.
    ///
    /// The turn that runs ends once nothing of it is starting, 10 minutes later at the latest; then
    /// gang termination works in that replica too. Scaling and repairs continue. Refused beside
    /// `OnDelete`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Replicas of the set with a lower index than this keep their templates. Default 0: all are
    /// updated.
    ///
    /// A canary: with 2 of 3, replica 2 is updated and the update rests, with gang termination as
    /// usual. Lower it to go on. Refused if negative, and beside `OnDelete`. A change takes effect at
    /// once; a replica that is updated already stays so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
}

/// The ways an update can run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UpdateStrategyType {
    /// One replica at a time is recreated from the new template.
    #[default]
    RollingRecreate,
    /// One replica at a time, its changed cliques and groups together.
    Coherent,
    /// A pod takes the new template when it is deleted.
    OnDelete,
}

/// How much an update may take down at a time, and how long it may stand still before the operator
/// reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollingUpdate {
    /// Pods of a clique, or replicas of a group, that may be missing during an update. Default 1, with
    /// `Coherent` `minAvailable`.
    ///
    /// From that to `replicas`, or 0 beside `maxSurge`. It counts from the most that were available
    /// at once since the turn began, so members without room do not use it up. If more than
    /// `minAvailable` ran, the update never goes below `minAvailable`. A change takes effect at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<i32>,
    /// Pods of a clique, or replicas of a group, that may exist beyond `replicas` during an update.
    /// Default 0.
    ///
    /// From 0 to `replicas`. They are created first, with the new template and the next indexes; an
    /// available old member is deleted only once all of them are available. If they find no node
    /// within 60 s, `maxUnavailable` counts instead; if that is 0, the update waits. A change takes
    /// effect at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<i32>,
    /// How long an update may make no progress before the operator reports it, e.g. `10m`. Default:
    /// none; the set then reports `NoProgress` after 10 minutes.
    ///
    /// A Go duration greater than 0. Condition `UpdateInProgress` becomes `Unknown` with reason
    /// `ProgressDeadlineExceeded`; the update continues. A change takes effect at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = POSITIVE))]
    pub progress_deadline: Option<GoDuration>,
    /// How many seconds a new pod must be Ready before it counts for the update. From 0 to 86400.
    ///
    /// Default: 0 if each clique has a readiness probe on an app container, else 10. After a
    /// container ended a new pod counts 60 s later. It changes nothing in `MinAvailableBreached`,
    /// where Ready is Ready. A change takes effect at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ready_seconds: Option<i32>,
    /// Pods of a clique, or replicas of a group, with a lower index than this keep their templates.
    /// Default 0: all are updated.
    ///
    /// A canary: with 9 of 10, index 9 is updated and the update rests, with gang termination as
    /// usual. A pod below it that is lost is recreated from its older template. Lower it to go on.
    /// Refused if negative. A change takes effect at once; a member that is updated stays so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
}

/// The running or last update of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PcsUpdateProgress {
    /// When the update began: the operator saw a changed template.
    pub update_started_at: Time,
    /// When the last replica was updated; absent while the update runs.
    ///
    /// With `OnDelete` it equals the start: the operator replaces nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Standalone PodCliques whose pods all have the newest template.
    #[serde(default)]
    pub updated_pod_cliques_count: i32,
    /// Standalone PodCliques in all replicas of the set.
    #[serde(default)]
    pub total_pod_cliques_count: i32,
    /// Scaling groups whose pods all have the newest template.
    #[serde(default)]
    pub updated_pod_clique_scaling_groups_count: i32,
    /// Scaling groups in all replicas of the set.
    #[serde(default)]
    pub total_pod_clique_scaling_groups_count: i32,
    /// The replica that has the turn; at most one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub currently_updating: Vec<ReplicaUpdateProgress>,
    /// The most replicas of the set that were available at once since the update began. A replica
    /// in turn that finds no room lets the turn pass on while as many others are available. Absent
    /// once the update has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<i32>,
    /// When the operator first saw `updateStrategy.paused`; absent if it is not paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_since: Option<Time>,
    /// With `Coherent`: names of the standalone cliques that the update changes. Empty once it has
    /// ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_scope_standalone_pod_cliques: Vec<String>,
    /// With `Coherent`: names of the scaling groups that the update changes. Empty once it has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_scope_pod_clique_scaling_groups: Vec<String>,
}

impl PcsUpdateProgress {
    /// An update that begins at this time, without counts and without a turn.
    pub fn begin(at: Time) -> Self {
        Self {
            update_started_at: at,
            update_ended_at: None,
            updated_pod_cliques_count: 0,
            total_pod_cliques_count: 0,
            updated_pod_clique_scaling_groups_count: 0,
            total_pod_clique_scaling_groups_count: 0,
            currently_updating: Vec::new(),
            reached: None,
            paused_since: None,
            in_scope_standalone_pod_cliques: Vec::new(),
            in_scope_pod_clique_scaling_groups: Vec::new(),
        }
    }
}

/// The templates of a replica of which something is not on the newest accepted ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaRevision {
    /// Index of the replica in the set, from 0.
    pub replica: i32,
    /// Name of the ControllerRevision with its templates; absent: the accepted ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Name of the ControllerRevision with the templates of its older pods and group replicas: those
    /// that a partition, a pause or a step of `Coherent` keeps. Absent: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older: Option<String>,
    /// Where the older ones end, by clique or group, outside of a turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<ComponentFrom>,
}

/// The lowest index of a clique's pods, or of a group's replicas, that has the newer templates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentFrom {
    /// Name of the standalone clique or the scaling group in the template.
    pub component: String,
    /// From this index on pods or group replicas have the newer templates. From 0.
    pub from: i32,
}

/// Indexes of a clique's pods, or of a group's replicas, that an update holds vacant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VacantIndexes {
    /// Name of the standalone clique or the scaling group in the template.
    pub component: String,
    /// The indexes, ascending, from 0. At least `minAvailable` units stay, and as many as ran since the
    /// turn began.
    pub indexes: Vec<i32>,
}

/// The replica of a set that has the turn in an update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaUpdateProgress {
    /// Index of the replica in the set, from 0.
    pub replica_index: i32,
    /// When the turn of this replica of the set began.
    pub update_started_at: Time,
    /// When the turn of this replica ended; the entry is removed then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Since when pods that have to run find no node. `terminationDelay` counts from here.
    ///
    /// Absent while they have one. Gang termination is suspended in this replica otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_room_since: Option<Time>,
    /// Cliques and groups that have to be available again before the turn ends: the replica was
    /// terminated in its turn, as its pods found no node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_return: Vec<String>,
    /// Indexes without a unit until all cliques and groups of the replica are updated: the scheduler found
    /// no node for as many. A unit there would take the room of another one that is being replaced.
    ///
    /// One that runs is replaced in turn, and its index stays vacant then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds_vacant: Vec<VacantIndexes>,
    /// With `Coherent`: the lowest index of each clique and group in scope that may be replaced now. One
    /// that is not listed has to wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<ComponentFrom>,
    /// With `Coherent`: why this turn goes on without surge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_surge: Option<String>,
    /// With `Coherent`: the generation hash of the templates whose pods are starting now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_flight_epochs: Vec<String>,
    /// With `Coherent`: the reason for which the next step waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ReplicaUpdateProgress {
    /// The turn of the replica with this index, which begins at this time.
    pub fn begin(replica_index: i32, at: Time) -> Self {
        Self {
            replica_index,
            update_started_at: at,
            update_ended_at: None,
            without_room_since: None,
            must_return: Vec::new(),
            holds_vacant: Vec::new(),
            targets: Vec::new(),
            without_surge: None,
            in_flight_epochs: Vec::new(),
            message: None,
        }
    }
}
