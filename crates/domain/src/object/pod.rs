//! What the operator knows of a pod: the few fields that rules need. Decoding these and nothing
//! else is what keeps 10,000 pods below 100 MB.

use api::labels;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod as FullPod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use kube::Resource;
use serde::{Deserialize, Deserializer};

use super::ownership;

/// A pod as seen in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Resource)]
#[resource(inherit = FullPod)]
pub struct Pod {
    /// Metadata without managed fields.
    #[serde(deserialize_with = "lean_metadata")]
    pub metadata: ObjectMeta,
    /// The few fields of the spec.
    #[serde(default)]
    pub spec: PodSpec,
    /// The few fields of the status.
    #[serde(default)]
    pub status: PodStatus,
}

/// The fields of a pod's spec that rules read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSpec {
    /// Set by the operator: `<podclique>-<index>`.
    pub hostname: Option<String>,
    /// Set once the pod is bound.
    pub node_name: Option<String>,
    /// What keeps the scheduler away.
    #[serde(default)]
    pub scheduling_gates: Vec<Gate>,
}

/// A scheduling gate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Gate {
    /// Name of the gate.
    pub name: String,
}

/// The fields of a pod's status that rules read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodStatus {
    /// `Pending`, `Running`, `Succeeded`, `Failed`.
    pub phase: Option<String>,
    /// E.g. `Evicted`.
    pub reason: Option<String>,
    /// For people.
    pub message: Option<String>,
    /// Conditions.
    #[serde(default)]
    pub conditions: Vec<PodCondition>,
    /// Statuses of the app containers.
    #[serde(default)]
    pub container_statuses: Vec<ContainerStatus>,
    /// Statuses of the init containers.
    #[serde(default)]
    pub init_container_statuses: Vec<ContainerStatus>,
}

/// A pod's condition.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodCondition {
    /// E.g. `Ready`.
    #[serde(rename = "type")]
    pub type_: String,
    /// `True`, `False`, `Unknown`.
    pub status: String,
    /// For programs.
    pub reason: Option<String>,
    /// For people.
    pub message: Option<String>,
    /// When the status last flipped.
    pub last_transition_time: Option<Time>,
}

/// Status of one container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerStatus {
    /// Name of the container.
    #[serde(default)]
    pub name: String,
    /// Its image.
    #[serde(default)]
    pub image: String,
    /// Whether its readiness probe passes.
    #[serde(default)]
    pub ready: bool,
    /// How often it was restarted.
    #[serde(default)]
    pub restart_count: i32,
    /// What it does now.
    #[serde(default)]
    pub state: ContainerState,
    /// How its last run ended.
    #[serde(default)]
    pub last_state: ContainerState,
}

/// What a container does.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ContainerState {
    /// It waits.
    pub waiting: Option<Waiting>,
    /// It runs.
    pub running: Option<Running>,
    /// It ended.
    pub terminated: Option<Terminated>,
}

/// Why a container waits.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Waiting {
    /// E.g. `CrashLoopBackOff`.
    pub reason: Option<String>,
    /// For people.
    pub message: Option<String>,
}

/// Since when a container runs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    /// When it started.
    pub started_at: Option<Time>,
}

/// How a container ended.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terminated {
    /// Exit code.
    #[serde(default)]
    pub exit_code: i32,
    /// E.g. `OOMKilled`.
    pub reason: Option<String>,
    /// The termination message.
    pub message: Option<String>,
    /// When it started.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
}

impl Pod {
    /// Name of the pod.
    pub fn name(&self) -> &str {
        ownership::name(&self.metadata)
    }

    /// Uid of the pod.
    pub fn uid(&self) -> &str {
        ownership::uid(&self.metadata)
    }

    /// Whether deletion was asked for.
    pub fn is_terminating(&self) -> bool {
        ownership::is_terminating(&self.metadata)
    }

    /// Whether it ended, well or not.
    pub fn is_finished(&self) -> bool {
        matches!(self.status.phase.as_deref(), Some("Succeeded" | "Failed"))
    }

    /// Whether it ended well and was not deleted before: a drained pod may also end in Succeeded,
    /// and its work is not done (docs/semantics.md §5.2).
    pub fn is_completed(&self) -> bool {
        self.status.phase.as_deref() == Some("Succeeded") && !self.is_terminating()
    }

    /// Whether it failed and is still there.
    pub fn is_failed(&self) -> bool {
        self.status.phase.as_deref() == Some("Failed") && !self.is_terminating()
    }

    /// Whether it is about to end well. For some seconds a kubelet shows such a pod as Running and
    /// not Ready with a container that exited with 0; with a sidecar for much longer.
    pub fn is_finishing(&self) -> bool {
        let containers = &self.status.container_statuses;
        let has_ended = |c: &ContainerStatus| c.state.terminated.is_some();
        let is_well = |c: &ContainerStatus| {
            c.ready
                || c.state
                    .terminated
                    .as_ref()
                    .is_some_and(|t| t.exit_code == 0)
        };
        self.is_running() && containers.iter().any(has_ended) && containers.iter().all(is_well)
    }

    /// When the first of its app containers started.
    pub fn started_at(&self) -> Option<Timestamp> {
        let starts = self.status.container_statuses.iter().flat_map(|c| {
            [&c.state, &c.last_state].into_iter().flat_map(|state| {
                let running = state.running.as_ref().and_then(|r| r.started_at.as_ref());
                let ended = state
                    .terminated
                    .as_ref()
                    .and_then(|t| t.started_at.as_ref());
                running.into_iter().chain(ended)
            })
        });
        starts.map(|t| t.0).min()
    }

