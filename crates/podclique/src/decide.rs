//! The rules, in order.

mod adopt;
mod claims;
mod compute_domain;
mod create;
mod deletion;
mod evict;
mod failed_event;
mod gates;
mod job_cleanup;
mod relabel;
mod replace_finished;
mod scale_in;
mod scaled_below;
mod start_order;
mod stuck_terminating;
mod suspend;
mod update;

use api::{PodClique, PodCliqueStatus, labels};
use domain::health::availability::StoredBreach;
use domain::health::{readiness, stalled};
use domain::object::ownership;
use domain::plan::{Action, Plan};
use jiff::Timestamp;

use self::stuck_terminating::Waiter;
use crate::observe::Snapshot;
use crate::status;

/// Decides the plan for the PodClique.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
    let meta = &snapshot.podclique.metadata;
    if ownership::is_terminating(meta) {
        let mut plan = deletion::plan_deletion(snapshot, now);
        plan.events.extend(failed_event::find_event(snapshot));
        return plan;
    }
    if !ownership::has_finalizer(meta, labels::PCLQ_FINALIZER) {
        if !ownership::is_managed(meta) {
            return Plan::default();
        }
        return Plan::only(Action::add_finalizer::<PodClique>(
            meta,
            labels::PCLQ_FINALIZER,
        ));
    }
    let mut status = status::next_status(snapshot, now);
    let mut plan = Plan::default();
    plan.wave(adopt::adopt_orphans(snapshot));
    plan_starts(&mut plan, snapshot, now);
    plan.wave(Waiter::Slot.detachments(snapshot, now));
    plan.wave(stuck_terminating::farewells(snapshot));
    plan.wave(relabel::edited_pods(snapshot));
    plan.wave(relabel::rebased_pods(snapshot));
    plan_deletions(&mut plan, snapshot, &status, now);
    plan.wave(job_cleanup::deletions(snapshot));
    for wave in claims::plan_claims(snapshot, now) {
        plan.wave(wave);
    }
    let mut missing = create::Missing::default();
    if snapshot.may_create && !snapshot.may_have_more && replace_finished::may_refill(snapshot) {
        missing = create::missing_pods(snapshot, now);
        plan.wave(std::mem::take(&mut missing.pods));
    }
    plan.events.extend(failed_event::find_event(snapshot));
    plan.events.extend(Waiter::Slot.warnings(snapshot, now));
    plan.events
        .extend(replace_finished::warnings(snapshot, now));
    status.last_errors.extend(missing.error(snapshot, now));
    status.last_errors.extend(missing.error_of_claim(now));
    plan.wake_at = next_wake(snapshot, &status, &missing, now);
    plan.status = Some(status);
    plan
}

/// When the decision may change without an event.
fn next_wake(
    snapshot: &Snapshot,
    next: &PodCliqueStatus,
    missing: &create::Missing,
    now: Timestamp,
) -> Option<Timestamp> {
    let wakes = [
        start_order::next_repeat(snapshot, now),
        Waiter::Slot.next_deadline(snapshot, now),
        replace_finished::next_due(snapshot, now),
        StoredBreach::from(next).forgotten_at(snapshot.breach_memory(), now),
        status::next_update_change(snapshot, next, now),
        missing.due,
        claims::next_loss(snapshot, missing, now),
        stalled::due(status::stored_errors(snapshot), now),
        readiness::next_look(snapshot.pods.iter().map(AsRef::as_ref), now),
    ];
    wakes.into_iter().flatten().min()
}

/// Lets pods start; none of a suspended set: they go.
fn plan_starts(plan: &mut Plan<PodCliqueStatus>, snapshot: &Snapshot, now: Timestamp) {
    if snapshot.is_suspended() {
        return;
    }
    plan.wave(gates::removals(snapshot));
    plan.wave(start_order::plan_starts(snapshot, now));
    plan.wave(start_order::plan_repeats(snapshot, now));
}

/// Pods that go although they do their work.
fn find_surplus(snapshot: &Snapshot) -> Vec<Action> {
    if snapshot.is_suspended() {
        return suspend::deletions(snapshot);
    }
    let evicted = evict::deletions(snapshot);
    if evicted.is_empty() {
        scale_in::deletions(snapshot)
    } else {
        evicted
    }
}

/// Deletes pods that have ended, are outdated, or are too many.
fn plan_deletions(
    plan: &mut Plan<PodCliqueStatus>,
    snapshot: &Snapshot,
    status: &PodCliqueStatus,
    now: Timestamp,
) {
    let surplus = find_surplus(snapshot);
    if surplus.is_empty() && snapshot.may_create {
        let outdated = update::plan_outdated_pods(snapshot, now);
        // If there are too many pods, a pod that ended is deleted first.
        let mut ended = replace_finished::replacements(snapshot, now);
        ended.retain(|action| outdated.iter().all(|o| o.key() != action.key()));
        plan.wave(ended);
        plan.wave(outdated);
    }
    if scaled_below::is_noted(snapshot, status) {
        plan.wave(surplus);
    }
}
