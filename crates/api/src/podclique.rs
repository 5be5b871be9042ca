//! `PodClique`: pods of one role.

use k8s_openapi::api::autoscaling::v2::MetricSpec;
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LastError, SharedPodSpec, WorkloadType};

/// The pods of one role: how many, how many are needed, and their template.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "grove.io",
    version = "v1alpha1",
    kind = "PodClique",
    doc = "Pods of one role that share a template. Created by the operator.",
    namespaced,
    status = "PodCliqueStatus",
    shortname = "pclq",
    category = "grove",
    selectable = ".spec.workloadType",
    derive = "PartialEq",
    derive = "Default",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.hpaPodSelector"
    ),
    printcolumn(
        name = "MinAvail",
        type_ = "integer",
        json_path = ".spec.minAvailable",
        priority = 1
    ),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn(name = "Ready", type_ = "integer", json_path = ".status.readyReplicas"),
    printcolumn(
        name = "Scheduled",
        type_ = "integer",
        json_path = ".status.scheduledReplicas"
    ),
    printcolumn(
        name = "Updated",
        type_ = "integer",
        json_path = ".status.updatedReplicas",
        priority = 1
    ),
    printcolumn(
        name = "Gated",
        type_ = "integer",
        json_path = ".status.scheduleGatedReplicas",
        priority = 1
    ),
    printcolumn(
        name = "MinBreached",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"MinAvailableBreached\")].status",
        priority = 1
    ),
    printcolumn(
        name = "State",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
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
pub struct PodCliqueSpec {
    /// Name of the role, for people; each clique of a set has its own.
    ///
    /// A change applies to existing PodCliques and restarts nothing.
    pub role_name: String,
    /// Template of the pods: a Kubernetes PodSpec. The operator adds its scheduling gate, hostname,
    /// subdomain and environment variables.
    ///
    /// `nodeName` and `topologySpreadConstraints` are refused; all cliques must have the same
    /// `schedulerName`. In a set, a change replaces the pods as `updateStrategy` defines.
    #[schemars(with = "PodSpec")]
    pub pod_spec: SharedPodSpec,
    /// Number of pods of the clique. Default 1, at most 10,000. With 0 the clique is scaled to
    /// zero: it leaves its gang, and the rest of the gang continues.
    ///
    /// A change in a template applies to PodCliques that were not scaled and have no
    /// `autoScalingConfig`. In a PodClique it is set by users and autoscalers (`/scale`);
    /// pods that do least are deleted first. For `Training` at least 1, and fixed.
    #[serde(default = "one")]
    pub replicas: i32,
    /// How many pods are required and start together. Default: `replicas`, at least 1.
    ///
    /// From 1 to `replicas` (no upper limit if `replicas` is 0); the other pods are optional. Fixed
    /// once the PodClique exists: a PodClique refuses a change; a change in the set is reported
    /// (`Ready=False/InvalidSpec`) and has no effect. Scaling `replicas` below it is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_available: Option<i32>,
    /// Cliques that have to be Ready first, at most 500; no cycles.
    ///
    /// In a set: names of its cliques, used with `CliqueStartupTypeExplicit` only. In a PodClique:
    /// names of PodCliques, written by the operator. Each needs `minAvailable` pods Ready or done,
    /// or fewer if it was scaled below that. The webhook refuses a change; without the webhook a
    /// change applies to pods created later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts_after: Vec<String>,
    /// Creates a HorizontalPodAutoscaler that scales this clique, one in each replica of the set.
    ///
    /// Only for cliques outside of scaling groups. While it is set, a change of `replicas` in the
    /// template does not apply to existing PodCliques. After you remove it, their number of pods
    /// stays. A change restarts nothing. Refused for `Training`.
    #[serde(rename = "autoScalingConfig", skip_serializing_if = "Option::is_none")]
    pub auto_scaling_config: Option<AutoScalingConfig>,
    /// Copied from the PodCliqueSet by the operator. Cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload_type: Option<WorkloadType>,
}

fn one() -> i32 {
    1
}

/// Limits and metrics of a HorizontalPodAutoscaler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoScalingConfig {
    /// Lower limit of the autoscaler, in pods or group replicas. Default: `replicas`.
    ///
    /// At least `minAvailable`, at most 10,000. A clique or group that is scaled to 0 stays at 0
    /// until it is scaled up by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// Upper limit of the autoscaler, in pods or group replicas, at most 10,000.
    ///
    /// At least `minReplicas`, and for a clique at least `replicas`.
    pub max_replicas: i32,
    /// Metrics that the autoscaler uses: those of `autoscaling/v2`, at most 500. Default: 80 % of
    /// the CPU that the pods request.
    ///
    /// Kubernetes takes the number of pods for the number of replicas. For a group with several
    /// pods in each replica, use `Object` or `External` with an `averageValue`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricSpec>,
}

