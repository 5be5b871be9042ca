//! The rules, in order.

mod access;
mod children;
mod deletion;
mod fence;
mod gangs;
mod refusal;
mod services;
mod termination;

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
    if let Some(plan) = termination::tear_down(snapshot, &status, now) {
        return plan;
    }
    let mut plan = Plan {
        status: Some(status),
        ..Plan::default()
    };
    termination::announce(snapshot, now, &mut plan);
    fence::plan(snapshot, &mut plan);
    if !snapshot.intake.may_act() {
        gangs::follow(snapshot, &mut plan);
        refusal::explain(snapshot, now, &mut plan);
        return plan;
    }
    access::plan(snapshot, &mut plan);
    services::plan(snapshot, &mut plan);
    children::plan(snapshot, &mut plan);
    gangs::plan(snapshot, &mut plan);
    plan
}
