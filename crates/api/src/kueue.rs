//! The kinds of Kueue: the fields that this operator writes or reads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Toleration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use kube::core::ClusterResourceScope;
use kube::{CustomResource, Resource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Kueue's API group.
pub const GROUP: &str = "kueue.x-k8s.io";
/// The version of it that the operator uses.
pub const VERSION: &str = "v1beta2";

/// Keys that Kueue reads.
pub mod keys {
    /// Label of a set: name of the LocalQueue in its namespace.
    pub const QUEUE: &str = "kueue.x-k8s.io/queue-name";
    /// Label of a set: name of its WorkloadPriorityClass.
    pub const PRIORITY_CLASS: &str = "kueue.x-k8s.io/priority-class";
    /// Label of a Workload: uid of the object that it is for.
    pub const JOB_UID: &str = "kueue.x-k8s.io/job-uid";
}

/// Types of conditions of a Workload.
pub mod types {
    /// Quota is reserved for it.
    pub const QUOTA_RESERVED: &str = "QuotaReserved";
    /// Its pods may start.
    pub const ADMITTED: &str = "Admitted";
    /// Its pods have to end.
    pub const EVICTED: &str = "Evicted";
    /// It waits in its queue again after an eviction.
    pub const REQUEUED: &str = "Requeued";
    /// The required pods are Ready.
    pub const PODS_READY: &str = "PodsReady";
    /// It is over, and needs no quota any more.
    pub const FINISHED: &str = "Finished";
}

/// As many kinds of pods as one Workload has in all supported versions of Kueue.
pub const POD_SETS: usize = 8;
/// As many as it has in the newest version.
pub const MAX_POD_SETS: usize = 18;

/// A request for quota. Fields of other writers stay.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "kueue.x-k8s.io",
    version = "v1beta2",
    kind = "Workload",
    root = "KueueWorkload",
    status = "KueueWorkloadStatus",
    namespaced,
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
#[serde(rename_all = "camelCase")]
pub struct KueueWorkloadSpec {
    /// Name of the LocalQueue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_name: Option<String>,
    /// Its pods, by kind.
    #[serde(default)]
    pub pod_sets: Vec<KueuePodSet>,
    /// Where its priority comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_ref: Option<KueuePriorityClassRef>,
    /// Its priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Whether it takes part at all; true if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// Pods of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KueuePodSet {
    /// Its name, unique in the Workload.
    pub name: String,
    /// How many pods.
    pub count: i32,
    /// How many are enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_count: Option<i32>,
    /// Their template.
    pub template: Value,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// Names the class that a priority comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KueuePriorityClassRef {
    /// API group of the class.
    pub group: String,
    /// Kind of the class.
    pub kind: String,
    /// Name of the class.
    pub name: String,
}

/// Kueue's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KueueWorkloadStatus {
    /// How far it has come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The reserved quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admission: Option<KueueAdmission>,
    /// Pods whose quota is not needed any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reclaimable_pods: Vec<KueueReclaimable>,
    /// The answers of admission checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub admission_checks: Vec<KueueCheckState>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// The quota that is reserved for a Workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KueueAdmission {
    /// Name of the ClusterQueue whose quota it is.
    #[serde(default)]
    pub cluster_queue: String,
    /// What each kind of pods has.
    #[serde(default)]
    pub pod_set_assignments: Vec<KueueAssignment>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// The quota of pods of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KueueAssignment {
    /// Name of the podSet.
    pub name: String,
    /// Names of ResourceFlavors, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flavors: BTreeMap<String, String>,
    /// How many pods have it; all if unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// The topology domains that Kueue has chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology_assignment: Option<Value>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// How many pods of one kind need no quota any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KueueReclaimable {
    /// Name of the podSet.
    pub name: String,
    /// How many pods.
    pub count: i32,
}

/// The answer of an admission check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KueueCheckState {
    /// What pods of some kinds need beside their template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pod_set_updates: Vec<KueuePodSetUpdate>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// What pods of one kind need beside their template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KueuePodSetUpdate {
    /// Name of the podSet.
    pub name: String,
    /// Labels that the node has to have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Tolerations of the pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// Nodes of one kind. Its spec may be absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceFlavor {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// The nodes.
    #[serde(default)]
    pub spec: ResourceFlavorSpec,
}

/// The nodes of a flavor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceFlavorSpec {
    /// Labels of its nodes.
    #[serde(default)]
    pub node_labels: BTreeMap<String, String>,
    /// Tolerations that pods on its nodes need.
    #[serde(default)]
    pub tolerations: Vec<Toleration>,
}

/// A priority in queues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkloadPriorityClass {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// The priority.
    #[serde(default)]
    pub value: i32,
}

/// Kinds of the cluster whose fields are beside their metadata or may be absent, which
/// `CustomResource` does not allow.
macro_rules! of_cluster {
    ($type:ty, $kind:literal, $plural:literal) => {
        impl Resource for $type {
            type DynamicType = ();
            type Scope = ClusterResourceScope;

            fn kind((): &()) -> Cow<'_, str> {
                $kind.into()
            }

            fn group((): &()) -> Cow<'_, str> {
                GROUP.into()
            }

            fn version((): &()) -> Cow<'_, str> {
                VERSION.into()
            }

            fn plural((): &()) -> Cow<'_, str> {
                $plural.into()
            }

            fn meta(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    };
}

of_cluster!(ResourceFlavor, "ResourceFlavor", "resourceflavors");
of_cluster!(
    WorkloadPriorityClass,
    "WorkloadPriorityClass",
    "workloadpriorityclasses"
);
