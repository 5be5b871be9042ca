//! Pods that have to join others in a topology domain. A request bears the labels of its nodes, so that
//! Kueue takes the quota of no ResourceFlavor that is for other nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodGang, labels};
use domain::object::ownership;
use domain::placement::requires_domain;
use domain::scheduling::quota;
use domain::topology::{Levels, ScopeState, Selector, judge_scope};
use domain::{Key, Node, Pod};
use engine::Caches;
use engine::cache::set_of;

use crate::gang_part::GangPart;
use crate::part_scopes::{self, PartScope};
use crate::{levels, peers};

/// The labels of the nodes that pods of a PodClique have to join, by PodClique. `pods` are those of the
/// gang. None for a gang that asks for nothing, and while the node of a pod is not known.
pub(super) fn find(
    gang: &PodGang,
    parts: &[GangPart],
    pods: &[Arc<Pod>],
    caches: &Caches,
) -> BTreeMap<String, Selector> {
    let may_join = quota::asks_for_quota(gang) && shares_domain(gang, caches);
    let set = set_of(&gang.metadata).filter(|_| may_join && caches.is_served::<Node>(""));
    let Some(set) = set else {
        return BTreeMap::new();
    };
    let levels = levels::of_constraints(gang, caches);
    let all = caches.of::<Pod>().part_of(&set);
    let pin_of = |part: &GangPart| {
        let is_own = |pod: &&Arc<Pod>| {
            ownership::label(&pod.metadata, labels::POD_CLIQUE) == Some(&*part.name)
        };
        let own = pods.iter().find(is_own)?;
        let scopes = part_scopes::list(gang, &part.name, own, &levels, caches);
        let states = scopes
            .iter()
            .map(|scope| judge(scope, &all, &levels, caches));
        let pin = unite(states);
        (!pin.is_empty()).then(|| (part.name.clone(), pin))
    };
    parts.iter().filter_map(pin_of).collect()
}

/// Whether its pods share a domain with others; a scaled gang with those of its base gang.
fn shares_domain(gang: &PodGang, caches: &Caches) -> bool {
    requires_domain(gang) || peers::base_of(gang, caches).is_some_and(|base| requires_domain(&base))
}

fn judge(scope: &PartScope, all: &[Arc<Pod>], levels: &Levels, caches: &Caches) -> ScopeState {
    let pods = all.iter().map(|pod| &**pod);
    let pods: Vec<&Pod> = pods.filter(|pod| scope.has(pod)).collect();
    let names = pods.iter().filter_map(|pod| pod.spec.node_name.as_deref());
    let nodes: BTreeMap<&str, Arc<Node>> = names
        .filter_map(|name| Some((name, caches.of::<Node>().get(&Key::new("", name))?)))
        .collect();
    judge_scope(&pods, levels, scope.position, |name| {
        nodes.get(name).map(|node| &**node)
    })
}

/// The node labels of all domains in which scopes run.
fn unite(states: impl Iterator<Item = ScopeState>) -> Selector {
    let mut all = Selector::new();
    for state in states {
        if let ScopeState::In(domain) = state {
            all.extend(domain);
        }
    }
    all
}
