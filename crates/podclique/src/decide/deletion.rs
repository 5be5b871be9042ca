//! A terminating PodClique deletes its pods at once and stays until they are gone or stuck: the
//! garbage collector would take minutes for a thousand pods (docs/semantics.md §7.3).
//!
//! With `--cascade=orphan` the garbage collector first removes the owner references of its pods and
//! then the `orphan` finalizer, so the absence of that finalizer proves nothing. Pods without a
//! controller are left alone, and a pod is deleted only in the version that was observed: a cache
//! that lags still shows references that were removed.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::{PodClique, PodCliqueStatus, labels};
use domain::Pod;
use domain::health::training;
use domain::object::ownership;
use domain::plan::{Action, Plan, Purpose};
use jiff::{SignedDuration, Timestamp};

use super::claims;
use super::stuck_terminating::Waiter;
use crate::observe::Snapshot;
use crate::status;

const PURPOSE: Purpose = Purpose::DeleteWithPodClique;

/// A job whose status cannot be stored, or that does not need this PodClique any more, does not
/// hold it for ever.
const SUCCESS_WAIT: SignedDuration = SignedDuration::from_mins(1);

pub(super) fn plan_deletion(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
    let meta = &snapshot.podclique.metadata;
    if ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        return release(snapshot);
    }
    let mut plan = Plan::default();
    if is_awaited(snapshot) && !training::has_succeeded(&snapshot.podclique) {
        // Until this write only its pods show the success.
        plan.status = Some(status::next_status(snapshot, now));
        return plan;
    }
    let staying = snapshot.own_pods().filter(|p| !p.is_terminating());
    let delete = |p: &Arc<Pod>| Action::delete_as_seen::<Pod>(&p.metadata, PURPOSE);
    plan.wave(staying.map(delete).collect());
    plan.wave(Waiter::Finalizer.detachments(snapshot, now));
    plan.events = Waiter::Finalizer.warnings(snapshot, now);
    plan.wake_at = Waiter::Finalizer.next_deadline(snapshot, now);
    let are_pods_gone = snapshot
        .own_pods()
        .all(|p| Waiter::Finalizer.gave_up(snapshot, p, now));
    if !plan.writes_nothing() || !are_pods_gone {
        return plan;
    }
    if snapshot.may_have_more {
        return plan;
    }
    // A claim may be held by a pod that hangs, so its end is not waited for.
    plan.wave(claims::plan_deletions(snapshot));
    if !plan.writes_nothing() {
        return plan;
    }
    let awaited = awaited_until(snapshot).filter(|until| *until > now);
    if awaited.is_some() {
        plan.wake_at = awaited;
        return plan;
    }
    release(snapshot)
}

/// Whether its job has yet to store that its work is done: no other object records it, and without
/// the record the job would be restarted (decision 105).
fn is_awaited(snapshot: &Snapshot) -> bool {
    snapshot.set.as_ref().is_some_and(|set| set.awaits_success)
}

/// Deadline for the job to record this success; it exists once the PodClique is deleted and its own
/// status shows the success.
fn awaited_until(snapshot: &Snapshot) -> Option<Timestamp> {
    let podclique = &snapshot.podclique;
    let conditions = &podclique.status.as_ref()?.conditions;
    let said = conditions::find(conditions, ConditionType::Succeeded)?;
    let deleted = podclique.metadata.deletion_timestamp.as_ref()?;
    let since = deleted.0.max(said.last_transition_time.0);
    is_awaited(snapshot).then(|| since.checked_add(SUCCESS_WAIT).ok())?
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
