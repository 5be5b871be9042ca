//! The rules, in order.

mod adopt;
mod autoscalers;
mod children;
mod claims;
mod completed;
mod compute_domains;
mod deletion;
mod failures;
mod fence;
mod gangs;
mod invalid_spec;
mod missing_revisions;
mod older_templates;
mod queue_clock;
mod ready_events;
mod restart_request;
mod revisions;
mod services;
mod suspend;
mod termination;
mod training;
mod ttl;
mod update_events;

use api::{PodCliqueSet, PodCliqueSetStatus, labels};
use domain::health::termination::Breach;
use domain::health::{readiness, stalled};
use domain::object::ownership;
use domain::plan::{Action, Plan};
use domain::roster::Roster;
use domain::update;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::scaled_to_zero::ScaledToZero;
use crate::{check, status};

/// Decides the plan for the set.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if ownership::is_terminating(meta) {
        return deletion::plan_deletion(snapshot, now);
    }
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        return Plan::only(Action::add_finalizer::<PodCliqueSet>(
            meta,
            labels::PCS_FINALIZER,
        ));
    }
    if let Some(plan) = invalid_spec::of_too_much(snapshot, now) {
        return plan;
    }
    let roster = snapshot.roster();
    let status = status::next_status(snapshot, &roster, now);
    // A plan that changes an attempt or the job does nothing else: the consequences are decided
    // from the status stored then.
    if let Some(status) = fence::adopt_higher_attempt(snapshot, &roster, &status, now) {
        return plan_change(snapshot, status);
    }
    if let Some((status, event)) = suspend::judge(snapshot, &roster, &status, now) {
        let mut plan = plan_change(snapshot, status);
        plan.events.push(event);
        return plan;
    }
    if let Some(status) = queue_clock::judge(snapshot, &roster, &status, now) {
        return plan_change(snapshot, status);
    }
    if snapshot.is_training() {
        let moved = training::judge(snapshot, &roster, &status, now);
        return moved.unwrap_or_else(|| go_on_with_job(snapshot, &roster, status, now));
    }
    let breaches = termination::breaches(snapshot, &roster);
    if let Some(status) =
        termination::terminate_replicas(snapshot, &roster, &breaches, &status, now)
    {
        return plan_change(snapshot, status);
    }
    let mut plan = plan_status(status);
    plan.events.extend(termination::scheduled_events(&breaches));
    plan.events
        .extend(termination::terminated_events(snapshot, &roster));
    plan.wake_at = breaches.iter().map(Breach::due).min();
    go_on(snapshot, &roster, plan, now)
}

fn plan_status(status: PodCliqueSetStatus) -> Plan<PodCliqueSetStatus> {
    Plan {
        status: Some(status),
        ..Plan::default()
    }
}

/// A plan that changes an attempt. Events that follow from a change of the status are posted with the
/// write that shows it, as the next decision finds it stored.
fn plan_change(snapshot: &Snapshot, status: PodCliqueSetStatus) -> Plan<PodCliqueSetStatus> {
    Plan {
        events: update_events::find_events(snapshot, &status),
        ..plan_status(status)
    }
}

fn go_on_with_job(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    status: PodCliqueSetStatus,
    now: Timestamp,
) -> Plan<PodCliqueSetStatus> {
    let mut plan = plan_status(status);
    let kept_until = domain::health::training::kept_until(&snapshot.stored);
    if kept_until.is_some_and(|until| until <= now) {
        plan.wave(vec![ttl::delete(snapshot)]);
        plan.events.push(ttl::expired_event(snapshot));
        return plan;
    }
    plan.events = failures::job_events(snapshot, roster);
    let wakes = training::wake_at(snapshot, roster, now).into_iter();
    plan.wake_at = wakes.chain(kept_until).min();
    go_on(snapshot, roster, plan, now)
}

