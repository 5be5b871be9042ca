//! A ComputeDomain that is not ready: containers that share memory over NVLink may wait for it.

use api::nvidia::{ComputeDomain, READY};

use crate::Pod;
use crate::object::ownership;

/// Nodes named at most.
const NAMED: usize = 5;

/// The state of the domain that these pods joined, if one of them is on a node and not Ready, and the
/// domain is not Ready either.
pub fn explain_domain<'a>(
    domain: &ComputeDomain,
    pods: impl IntoIterator<Item = &'a Pod>,
) -> Option<String> {
    let status = domain.status.as_ref();
    let state = status.map_or("", |status| status.status.as_str());
    let waits = |pod: &Pod| !pod.is_terminating() && pod.is_scheduled() && !pod.is_ready();
    if state == READY || !pods.into_iter().any(waits) {
        return None;
    }
    let state = if state.is_empty() { "NotReady" } else { state };
    let nodes = status.into_iter().flat_map(|status| &status.nodes);
    let lacking: Vec<&str> = nodes
        .filter(|node| node.status != READY)
        .map(|node| node.name.as_str())
        .collect();
    let name = ownership::name(&domain.metadata);
    Some(format!("ComputeDomain {name} is {state}{}", list(&lacking)))
}

fn list(nodes: &[&str]) -> String {
    let shown: Vec<&str> = nodes.iter().copied().take(NAMED).collect();
    match (shown.is_empty(), nodes.len().saturating_sub(NAMED)) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({})", shown.join(", ")),
        (false, more) => format!(" ({} and {more} more)", shown.join(", ")),
    }
}
