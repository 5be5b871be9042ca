//! The pods of a standalone clique in an update, each in its stage (docs/semantics.md §14.3).

use std::sync::Arc;

use domain::Pod;
use domain::update::{self, Component, Stage};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// The pods that stay, with their stages.
pub(crate) fn staged(
    snapshot: &Snapshot,
    now: Timestamp,
) -> impl Iterator<Item = (&Arc<Pod>, Stage)> {
    let min_ready = snapshot.min_ready();
    staying(snapshot).map(move |pod| {
        let stage = update::stage_of_pod(pod, is_old(snapshot, pod), min_ready, now);
        (pod, stage)
    })
}

/// The numbers of the clique with pods in these stages, with those that its status stores.
pub(crate) fn component(
    snapshot: &Snapshot,
    stages: impl IntoIterator<Item = Stage>,
    now: Timestamp,
) -> Component {
    let spec = &snapshot.podclique.spec;
    let minimum = spec.min_available.unwrap_or(spec.replicas);
    let status = snapshot.podclique.status.as_ref();
    let errors = status.map_or(&[][..], |status| &status.last_errors);
    let progress = snapshot.update_progress();
    let waiting = progress.and_then(|progress| progress.waiting_since.as_ref());
    Component {
        reached: progress.and_then(|progress| progress.reached),
        is_short_of_room: update::is_short(waiting, errors, now),
        must_return: snapshot.set.as_ref().is_some_and(|s| s.update.must_return),
        ..Component::count(stages, spec.replicas, minimum)
    }
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
        .filter_map(|pod| update::next_stage_at(pod, is_old(snapshot, pod), min_ready, now))
        .chain(short)
        .min()
}

fn staying(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Pod>> {
    snapshot.pods.iter().filter(|pod| !pod.is_terminating())
}

/// Whether the pod, or its PodClique before it takes the newest template, has an older one.
fn is_old(snapshot: &Snapshot, pod: &Pod) -> bool {
    let meta = &snapshot.podclique.metadata;
    !snapshot.has_newest_template() || update::is_outdated(&pod.metadata, meta)
}
