//! The PodGroup of Volcano: the fields that this operator writes.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Pods that Volcano places together. Fields of other writers stay.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "scheduling.volcano.sh",
    version = "v1beta1",
    kind = "PodGroup",
    root = "VolcanoPodGroup",
    namespaced,
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
#[serde(rename_all = "camelCase")]
pub struct VolcanoPodGroupSpec {
    /// The least number of pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_member: Option<i64>,
    /// Name of the queue whose quota it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Name of the PriorityClass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,
    /// The least of each part (Volcano 1.14 and later).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_group_policy: Vec<VolcanoSubGroupPolicy>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// A share of the cluster. The operator reads only whether it exists.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "scheduling.volcano.sh",
    version = "v1beta1",
    kind = "Queue",
    root = "VolcanoQueue",
    no_spec,
    schema = "disabled",
    derive = "PartialEq",
    derive = "Default"
)]
pub struct VolcanoQueueSpec {}

/// How many groups, of how many pods each, are required among the selected pods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VolcanoSubGroupPolicy {
    /// Its name, unique in the PodGroup.
    pub name: String,
    /// The pods to which it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Labels whose values separate the groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_label_keys: Vec<String>,
    /// Number of pods of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_group_size: Option<i64>,
    /// The least number of groups; 0 means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_sub_groups: Option<i64>,
    /// Fields of other writers, such as a network topology.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// Keys that Volcano reads.
pub mod keys {
    /// Annotation of a pod: name of its PodGroup.
    pub const GROUP_NAME: &str = "scheduling.k8s.io/group-name";
    /// The same key for newer versions.
    pub const VOLCANO_GROUP_NAME: &str = "scheduling.volcano.sh/group-name";
}
