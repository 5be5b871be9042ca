//! The replicas of a scaling group that a tree has: surplus ones are left out while required ones
//! wait (decision 136).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::PodClique;
use domain::Pod;
use domain::health::training;
use domain::object::ownership;
use domain::scheduling;
use domain::workload::gang::clique_minimum;
use engine::Caches;

use super::tree::GroupParts;

/// The placement of a group replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placed {
    /// No pod has a node.
    #[default]
    Nothing,
    /// Some pods have nodes.
    Part,
    /// Each PodClique has as many pods on nodes as it needs.
    Whole,
}

/// The replicas that the tree gets. KAI places the first incomplete ones, as many as the group
/// requires, and gives up if there is no room for all of these (seen with v0.17): a waiting surplus
/// replica would keep a required one from its own free place.
pub fn due_replicas(required: usize, replicas: &BTreeMap<i32, Placed>) -> BTreeSet<i32> {
    let standing = replicas.values().filter(|p| **p == Placed::Whole).count();
    if standing >= required {
        return replicas.keys().copied().collect();
    }
    let (waiting, begun): (Vec<_>, Vec<_>) = replicas
        .iter()
        .partition(|(_, placed)| **placed == Placed::Nothing);
    let lacking = required.saturating_sub(begun.len());
    let needed = waiting.into_iter().take(lacking);
    begun.into_iter().chain(needed).map(|(j, _)| *j).collect()
}

/// The group with the PodCliques that the tree gets.
pub(super) fn leave_out_waiting((group, parts): GroupParts, caches: &Caches) -> GroupParts {
    let name = ownership::name(&group.metadata);
    let mut by_replica: BTreeMap<i32, Vec<Arc<PodClique>>> = BTreeMap::new();
    for part in parts {
        let replica = ownership::group_replica_in(name, &part.metadata);
        if let Some(replica) = replica.filter(|_| is_of_tree(&part, caches)) {
            by_replica.entry(replica).or_default().push(part);
        }
    }
    let placed = by_replica
        .iter()
        .map(|(j, parts)| (*j, placed_of(parts, caches)));
    let required = usize::try_from(group.spec.min_available.unwrap_or(1)).unwrap_or(0);
    let due = due_replicas(required, &placed.collect());
    by_replica.retain(|j, _| due.contains(j));
    let parts = by_replica.into_values().flatten().collect();
    (group, parts)
}

/// Whether its pods belong to the tree; pods created before the tree was used stay outside.
fn is_of_tree(podclique: &PodClique, caches: &Caches) -> bool {
    let pods = caches.of::<Pod>().owned_by(podclique);
    let peer = scheduling::find_peer(pods.iter());
    peer.is_none_or(|pod| scheduling::is_of_tree(pod))
}

fn placed_of(parts: &[Arc<PodClique>], caches: &Caches) -> Placed {
    let placed = parts.iter().filter_map(|part| placed_of_part(part, caches));
    let (least, most) = placed.fold((Placed::Whole, Placed::Nothing), |(least, most), one| {
        (least.min(one), most.max(one))
    });
    if least == Placed::Nothing && most > Placed::Nothing {
        Placed::Part
    } else {
        least
    }
}

/// None for a PodClique that waits for no pods.
fn placed_of_part(podclique: &PodClique, caches: &Caches) -> Option<Placed> {
    let mut pods = caches.of::<Pod>().owned_by(podclique);
    pods.retain(|pod| !pod.is_terminating());
    let done = training::completed(podclique, pods.iter().map(AsRef::as_ref)).len();
    let minimum = usize::try_from(clique_minimum(&podclique.spec)).unwrap_or(0);
    let minimum = minimum.saturating_sub(done);
    let bound = pods
        .iter()
        .filter(|p| p.is_scheduled() && !p.is_completed());
    match bound.count() {
        _ if minimum == 0 => None,
        0 => Some(Placed::Nothing),
        count if count < minimum => Some(Placed::Part),
        _ => Some(Placed::Whole),
    }
}