/// Status of the pods. Only the operator writes it. Counts exclude pods that are being deleted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCliqueStatus {
    /// Generation of the PodClique's spec that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Writes that the API server refused, or the limit that is exceeded; empty if there are none.
    ///
    /// The operator repeats a refused write about once a minute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_errors: Vec<LastError>,
    /// Pods that exist and are not being deleted.
    #[serde(default)]
    pub replicas: i32,
    /// Pods that are Ready and not being deleted. For `Training`, also pods that are completed or
    /// whose containers have just exited with 0.
    #[serde(default)]
    pub ready_replicas: i32,
    /// Pods that have the template of this PodClique and are not being deleted.
    #[serde(default)]
    pub updated_replicas: i32,
    /// Pods that a scheduling gate holds back, the operator's or another. The operator removes its
    /// gate once the PodGang lists the pod.
    #[serde(default)]
    pub schedule_gated_replicas: i32,
    /// Pods that are bound to a node and not being deleted.
    #[serde(default)]
    pub scheduled_replicas: i32,
    /// Surge pods that exist during an update, which no other count includes; absent if there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surge_replicas: Option<i32>,
    /// Label selector of the pods, for autoscalers. Absent for cliques of a scaling group, which is
    /// scaled as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hpa_pod_selector: Option<String>,
    /// `Ready`, `MinAvailableBreached`, `PodCliqueScheduled`, `ScaledBelowMinAvailable`,
    /// `Succeeded` (training), `NameConflict`, `Stalled`.
    ///
    /// `MinAvailableBreached` is True if fewer pods are Ready than required, after enough were. The
    /// last four are present only while they are True.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// `status.currentGenerationHash` of the set, once all pods have the newest template. Keeps its
    /// value until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_pod_clique_set_generation_hash: Option<String>,
    /// Hash of the newest pod template, once all pods have it (label `grove.io/pod-template-hash`).
    /// Keeps its value until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_pod_template_hash: Option<String>,
    /// The running update of this clique, or the last one.
    ///
    /// Standalone cliques only: an update recreates cliques of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_progress: Option<PclqUpdateProgress>,
    /// Whether `minAvailable` pods have been Ready at once since this PodClique was created. Never
    /// returns to false.
    ///
    /// While it is false, too few Ready pods mean that the PodClique is starting, not that it is
    /// breached. A recreated PodClique begins with false.
    #[serde(default)]
    pub was_available: bool,
    /// True from the time when the clique is scaled to 0 until `minAvailable` pods are Ready at
    /// once again.
    ///
    /// Meanwhile too few Ready pods mean that the clique is starting, not that it is breached, as
    /// with `wasAvailable: false`, and the pods join their gang together. Absent otherwise, and for
    /// `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_idle: Option<bool>,
    /// Number of pods left after a scaling below `minAvailable`, but not to 0.
    ///
    /// Until `minAvailable` pods are Ready at once again, only fewer Ready pods than this number
    /// are a breach: pods added later are starting. The number follows `replicas` down, and follows
    /// it up once all pods are Ready. Absent otherwise, and for `Training`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_below_to: Option<i32>,
    /// Time since which too few pods are available; `terminationDelay` counts from here.
    ///
    /// Set when `MinAvailableBreached` becomes True. In a crash loop the time stays while the
    /// condition is False for up to `min(terminationDelay, 60s)`, and moves by that interval when
    /// the breach returns: only time spent down counts. If absent while the condition is True, its
    /// `lastTransitionTime` counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breached_since: Option<Time>,
    /// The loss that began the breach; present while `MinAvailableBreached` is True. The pod may be
    /// gone by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach_cause: Option<BreachCause>,
    /// Indices of pods that have done their work, e.g. `0-3,5`; for `Training` only. A pod is done
    /// in phase `Succeeded` if it was not deleted before. The operator never fills its index again,
    /// even if the pod is deleted later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_indices: Option<String>,
}

