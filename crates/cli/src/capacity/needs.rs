//! A pod's needs of a node.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeSelector, PodSpec, Toleration};
use serde::Deserialize as _;

use super::amounts::{Amounts, BadQuantity};
use super::exclusion::{HostPort, Repulsion, host_ports, repulsions};
use super::objects::PodShape;
use super::requests::requests_of;

/// A pod's needs of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodNeeds {
    /// Resources.
    pub requests: Amounts,
    /// Labels.
    pub node_selector: BTreeMap<String, String>,
    /// Required node affinity.
    pub node_affinity: Option<NodeSelector>,
    /// Taints that it tolerates, with the defaults of every pod.
    pub tolerations: Vec<Toleration>,
    /// Ports of the node.
    pub ports: Vec<HostPort>,
    /// Required anti-affinity: pods that must not be near it.
    pub repulsions: Vec<Repulsion>,
}

impl PodNeeds {
    /// By a template, with the fields that the API server adds to a new pod.
    pub fn of_template(template: &PodSpec, namespace: &str) -> Result<Self, BadQuantity> {
        let shape = shape_of(template);
        let mut needs = Self::of(&shape, namespace)?;
        needs.tolerations.extend(tolerations_of_every_pod());
        Ok(needs)
    }

    fn of(pod: &PodShape, namespace: &str) -> Result<Self, BadQuantity> {
        let node_affinity = pod.affinity.node_affinity.as_ref();
        let required = node_affinity.and_then(|a| {
            a.required_during_scheduling_ignored_during_execution
                .as_ref()
        });
        Ok(Self {
            requests: requests_of(pod)?,
            node_selector: pod.node_selector.clone(),
            node_affinity: required.cloned(),
            tolerations: pod.tolerations.clone(),
            ports: host_ports(pod),
            repulsions: repulsions(pod, namespace),
        })
    }
}

/// The fields of a template that decide where its pods can be.
pub fn shape_of(template: &PodSpec) -> PodShape {
    // Both are read from the same JSON.
    let json = serde_json::to_value(template);
    let shape = json.and_then(|json| PodShape::deserialize(&json));
    shape.unwrap_or_default()
}

/// Tolerations that admission adds to each pod (plugin `DefaultTolerationSeconds`).
fn tolerations_of_every_pod() -> [Toleration; 2] {
    ["not-ready", "unreachable"].map(|state| Toleration {
        key: Some(format!("node.kubernetes.io/{state}")),
        operator: Some("Exists".to_owned()),
        effect: Some("NoExecute".to_owned()),
        ..Toleration::default()
    })
}
