//! A topology domain that pods have to join, and of which no node takes pods.

use crate::Node;
use crate::topology::{Levels, Selector, domain_of_labels};

use super::room::is_in;

/// At most this many nodes are named.
const MAX_NODES: usize = 4;

/// The pods with which a pinned pod shares a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinScope {
    /// Position of the required level.
    pub position: usize,
    /// The part of the set that the pods are: `its replica`, `group replica demo-0-g-1`.
    pub owner: String,
    /// The label selector of the pods.
    pub selector: String,
}

/// A domain without a schedulable node, and a scope that runs there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedDomain {
    /// The domain: `rack z0/r1`.
    pub domain: String,
    /// Its cordoned nodes, by name; none if it has no node at all.
    pub cordoned: Vec<String>,
    /// The outermost scope that has to leave it.
    pub scope: PinScope,
}

/// Finds the domain of the outermost scope without a schedulable node. `pin` has the node labels to
/// which the pod is pinned; `scopes` are those of the pod, outermost first.
pub fn find_closed_domain(
    pin: &Selector,
    scopes: &[PinScope],
    levels: &Levels,
    nodes: &[&Node],
) -> Option<ClosedDomain> {
    scopes.iter().find_map(|scope| {
        let (domain, labels) = domain_of_labels(pin, levels, scope.position)?;
        let inside = nodes.iter().filter(|node| is_in(node, &labels));
        let mut cordoned = Vec::new();
        for node in inside {
            if !node.spec.is_cordoned {
                return None;
            }
            cordoned.extend(node.metadata.name.clone());
        }
        cordoned.sort_unstable();
        Some(ClosedDomain {
            domain,
            cordoned,
            scope: scope.clone(),
        })
    })
}

impl ClosedDomain {
    /// Why the pod of that name finds no node, with the remedy, for people.
    pub fn describe(&self, pod: &str, namespace: &str) -> String {
        let (domain, scope) = (&self.domain, &self.scope);
        let (owner, selector) = (&scope.owner, &scope.selector);
        let (state, way_in) = match self.cordoned.first() {
            Some(first) => (
                format!("where all nodes are cordoned ({})", list(&self.cordoned)),
                format!("uncordon one (`kubectl uncordon {first}`)"),
            ),
            None => (
                "which has no node any more".to_owned(),
                "add a node with its labels".to_owned(),
            ),
        };
        format!(
            "{pod} has to join the pods of {owner} in {domain}, {state}: {way_in}, or delete all \
             pods of {owner}, which may then start elsewhere (`kubectl delete pods -n {namespace} -l \
             {selector}`)"
        )
    }
}

fn list(nodes: &[String]) -> String {
    let named: Vec<&str> = nodes.iter().take(MAX_NODES).map(String::as_str).collect();
    let more = nodes.len().saturating_sub(MAX_NODES);
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("{}{rest}", named.join(", "))
}
