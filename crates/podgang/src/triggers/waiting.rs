//! Gangs that wait for a topology domain, or for quota in one. Their status names the room of the
//! nodes and the domain of their replica, so changes of both trigger them, and no other gang.

use std::sync::Arc;

use api::PodGang;
use api::conditions::{self, ConditionType, Reason};
use domain::health::readiness;
use domain::placement::requires_domain;
use domain::scheduling::quota;
use domain::{Key, Node, Pod};
use engine::cache::set_of;
use engine::triggers::find;
use engine::{Caches, Change};

use crate::peers;

/// By a node that came, went, was cordoned or uncordoned, or changed its labels or its amounts.
pub(super) fn from_node(change: &Change<Node>, caches: &Caches) -> Vec<Key> {
    let read = |node: &Node| {
        let labels = node.metadata.labels.clone();
        let amounts = node.status.allocatable.clone();
        (labels, amounts, node.spec.is_cordoned)
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let gangs = caches.of::<PodGang>().all();
    let mut all = find_waiting(&gangs);
    all.extend(find_asking_beside_base(&gangs, caches));
    all
}

/// Scaled gangs that ask for quota and do not bear the constraint of their base gang: their request names
/// the nodes of its domain all the same.
fn find_asking_beside_base(gangs: &[Arc<PodGang>], caches: &Caches) -> Vec<Key> {
    let is_packed = |gang: &PodGang| {
        let base = peers::base_of(gang, caches);
        base.is_some_and(|base| requires_domain(&base))
    };
    gangs
        .iter()
        .filter(|gang| asks_for_quota(gang) && is_packed(gang))
        .map(|gang| Key::of(&gang.metadata))
        .collect()
}

/// By a pod of their set that was placed, or holds its node no longer.
pub(super) fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let Some(pod) = change.newest().filter(|_| !change.keeps(super::place_of)) else {
        return Vec::new();
    };
    // Of most sets no gang can wait for a domain.
    let own = find::gang(&pod.metadata).and_then(|key| caches.of::<PodGang>().get(&key));
    let is_packed = own.is_some_and(|gang| requires_domain(&gang));
    let set = set_of(&pod.metadata).filter(|_| is_packed);
    set.map_or_else(Vec::new, |set| {
        let gangs = caches.of::<PodGang>().part_of(&set);
        let mut all = find_waiting(&gangs);
        // A scaled gang does not always bear the constraint of its base gang.
        let asking = gangs.iter().filter(|gang| asks_for_quota(gang));
        all.extend(asking.map(|gang| Key::of(&gang.metadata)));
        all
    })
}

fn find_waiting(gangs: &[Arc<PodGang>]) -> Vec<Key> {
    gangs
        .iter()
        .filter(|gang| requires_domain(gang) && (has_no_node(gang) || asks_for_quota(gang)))
        .map(|gang| Key::of(&gang.metadata))
        .collect()
}

/// Whether it asks Kueue for quota, for nodes of the domain that its pods have to join.
fn asks_for_quota(gang: &PodGang) -> bool {
    quota::local_queue(&gang.metadata).is_some() && quota::asks_for_quota(gang)
}

/// Whether a scheduler finds no node for a pod of it, in the words of its condition `Ready`.
fn has_no_node(gang: &PodGang) -> bool {
    let status = gang.status.as_ref();
    let ready = status.and_then(|s| conditions::find(&s.conditions, ConditionType::Ready));
    let reason: Option<Reason> = ready.and_then(|ready| ready.reason.parse().ok());
    reason.is_some_and(readiness::is_of_scheduler)
}
