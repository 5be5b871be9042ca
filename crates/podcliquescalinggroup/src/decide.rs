//! The rules, in order.

mod children;
mod claims;
mod deletion;
mod fence;
mod scale_in;
mod termination;
mod update;

use admission::oversize;
use api::{PodCliqueScalingGroup, PodCliqueScalingGroupStatus, labels};
use domain::health::availability::StoredBreach;
use domain::health::stalled;
use domain::object::ownership;
use domain::plan::{Action, Plan};
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::{rollout, status};

/// Decides the plan for the group.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if ownership::is_terminating(meta) {
        return deletion::plan_deletion(snapshot);
    }
    if !ownership::has_finalizer(meta, labels::PCSG_FINALIZER) {
        if !ownership::is_managed(meta) {
            return Plan::default();
        }
        let finalizer = labels::PCSG_FINALIZER;
        return Plan::only(Action::add_finalizer::<PodCliqueScalingGroup>(
            meta, finalizer,
        ));
    }
    let errors = oversize::of_group(&snapshot.group);
    if !errors.is_empty() {
        return Plan {
            status: Some(status::over_limits(snapshot, &errors, now)),
            ..Plan::default()
        };
    }
    let moved = fence::follow_set(snapshot)
        .or_else(|| fence::catch_up(snapshot, now))
        .or_else(|| fence::release_scaled_in(snapshot))
        .or_else(|| termination::terminate_group_replicas(snapshot, now));
    if let Some(fences) = moved {
        // A plan that raises an attempt contains nothing else: the consequences are decided from
        // the status stored then. It posts the events of the previously stored entries, which it
        // may empty.
        return Plan {
            status: Some(status::with_fences(snapshot, fences, now)),
            events: termination::terminated_events(snapshot),
            ..Plan::default()
        };
    }
    if let Some(status) = scale_in::note_scaled_in(snapshot, now) {
        return Plan {
            status: Some(status),
            ..Plan::default()
        };
    }
    plan_members(snapshot, now)
}

/// The changes that the group's PodCliques need, and the status that follows from them.
fn plan_members(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueScalingGroupStatus> {
    let status = status::next_status(snapshot, now);
    let forgotten_at = StoredBreach::from(&status).forgotten_at(snapshot.breach_memory(), now);
    let wakes = forgotten_at
        .into_iter()
        .chain(termination::wake_at(snapshot, now))
        .chain(stalled::due(status::stored_errors(snapshot), now))
        .chain(status::update_deadline(snapshot, &status).filter(|at| *at > now))
        .chain(rollout::next_change(snapshot, now))
        .chain(snapshot.claims.holders.next_loss(now, |_| true));
    let mut plan = Plan {
        wake_at: wakes.min(),
        status: Some(status),
        events: termination::scheduled_events(snapshot),
        ..Plan::default()
    };
    plan.events.extend(termination::terminated_events(snapshot));
    plan.wave(fence::earlier_attempts(snapshot));
    let mut recreation = update::plan_recreation(snapshot, now);
    plan.wave(std::mem::take(&mut recreation.deletions));
    for wave in claims::plan_claims(snapshot, now) {
        plan.wave(wave);
    }
    for wave in children::plan_children(snapshot, &recreation) {
        plan.wave(wave);
    }
    plan
}