/// The loss of a pod that began a breach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BreachCause {
    /// Pod, node and reason, e.g. `w-1 on node-2: container main ended with exit code 7`.
    pub message: String,
    /// When the pod failed or was taken away; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// Whether the cluster took the pod away: a drain, an eviction, preemption, a lost node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_disruption: bool,
    /// The pod of the message, for the record of a termination; absent in a cause that an earlier
    /// version stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<LostPod>,
}

/// A pod that was lost, in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostPod {
    /// Name of the pod; by now the pod may be gone.
    pub name: String,
    /// Node that the pod was on; absent if the pod had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Cause in one word, such as `OOMKilled` or `EvictionByEvictionAPI`.
    pub reason: String,
    /// Exit code of the container that ended; absent if no container ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Its last words: at most 1024 bytes, from the end, on one line without control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_words: Option<String>,
}

/// The running or last update of a clique.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PclqUpdateProgress {
    /// When the update of this clique began: when its replica got the turn.
    pub update_started_at: Time,
    /// When all its pods had the newest template and were Ready.
    ///
    /// Absent while the update runs. With `OnDelete` the same as the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_ended_at: Option<Time>,
    /// Hash of the set's templates that the update leads to.
    pub pod_clique_set_generation_hash: String,
    /// Hash of the pod template that the update leads to.
    pub pod_template_hash: String,
    /// Ready pods that have the newest template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_ready_replicas: Option<i32>,
    /// When a pod was last replaced or became Ready; `progressDeadline` counts from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_progress_time: Option<Time>,
    /// The most pods that were available at once since the turn began; `maxUnavailable` counts from
    /// here. Absent outside of the turn, and if no pod had an older template in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<i32>,
    /// The index of the first surge pod; it and the next `maxSurge - 1` indexes are surge. It
    /// follows `replicas` up. Absent without surge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surge_from: Option<i32>,
    /// Why this turn goes on without surge pods; absent while it may use them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_surge: Option<String>,
    /// A pod that waits for a node, and since when. After 60 s the clique counts as short of room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<WaitingPod>,
    /// Ready pods chosen to be replaced. Not written by this operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_pods_selected_to_update: Option<PodsSelectedToUpdate>,
}

impl PclqUpdateProgress {
    /// An update to this generation and pod template that begins at this time.
    pub fn begin(generation: String, template: String, at: Time) -> Self {
        Self {
            last_progress_time: Some(at.clone()),
            update_started_at: at,
            update_ended_at: None,
            pod_clique_set_generation_hash: generation,
            pod_template_hash: template,
            updated_ready_replicas: None,
            reached: None,
            surge_from: None,
            without_surge: None,
            waiting_since: None,
            ready_pods_selected_to_update: None,
        }
    }
}

/// A pod that waits for a node during an update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingPod {
    /// Uid of the pod that waits. Once it has a node, another waiting pod takes its place.
    pub uid: String,
    /// When the operator first saw that this or an earlier pod waits.
    #[serde(rename = "time")]
    pub since: Time,
}

/// Ready pods chosen to be replaced, one at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodsSelectedToUpdate {
    /// The pod being replaced. Not written by this operator.
    pub current: String,
    /// Pods already replaced. Not written by this operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completed: Vec<String>,
}
