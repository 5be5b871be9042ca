//! The rules, in order.

mod adopt;
mod children;
mod deletion;
mod failures;
mod fence;
mod gangs;
mod readiness;
mod refusal;
mod services;
mod termination;
mod training;

use api::{PodCliqueSetStatus, labels};
use domain::ownership;
use domain::plan::{Action, Kind, Plan};
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::status;

/// What to do about the set.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if ownership::is_terminating(meta) {
        return deletion::plan(snapshot);
    }
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        return Plan::only(Action::add_finalizer(
            Kind::PodCliqueSet,
            meta,
            labels::PCS_FINALIZER,
        ));
    }
    if let Some(plan) = refusal::of_too_much(snapshot, now) {
        return plan;
    }
    let layout = snapshot.layout();
    let status = status::status(snapshot, &layout, now);
    if let Some(plan) = fence::catch_up(snapshot, &layout, &status, now) {
        return plan;
    }
    // Nothing else happens in the plan that moves a fence or the job: what follows from it is
    // decided on what is stored then.
    let moved = if snapshot.is_training() {
        training::judge(snapshot, &layout, &status, now)
    } else {
        termination::tear_down(snapshot, &layout, &status, now).map(|status| Plan {
            status: Some(status),
            ..Plan::default()
        })
    };
    if let Some(plan) = moved {
        return plan;
    }
    let mut plan = Plan {
        status: Some(status),
        ..Plan::default()
    };
    if snapshot.is_training() {
        plan.notes.extend(failures::notes(snapshot));
        training::wake(snapshot, &layout, now, &mut plan);
    } else {
        termination::announce(snapshot, &layout, &mut plan);
    }
    readiness::announce(snapshot, &mut plan);
    fence::plan(snapshot, &mut plan);
    refusal::explain(snapshot, now, &mut plan);
    if !snapshot.intake.may_act() {
        gangs::follow(snapshot, &mut plan);
        return plan;
    }
    if domain::training::is_over(snapshot.stored.status.as_ref()) {
        let adopted = adopt::orphans(snapshot, &layout);
        if adopted.is_empty() {
            gangs::follow(snapshot, &mut plan);
        }
        plan.wave(adopted);
        return plan;
    }
    services::plan(snapshot, &layout, &mut plan);
    children::plan(snapshot, &layout, &mut plan);
    gangs::plan(snapshot, &layout, &mut plan);
    plan
}
