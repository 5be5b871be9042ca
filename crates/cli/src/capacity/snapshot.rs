//! The nodes and their pods at one moment.

use std::collections::{BTreeMap, BTreeSet};

use api::ClusterTopologyBinding;
use domain::object::ownership;
use k8s_openapi::api::core::v1::Taint;

use super::amounts::{Amounts, BadQuantity, read_amounts};
use super::exclusion::{HostPort, Repulsion, host_ports, repulsions};
use super::objects::{NodeObject, PodObject};
use super::requests::held_by;

/// The nodes and their pods at one moment.
#[derive(Clone, Debug, Default)]
pub struct ClusterSnapshot {
    /// All nodes, by name.
    pub nodes: Vec<NodeSnapshot>,
    /// Pods that hold room on these nodes, by namespace and name.
    pub pods: Vec<BoundPod>,
    /// The topologies that constraints may name.
    pub topologies: Vec<ClusterTopologyBinding>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeSnapshot {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// Whether it is cordoned.
    pub is_unschedulable: bool,
    /// Resources that pods may request.
    pub allocatable: Amounts,
}

/// A pod that holds room on a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundPod {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its node.
    pub node: String,
    /// Whether it is being deleted; it holds its room until it is gone.
    pub is_terminating: bool,
    /// Resources that it holds.
    pub requests: Amounts,
    /// Ports of the node that it has.
    pub ports: Vec<HostPort>,
    /// Pods that must not be near it.
    pub repulsions: Vec<Repulsion>,
}

/// An object with an unreadable field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {name}: {error}")]
pub struct BadObject {
    kind: &'static str,
    name: String,
    error: BadQuantity,
}

impl ClusterSnapshot {
    /// Of these objects, in any order. Pods without a node and pods that have ended hold no room.
    pub fn of(
        nodes: impl IntoIterator<Item = NodeObject>,
        pods: impl IntoIterator<Item = BoundPod>,
        topologies: Vec<ClusterTopologyBinding>,
    ) -> Result<Self, BadObject> {
        let nodes: Result<Vec<NodeSnapshot>, BadObject> =
            nodes.into_iter().map(NodeSnapshot::of).collect();
        let mut nodes = nodes?;
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let known: BTreeSet<&str> = nodes.iter().map(|node| &*node.name).collect();
        let mut pods: Vec<BoundPod> = pods
            .into_iter()
            .filter(|pod| known.contains(&*pod.node))
            .collect();
        pods.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
        Ok(Self {
            nodes,
            pods,
            topologies,
        })
    }
}

impl NodeSnapshot {
    fn of(object: NodeObject) -> Result<Self, BadObject> {
        let name = ownership::name(&object.metadata).to_owned();
        let allocatable = read_amounts(&object.status.allocatable);
        Ok(Self {
            allocatable: allocatable.map_err(|error| bad("node", &name, error))?,
            labels: object.metadata.labels.unwrap_or_default(),
            taints: object.spec.taints,
            is_unschedulable: object.spec.unschedulable,
            name,
        })
    }
}

impl BoundPod {
    /// The pod, unless it has no node or has ended.
    pub fn of(object: PodObject) -> Result<Option<Self>, BadObject> {
        let has_ended = ["Succeeded", "Failed"].contains(&&*object.status.phase);
        let Some(node) = object.spec.node_name.clone().filter(|_| !has_ended) else {
            return Ok(None);
        };
        let name = ownership::name(&object.metadata).to_owned();
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let held = held_by(&object.spec, &object.status);
        Ok(Some(Self {
            requests: held.map_err(|error| bad("pod", &name, error))?,
            ports: host_ports(&object.spec),
            repulsions: repulsions(&object.spec, &namespace),
            is_terminating: ownership::is_terminating(&object.metadata),
            labels: object.metadata.labels.unwrap_or_default(),
            node,
            namespace,
            name,
        }))
    }
}

fn bad(kind: &'static str, name: &str, error: BadQuantity) -> BadObject {
    let name = name.to_owned();
    BadObject { kind, name, error }
}
