//! A PodClique on its way out deletes its pods at once and stays until they are gone or stuck:
//! waiting for the garbage collector would take minutes for a thousand pods.
//!
//! With `--cascade=orphan` the garbage collector first cuts the owner references of its pods and
//! then takes the `orphan` finalizer off, so that finalizer's absence proves nothing. What nobody
//! controls is left alone, and what is deleted must not have changed since it was seen: a view that
//! lags still shows references that were cut.

use std::sync::Arc;

use api::{PodClique, PodCliqueStatus, labels};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Plan, Purpose};
use jiff::Timestamp;

use super::stuck;
use crate::observe::Snapshot;

const PURPOSE: Purpose = Purpose::DeleteWithPodClique;

pub(super) fn plan(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
    let meta = &snapshot.podclique.metadata;
    if ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        return release(snapshot);
    }
    let mut plan = Plan::default();
    let staying = snapshot.own_pods().filter(|p| !p.is_terminating());
    let delete = |p: &Arc<Pod>| Action::delete_as_seen::<Pod>(&p.metadata, PURPOSE);
    plan.wave(staying.map(delete).collect());
    plan.wave(stuck::detachments(snapshot, now));
    plan.wake_at = stuck::next_deadline(snapshot, now);
    let are_pods_gone = snapshot
        .own_pods()
        .all(|p| stuck::is_stuck(snapshot, p, now));
    if !plan.writes_nothing() || !are_pods_gone {
        return plan;
    }
    if snapshot.may_have_more {
        return plan;
    }
    release(snapshot)
}

fn release(snapshot: &Snapshot) -> Plan<PodCliqueStatus> {
    let meta = &snapshot.podclique.metadata;
    if !ownership::has_finalizer(meta, labels::PCLQ_FINALIZER) {
        return Plan::default();
    }
    Plan::only(Action::remove_finalizer::<PodClique>(
        meta,
        labels::PCLQ_FINALIZER,
    ))
}
