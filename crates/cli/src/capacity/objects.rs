//! Nodes and pods with the fields that matter for placement.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, ContainerPort, Node as FullNode, Pod as FullPod, ResourceRequirements, Taint,
    Toleration,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Deserialize;

/// A node.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = FullNode)]
#[serde(default)]
pub struct NodeObject {
    /// Name and labels.
    pub metadata: ObjectMeta,
    /// Taints.
    pub spec: NodeSpec,
    /// Resources.
    pub status: NodeStatus,
}

/// Taints of a node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeSpec {
    /// Whether it is cordoned.
    pub unschedulable: bool,
    /// Its taints.
    pub taints: Vec<Taint>,
}

/// Resources of a node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeStatus {
    /// Resources that pods may request.
    pub allocatable: BTreeMap<String, Quantity>,
}

/// A pod.
#[derive(Clone, Debug, Default, Deserialize, Resource)]
#[resource(inherit = FullPod)]
#[serde(default)]
pub struct PodObject {
    /// Name, namespace, labels, and whether it is being deleted.
    pub metadata: ObjectMeta,
    /// Its needs and its node.
    pub spec: PodShape,
    /// Its phase and its allocated resources.
    pub status: PodStatus,
}

/// The fields of a pod's spec that decide about placement.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodShape {
    /// The node that it is on.
    pub node_name: Option<String>,
    /// Its containers.
    pub containers: Vec<ContainerShape>,
    /// Init containers, and sidecars (`restartPolicy: Always`).
    pub init_containers: Vec<ContainerShape>,
    /// Resources of its sandbox.
    pub overhead: BTreeMap<String, Quantity>,
    /// Requests of the pod as a whole.
    pub resources: ResourceRequirements,
    /// Whether it has the node's network: each port is one of the node's.
    pub host_network: bool,
    /// Labels that its node must have.
    pub node_selector: BTreeMap<String, String>,
    /// Taints that it tolerates.
    pub tolerations: Vec<Toleration>,
    /// Node affinity, and anti-affinity to pods.
    pub affinity: Affinity,
}

/// A container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerShape {
    /// Its name.
    pub name: String,
    /// Requests and limits.
    pub resources: ResourceRequirements,
    /// Its ports.
    pub ports: Vec<ContainerPort>,
    /// `Always` makes an init container a sidecar.
    pub restart_policy: Option<String>,
}

/// The fields of a pod's status that matter for placement.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// `Succeeded` and `Failed` pods hold nothing.
    pub phase: String,
    /// Allocated resources: a pod that is being resized holds the larger of both.
    pub container_statuses: Vec<ContainerStatus>,
    /// Likewise of init containers.
    pub init_container_statuses: Vec<ContainerStatus>,
}

/// Resources of a running container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// Its name.
    pub name: String,
    /// Resources that the kubelet has set aside for it.
    pub allocated_resources: Option<BTreeMap<String, Quantity>>,
    /// Resources that it runs with.
    pub resources: Option<ResourceRequirements>,
}
