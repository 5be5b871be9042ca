//! The domain in which the pods of a scope already run. A scope is a replica of the set, a group
//! replica or a PodClique whose pods have to share a domain.

use std::collections::{BTreeMap, BTreeSet};

use crate::object::ownership;
use crate::{Node, Pod};
use api::labels;

use super::Levels;

/// Node labels that select the nodes of one domain.
pub type Selector = BTreeMap<String, String>;

/// Where the bound pods of a scope are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeState {
    /// No pod that counts has a node.
    Unbound,
    /// All are in one domain, whose nodes have these labels.
    In(Selector),
    /// They are in several domains, or a node lacks a label: the scope cannot be kept together.
    Scattered,
    /// The node of a bound pod is not known yet.
    NodeUnknown,
}

/// Judges a scope by the pods in it that have a node and are neither terminating nor completed.
/// `find_node` finds a node by name; `position` is that of the required level.
pub fn judge_scope<'n>(
    pods: &[&Pod],
    levels: &Levels,
    position: usize,
    find_node: impl Fn(&str) -> Option<&'n Node>,
) -> ScopeState {
    let mut domains: BTreeSet<Option<Vec<&str>>> = BTreeSet::new();
    for pod in pods.iter().filter(|pod| counts(pod)) {
        let name = pod.spec.node_name.as_deref();
        let Some(node) = name.and_then(&find_node) else {
            return ScopeState::NodeUnknown;
        };
        domains.insert(levels.domain_of(node, position));
    }
    let mut found = domains.into_iter();
    match (found.next(), found.next()) {
        (None, _) => ScopeState::Unbound,
        (Some(Some(domain)), None) => ScopeState::In(select_domain(levels, &domain)),
        _ => ScopeState::Scattered,
    }
}

/// Whether a pod fixes the domain of its scope.
fn counts(pod: &Pod) -> bool {
    pod.is_scheduled() && !pod.is_terminating() && !pod.is_completed()
}

fn select_domain(levels: &Levels, domain: &[&str]) -> Selector {
    let keys = levels.as_slice().iter().map(|level| level.key.clone());
    let values = domain.iter().map(|value| (*value).to_owned());
    keys.zip(values).collect()
}

/// The node labels to which the operator has pinned a pod, by its annotation.
pub fn pin_of(pod: &Pod) -> Selector {
    let text = ownership::annotation(&pod.metadata, labels::PINNED);
    text.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}
