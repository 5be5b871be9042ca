//! Pods that cannot be in one place: by required anti-affinity, or because they want one port of
//! the node.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Affinity, ContainerPort, PodAffinityTerm};
use kube::core::{Expression, Selector, SelectorExt};

use super::objects::PodShape;

/// A port of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPort {
    /// Its number.
    pub port: i32,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: String,
    /// Address; none means all of the node's.
    pub address: Option<String>,
}

impl HostPort {
    /// Whether two pods of a node cannot have both ports.
    pub fn collides(&self, other: &Self) -> bool {
        let is_shared =
            self.address.is_none() || other.address.is_none() || self.address == other.address;
        is_shared && (self.port, &self.protocol) == (other.port, &other.protocol)
    }
}

/// The ports of its node that a pod needs.
pub fn host_ports(pod: &PodShape) -> Vec<HostPort> {
    let staying = pod
        .init_containers
        .iter()
        .filter(|c| c.restart_policy.as_deref() == Some("Always"));
    let ports = pod.containers.iter().chain(staying).flat_map(|c| &c.ports);
    ports
        .filter_map(|port| host_port(port, pod.host_network))
        .collect()
}

fn host_port(port: &ContainerPort, has_network: bool) -> Option<HostPort> {
    let own = has_network.then_some(port.container_port);
    let number = port.host_port.filter(|n| *n > 0).or(own)?;
    let address = port.host_ip.clone();
    Some(HostPort {
        port: number,
        protocol: port.protocol.clone().unwrap_or_else(|| "TCP".to_owned()),
        address: address.filter(|a| !a.is_empty() && a != "0.0.0.0"),
    })
}

/// A term of required anti-affinity: it selects pods that must not share a domain with its own pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repulsion {
    /// Key of the node label that names the domain.
    pub topology_key: String,
    /// Namespaces of the other pods; none means all.
    namespaces: Option<BTreeSet<String>>,
    /// Their labels.
    selector: Selector,
    /// Labels that must equal, or must differ from, those of the pod with the term.
    like_own: Vec<(String, bool)>,
}

/// The terms of required anti-affinity.
pub fn anti_affinity_terms(affinity: &Affinity) -> &[PodAffinityTerm] {
    let anti = affinity.pod_anti_affinity.as_ref();
    let terms = anti.and_then(|a| {
        a.required_during_scheduling_ignored_during_execution
            .as_deref()
    });
    terms.unwrap_or_default()
}

/// The terms of required anti-affinity of a pod.
pub fn repulsions(pod: &PodShape, namespace: &str) -> Vec<Repulsion> {
    anti_affinity_terms(&pod.affinity)
        .iter()
        .filter_map(|term| Repulsion::of(term, namespace))
        .collect()
}

impl Repulsion {
    /// None if it selects nothing.
    fn of(term: &PodAffinityTerm, own_namespace: &str) -> Option<Self> {
        let selector = term.label_selector.clone()?.try_into().ok()?;
        let named: BTreeSet<String> = term.namespaces.iter().flatten().cloned().collect();
        let by_labels = term
            .namespace_selector
            .clone()
            .map(|selector| Selector::try_from(selector).ok());
        let namespaces = match by_labels.flatten() {
            Some(all) if all.selects_all() => None,
            None if named.is_empty() => Some(BTreeSet::from([own_namespace.to_owned()])),
            // Labels of namespaces are not read.
            _ => Some(named),
        };
        let like = |keys: &Option<Vec<String>>, is_same| {
            keys.clone()
                .unwrap_or_default()
                .into_iter()
                .map(move |key| (key, is_same))
                .collect::<Vec<_>>()
        };
        let same = like(&term.match_label_keys, true).into_iter();
        Some(Self {
            topology_key: term.topology_key.clone(),
            namespaces,
            selector,
            like_own: same.chain(like(&term.mismatch_label_keys, false)).collect(),
        })
    }

    /// The same as the API server stores it for a pod with these labels.
    #[must_use]
    pub fn for_pod(&self, labels: &BTreeMap<String, String>) -> Self {
        let mut made = self.clone();
        for (key, is_same) in std::mem::take(&mut made.like_own) {
            let Some(value) = labels.get(&key).cloned() else {
                continue;
            };
            let values = BTreeSet::from([value]);
            made.selector.extend([if is_same {
                Expression::In(key, values)
            } else {
                Expression::NotIn(key, values)
            }]);
        }
        made
    }

    /// Whether it selects a pod of this namespace with these labels.
    pub fn selects(&self, namespace: &str, labels: &BTreeMap<String, String>) -> bool {
        let is_there = |all: &BTreeSet<String>| all.contains(namespace);
        self.namespaces.as_ref().is_none_or(is_there) && self.selector.matches(labels)
    }

    /// Equal terms have one key.
    pub fn key(&self) -> String {
        let (key, places) = (&self.topology_key, &self.namespaces);
        format!("{key} {places:?} {}", self.selector)
    }
}