    /// How it failed: the container that ended badly, else what the kubelet or the node controller
    /// says (evicted, node lost).
    pub fn failure(&self) -> Option<&Terminated> {
        let ended = self
            .containers()
            .filter_map(|c| c.state.terminated.as_ref());
        ended
            .filter(|t| t.exit_code != 0)
            .min_by_key(|t| t.finished_at.as_ref().map(|f| f.0))
    }

    /// Whether it has phase Running and stays.
    pub fn is_running(&self) -> bool {
        self.status.phase.as_deref() == Some("Running") && !self.is_terminating()
    }

    /// Whether it is Ready and stays.
    pub fn is_ready(&self) -> bool {
        self.has_condition("Ready") && !self.is_terminating() && !self.is_finished()
    }

    /// Whether it is bound to a node.
    pub fn is_scheduled(&self) -> bool {
        self.spec.node_name.is_some() || self.has_condition("PodScheduled")
    }

    /// Whether any gate, ours or another's, keeps the scheduler away.
    pub fn is_gated(&self) -> bool {
        !self.spec.scheduling_gates.is_empty()
    }

    /// Position of our gate in the list of gates.
    pub fn gate_position(&self) -> Option<usize> {
        self.spec
            .scheduling_gates
            .iter()
            .position(|g| g.name == labels::POD_GANG_GATE)
    }

    /// Whether the condition is True.
    pub fn has_condition(&self, type_: &str) -> bool {
        self.status
            .conditions
            .iter()
            .any(|c| c.type_ == type_ && c.status == "True")
    }

    /// The index in its PodClique: the end of the hostname, which cannot be changed, else the label
    /// (pods of the Go operator have both).
    pub fn index(&self) -> Option<i32> {
        let hostname = self
            .spec
            .hostname
            .as_deref()
            .and_then(|h| h.rsplit_once('-'));
        hostname
            .and_then(|(_, index)| index.parse().ok())
            .or_else(|| ownership::label_index(&self.metadata, labels::POD_INDEX))
    }

    /// How many holders of this slot, this one included, ended soon after their start, one after
    /// the other; 0 if this one has not ended, or lived long enough.
    pub fn failure_count(&self) -> u32 {
        const LONG_ENOUGH: SignedDuration = SignedDuration::from_mins(10);
        let Some(ended) = self.ended_at().filter(|_| self.is_finished()) else {
            return 0;
        };
        let born = self
            .metadata
            .creation_timestamp
            .as_ref()
            .map_or(ended, |t| t.0);
        if ended.duration_since(born) >= LONG_ENOUGH {
            return 0;
        }
        self.earlier_failures().saturating_add(1)
    }

    /// The same of the holders before this one, carried on the pod.
    pub fn earlier_failures(&self) -> u32 {
        let carried = |key| ownership::annotation(&self.metadata, key);
        let carried =
            carried(labels::POD_FAILURE_COUNT).or_else(|| carried(labels::OLD_POD_FAILURE_COUNT));
        carried.and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// When its last container ended, or when it was last heard of: an evicted pod, or one whose
    /// node was lost, has no container that ended.
    pub fn ended_at(&self) -> Option<Timestamp> {
        let containers = self
            .containers()
            .filter_map(|c| c.state.terminated.as_ref()?.finished_at.as_ref());
        let conditions = self
            .status
            .conditions
            .iter()
            .filter_map(|c| c.last_transition_time.as_ref());
        let last = containers
            .map(|t| t.0)
            .max()
            .or_else(|| conditions.map(|t| t.0).max());
        last.or_else(|| self.metadata.creation_timestamp.as_ref().map(|t| t.0))
    }

    /// The most telling reason why it is not Ready, e.g. `CrashLoopBackOff`, `Unschedulable`.
    pub fn trouble(&self) -> Option<&str> {
        let waiting = self
            .containers()
            .find_map(|c| c.state.waiting.as_ref()?.reason.as_deref());
        let ended = self
            .containers()
            .find_map(|c| c.state.terminated.as_ref()?.reason.as_deref());
        let scheduling = self.status.conditions.iter().find_map(|c| {
            (c.type_ == "PodScheduled" && c.status == "False").then_some(c.reason.as_deref()?)
        });
        self.status
            .reason
            .as_deref()
            .or(waiting)
            .or(ended)
            .or(scheduling)
    }

    /// Statuses of its init containers and containers, in this order.
    pub fn containers(&self) -> impl Iterator<Item = &ContainerStatus> {
        self.status
            .init_container_statuses
            .iter()
            .chain(&self.status.container_statuses)
    }
}

fn lean_metadata<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectMeta, D::Error> {
    let meta = LeanMeta::deserialize(deserializer)?;
    Ok(ObjectMeta {
        name: meta.name,
        namespace: meta.namespace,
        uid: meta.uid,
        resource_version: meta.resource_version,
        labels: meta.labels,
        annotations: meta.annotations,
        owner_references: meta.owner_references,
        finalizers: meta.finalizers,
        creation_timestamp: meta.creation_timestamp,
        deletion_timestamp: meta.deletion_timestamp,
        deletion_grace_period_seconds: meta.deletion_grace_period_seconds,
        ..ObjectMeta::default()
    })
}

/// Everything in `metadata` but managed fields, which are never even decoded.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeanMeta {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: Option<std::collections::BTreeMap<String, String>>,
    annotations: Option<std::collections::BTreeMap<String, String>>,
    owner_references: Option<Vec<OwnerReference>>,
    finalizers: Option<Vec<String>>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
    deletion_grace_period_seconds: Option<i64>,
}
