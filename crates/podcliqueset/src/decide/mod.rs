//! The rules, in order.

mod access;
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
    let status = status::status(snapshot, now);
    if let Some(plan) = fence::catch_up(snapshot, &status, now) {
        return plan;
    }
    let moved = if snapshot.is_training() {
        training::judge(snapshot, &status, now)
    } else {
        termination::tear_down(snapshot, &status, now)
    };
    if let Some(status) = moved {
        // Nothing else happens in the plan that moves a fence or the job: what follows from it is
        // decided on what is stored then.
        return Plan {
            status: Some(status),
            ..Plan::default()
        };
    }
    let mut plan = Plan {
        status: Some(status),
        ..Plan::default()
    };
    if snapshot.is_training() {
        failures::announce(snapshot, now, &mut plan);
        training::wake(snapshot, now, &mut plan);
    } else {
        termination::announce(snapshot, now, &mut plan);
    }
    readiness::announce(snapshot, &mut plan);
    fence::plan(snapshot, &mut plan);
    refusal::explain(snapshot, now, &mut plan);
    if !snapshot.intake.may_act() {
        gangs::follow(snapshot, &mut plan);
        return plan;
    }
    if domain::training::is_over(snapshot.stored.status.as_ref()) {
        gangs::follow(snapshot, &mut plan);
        return plan;
    }
    access::plan(snapshot, &mut plan);
    services::plan(snapshot, &mut plan);
    children::plan(snapshot, &mut plan);
    gangs::plan(snapshot, &mut plan);
    plan
}
