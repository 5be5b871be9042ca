//! The pods of a standalone clique in an update, each in its stage (docs/semantics.md §14.3).

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::Pod;
use domain::object::ownership;
use domain::scheduling::quota;
use domain::update::{self, Age, Component, Limits, Stage, SurgeUnit};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// The pods that stay, with their stages.
pub(crate) fn staged(snapshot: &Snapshot, now: Timestamp) -> Vec<(&Arc<Pod>, Stage)> {
    let min_ready = snapshot.min_ready();
    staying(snapshot)
        .map(|pod| {
            let stage = update::stage_of_pod(pod, age(snapshot, pod), min_ready, now);
            (pod, stage)
        })
        .collect()
}

/// The numbers of the clique with these pods, with those that its status stores.
pub(crate) fn component(
    snapshot: &Snapshot,
    pods: &[(&Arc<Pod>, Stage)],
    now: Timestamp,
) -> Component {
    let desired = snapshot.podclique.spec.replicas;
    let units = pods
        .iter()
        .filter_map(|(pod, stage)| Some((pod.index()?, *stage)));
    let status = snapshot.podclique.status.as_ref();
    let errors = status.map_or(&[][..], |status| &status.last_errors);
    let progress = snapshot.update_progress();
    let waiting = progress.and_then(|progress| progress.waiting_since.as_ref());
    Component {
        reached: progress.and_then(|progress| progress.reached),
        is_short_of_room: update::is_short(waiting, errors, now),
        must_return: snapshot.set.as_ref().is_some_and(|s| s.update.must_return),
        is_recreated: snapshot.set.as_ref().is_some_and(|s| s.update.is_recreated),
        limits: Limits::of_clique(snapshot.rolling_update(), desired),
        is_without_surge: progress.is_some_and(|progress| progress.without_surge.is_some())
            || snapshot.is_turn_without_surge(),
        held: i32::try_from(held_indexes(snapshot).len()).unwrap_or(i32::MAX),
        ..Component::count(units, &surge_indexes(snapshot), desired, minimum(snapshot))
    }
}

/// `minAvailable`; all pods if unset.
pub(crate) fn minimum(snapshot: &Snapshot) -> i32 {
    let spec = &snapshot.podclique.spec;
    spec.min_available.unwrap_or(spec.replicas)
}

/// The indexes that stay vacant in the turn: an update of others needs the room of their pods.
pub(crate) fn held_indexes(snapshot: &Snapshot) -> BTreeSet<i32> {
    let progress = snapshot.update_progress();
    let reached = progress.and_then(|progress| progress.reached);
    let update = snapshot.set.as_ref().map(|set| &set.update);
    let listed = update.map_or(&[][..], |update| &update.vacant);
    let desired = snapshot.podclique.spec.replicas;
    update::held_indexes(listed.iter().copied(), desired, minimum(snapshot), reached)
}

/// The indexes of surge pods; empty outside of an update.
pub(crate) fn surge_indexes(snapshot: &Snapshot) -> BTreeSet<i32> {
    let existing = || snapshot.pods.iter().filter_map(|pod| pod.index());
    update::surge_of_clique(&snapshot.podclique, snapshot.rolling_update(), existing)
}

/// Returns whether a pod is a surge pod.
pub(crate) fn surge_of(snapshot: &Snapshot) -> impl Fn(&Pod) -> bool + use<> {
    let surge = surge_indexes(snapshot);
    // An index is read from text, and outside of an update there is no surge.
    move |pod| !surge.is_empty() && pod.index().is_some_and(|index| surge.contains(&index))
}

/// The surge pods that exist.
pub(crate) fn surge_units(snapshot: &Snapshot, pods: &[(&Arc<Pod>, Stage)]) -> Vec<SurgeUnit> {
    let is_surge = surge_of(snapshot);
    pods.iter()
        .filter(|(pod, _)| is_surge(pod))
        .filter_map(|(pod, stage)| {
            Some(SurgeUnit {
                index: pod.index()?,
                is_available: stage.is_available(),
            })
        })
        .collect()
}

/// A gang whose quota is not enough for the surge pods of a clique.
pub(crate) struct LackingQuota<'a> {
    /// Its uid.
    pub(crate) gang: &'a str,
    /// Why, in the words of its condition.
    pub(crate) words: String,
}

/// Whether surge pods wait for quota: behind their gates, or before they are created. Where the required pods
/// have none, the wait is not that of the surge.
pub(crate) fn find_lacking_quota(snapshot: &Snapshot) -> Option<LackingQuota<'_>> {
    let gang = snapshot.gang.as_deref()?;
    let may_run = |index: i32| {
        let mut pods = staying(snapshot).filter(|pod| pod.index() == Some(index));
        pods.any(|pod| pod.gate_position().is_none())
    };
    let name = ownership::name(&snapshot.podclique.metadata);
    let has_minimum = quota::granted(gang, name) >= minimum(snapshot);
    if !has_minimum || surge_indexes(snapshot).into_iter().all(may_run) {
        return None;
    }
    Some(LackingQuota {
        words: quota::explain_shortage(gang, name)?,
        gang: ownership::uid(&gang.metadata),
    })
}

/// When a stage, or the room of the clique, changes if nothing happens.
pub(crate) fn next_change(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    if !snapshot.is_updating() || snapshot.is_grouped() {
        return None;
    }
    let min_ready = snapshot.min_ready();
    let progress = snapshot.update_progress();
    let waiting = progress.and_then(|progress| progress.waiting_since.as_ref());
    let short = update::short_at(waiting).filter(|at| *at > now);
    staying(snapshot)
        .filter_map(|pod| update::next_stage_at(pod, age(snapshot, pod), min_ready, now))
        .chain(short)
        .min()
}

fn staying(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Pod>> {
    snapshot.pods.iter().filter(|pod| !pod.is_terminating())
}

/// Whether the pod, or its PodClique before it takes the newest template, has an older one.
fn age(snapshot: &Snapshot, pod: &Pod) -> Age {
    let meta = &snapshot.podclique.metadata;
    let is_outdated = !snapshot.has_newest_template() || update::is_outdated(&pod.metadata, meta);
    let partition = update::partition_of(snapshot.rolling_update());
    Age::of(is_outdated, pod.index().is_some_and(|k| k < partition))
}