/// The regular plan: no attempt changed.
fn go_on(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    mut plan: Plan<PodCliqueSetStatus>,
    now: Timestamp,
) -> Plan<PodCliqueSetStatus> {
    plan.wake_at = next_wake(&plan, snapshot, roster, now);
    let problems = invalid_spec::problems(snapshot);
    if let Some(status) = &mut plan.status {
        plan.events
            .extend(ready_events::find_event(snapshot, status, now));
        plan.events
            .extend(update_events::find_events(snapshot, status));
        status
            .last_errors
            .extend(invalid_spec::errors_of(&problems, now));
        let held_up = termination::explain_delay(snapshot, now);
        status.last_errors.extend(held_up);
        let held = compute_domains::explain_held(snapshot, now);
        status.last_errors.extend(held);
    }
    plan.events.extend(invalid_spec::events_of(problems));
    plan.events.extend(missing_revisions::find_events(snapshot));
    plan.wave(fence::plan_terminations(roster));
    if !snapshot.validated.may_act() {
        plan.wave(gangs::plan_started_gangs(snapshot, roster));
        return plan;
    }
    if domain::health::training::is_over(snapshot.stored.status.as_ref()) {
        // A claim that another one replaced, or a domain that somebody deletes, would stay as long as the job.
        plan.wave(claims::plan_removals(snapshot, now));
        plan.wave(compute_domains::plan_removals(snapshot));
        let adopted = adopt::adopt_orphans(snapshot, roster);
        if adopted.is_empty() {
            plan.wave(gangs::plan_started_gangs(snapshot, roster));
        }
        plan.wave(adopted);
        return plan;
    }
    plan.wave(check::plan_checks(snapshot, roster, now));
    plan_objects(&mut plan, snapshot, roster, now);
    plan
}

/// The objects of the set: surplus ones are deleted, missing ones created, the others corrected.
fn plan_objects(
    plan: &mut Plan<PodCliqueSetStatus>,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    let idle = ScaledToZero::of(snapshot, roster);
    let expected = roster.layout.gangs(|part| idle.contains(part));
    plan.wave(services::plan_deletions(snapshot));
    plan.wave(services::plan_services(snapshot, &roster.layout));
    plan.wave(claims::plan_removals(snapshot, now));
    plan.wave(claims::plan_claims(snapshot, now));
    plan.wave(compute_domains::plan_removals(snapshot));
    plan.wave(compute_domains::plan_domains(snapshot));
    plan.wave(autoscalers::plan_deletions(snapshot, roster));
    plan.wave(children::plan_deletions(snapshot, roster));
    // A turn brings the newest template only once that is accepted.
    let generation = Some(snapshot.validated.generation_hash());
    let is_accepted = |status: &&PodCliqueSetStatus| status.current_generation_hash == generation;
    let next = plan.status.as_ref().filter(is_accepted);
    let next_turn = next.and_then(|status| update::turn_in(&snapshot.validated.set, status));
    let next_turn = next_turn.map(|turn| turn.replica_index);
    plan.wave(children::plan_children(snapshot, roster, next_turn));
    plan.wave(gangs::plan_deletions(snapshot, &expected));
    if !snapshot.is_suspended() {
        for wave in gangs::plan_placed(snapshot, roster, &expected) {
            plan.wave(wave);
        }
    }
    plan.wave(autoscalers::plan_autoscalers(snapshot, roster));
    // A refused revision holds nothing else up: it is the last.
    plan.wave(revisions::plan_newest(snapshot, roster));
    plan.wave(revisions::plan_deletions(snapshot, roster));
}

/// When the decision may change without an event.
fn next_wake(
    plan: &Plan<PodCliqueSetStatus>,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Option<Timestamp> {
    let patience = stalled::due(status::stored_errors(snapshot), now);
    let pods = snapshot.podcliques.values().flat_map(|c| &c.pods);
    let looks = readiness::next_look(pods.map(AsRef::as_ref), now);
    let turns = plan.status.as_ref();
    let turns = turns.and_then(|status| status::next_change(status, snapshot, roster, now));
    plan.wake_at
        .into_iter()
        .chain(patience)
        .chain(looks)
        .chain(turns)
        .chain(suspend::next_end(snapshot, roster, now))
        .chain(check::next_repeat(snapshot, now))
        .chain(snapshot.claims.holders.next_loss(now, |_| true))
        .min()
}
