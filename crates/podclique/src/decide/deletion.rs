//! A PodClique on its way out deletes its pods at once and stays until they are gone or stuck:
//! waiting for the garbage collector would take minutes for a thousand pods.

use api::{PodCliqueStatus, labels};
use domain::ownership;
use domain::plan::{Action, Kind, Plan};
use jiff::Timestamp;

use super::stuck;
use crate::observe::Snapshot;

pub(super) fn plan(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
    let meta = &snapshot.podclique.metadata;
    if ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        return release(snapshot);
    }
    let mut plan = Plan::default();
    let staying = snapshot.pods.iter().filter(|p| !p.is_terminating());
    plan.wave(
        staying
            .map(|p| Action::delete(Kind::Pod, &p.metadata, "PodClique is deleted"))
            .collect(),
    );
    plan.wave(stuck::detachments(snapshot, now));
    plan.wake_at = stuck::next_deadline(snapshot, now);
    let are_pods_gone = snapshot
        .pods
        .iter()
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
    Plan::only(Action::remove_finalizer(
        Kind::PodClique,
        meta,
        labels::PCLQ_FINALIZER,
    ))
}
