//! The status of a set.

mod accept;
mod attempts;
mod compute_domains;
pub(crate) mod job;
mod leftovers;
mod ready;
mod replica;
mod revisions;
mod suspended;
mod update;

use admission::FieldError;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{LiveReplicas, PodCliqueSetPhase};
use api::{LastError, PodCliqueSetStatus, labels, names};
use domain::health::{stalled, training};
use domain::roster::Roster;
use domain::scheduling::UnsupportedFeature;
use jiff::Timestamp;

pub(crate) use self::accept::may_accept;
use self::replica::{Replica, judge_replica};
pub(crate) use self::update::{end_turn_of_update, names_that_ran, next_change};
use crate::check;
use crate::observe::Snapshot;
use crate::rollout;

/// The status that follows from the observation.
pub fn next_status(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> PodCliqueSetStatus {
    let set = &snapshot.validated.set;
    let before = snapshot.stored.status.clone().unwrap_or_default();
    let last_observed = before.observed_generation;
    let hashed = rollout::hash_templates(snapshot);
    let newest = rollout::newest(&hashed);
    let replicas = roster.layout.replicas.iter();
    let replicas: Vec<Replica> = replicas
        .map(|r| judge_replica(roster, &newest, r, now))
        .collect();
    let count = |claim: &dyn Fn(&Replica) -> bool| {
        i32::try_from(replicas.iter().filter(|r| claim(r)).count()).unwrap_or(i32::MAX)
    };
    let mut next = PodCliqueSetStatus {
        observed_generation: if snapshot.validated.errors.is_empty() {
            set.metadata.generation
        } else {
            observed_of_refused(snapshot, &before)
        },
        last_errors: Vec::new(),
        replicas: set.spec.replicas,
        updated_replicas: count(&|r| r.is_available && r.is_updated),
        available_replicas: count(&|r| r.is_available),
        hpa_pod_selector: Some(format!(
            "{},{}={}",
            labels::MANAGED_SELECTOR,
            labels::PART_OF,
            snapshot.name()
        )),
        phase: Some(next_phase(snapshot, &before)),
        live_replicas: live_replicas(snapshot, roster, &before.live_replicas),
        ..before
    };
    let checked = check::verdict(snapshot, roster, &newest);
    update::advance(&mut next, snapshot, &newest, roster, &checked, now);
    let report = update::Report {
        snapshot,
        roster,
        checked: &checked,
        now,
    };
    report.complete_observed(&mut next, last_observed);
    next.last_errors = update::refusals(snapshot, &next);
    next.last_errors.extend(report.errors(&next));
    set_termination_disabled(&mut next, snapshot, now);
    set_unsupported(&mut next, snapshot, now);
    set_of_pods(&mut next, snapshot, roster, now);
    if snapshot.is_training() {
        job::complete_status(&mut next, snapshot, roster, now);
    } else {
        attempts::note_complete(snapshot, roster, &mut next.replica_attempts);
    }
    set_update_and_ready(&mut next, &report, &replicas);
    next
}

/// `UpdateInProgress`, and `Ready`, which names it where the set is up.
fn set_update_and_ready(
    next: &mut PodCliqueSetStatus,
    report: &update::Report<'_>,
    replicas: &[Replica],
) {
    let (snapshot, now) = (report.snapshot, report.now);
    let is_waiting = report.is_waiting(next);
    let progress = update::describe_check(report.condition(next), is_waiting);
    let ready = ready::ready_condition(snapshot, report.roster, next, replicas, now);
    let ready = update::complete_ready(ready, &progress, next);
    let ready = update::note_check(ready, &progress, is_waiting);
    let generation = snapshot.stored.metadata.generation;
    let refused = update::refused(&ready, &progress);
    set_ready(next, snapshot, ready, refused, now);
    conditions::set(&mut next.conditions, progress, generation, now);
}

/// The status of a set that is over its limits: its objects are not counted.
pub fn over_limits(
    snapshot: &Snapshot,
    errors: &[FieldError],
    now: Timestamp,
) -> PodCliqueSetStatus {
    let before = snapshot.stored.status.clone().unwrap_or_default();
    let mut next = PodCliqueSetStatus {
        observed_generation: observed_of_refused(snapshot, &before),
        last_errors: Vec::new(),
        replicas: snapshot.validated.set.spec.replicas,
        phase: before.phase.or(Some(PodCliqueSetPhase::Pending)),
        ..before
    };
    set_ready(&mut next, snapshot, ready::over_limits(errors), None, now);
    next
}

/// The status of a set that is being deleted; `None` if it is stored already, or if the set never
/// had a condition `Ready`. Its objects are not counted: its pods end as fast as they can.
pub fn of_leaving(snapshot: &Snapshot, now: Timestamp) -> Option<PodCliqueSetStatus> {
    let before = snapshot.stored.status.clone()?;
    let ready = conditions::find(&before.conditions, ConditionType::Ready)?;
    let verdict = ready::of_leaving();
    if ready.reason == verdict.reason.to_string() {
        return None;
    }
    let mut next = PodCliqueSetStatus {
        available_replicas: 0,
        ..before
    };
    let generation = snapshot.stored.metadata.generation;
    stalled::set_ready(&mut next.conditions, verdict, &[], [], generation, now);
    Some(next)
}

/// Conditions `Ready` and, with it, `Stalled`; `refused` if the API server refuses a template.
fn set_ready(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    ready: ConditionUpdate,
    refused: Option<ConditionUpdate>,
    now: Timestamp,
) {
    let cliques = snapshot.podcliques.values();
    let cliques = cliques.filter_map(|c| Some(&*c.podclique.status.as_ref()?.conditions));
    let groups = snapshot.children.groups.iter();
    let groups = groups.filter_map(|g| Some(&*g.status.as_ref()?.conditions));
    let (errors, below) = (stored_errors(snapshot), cliques.chain(groups));
    let generation = snapshot.stored.metadata.generation;
    let stalled = refused.or_else(|| stalled::judge(&ready, errors, below, now));
    stalled::store(&mut next.conditions, ready, stalled, generation, now);
}

/// The refused requests in the stored status.
pub fn stored_errors(snapshot: &Snapshot) -> &[LastError] {
    let status = snapshot.stored.status.as_ref();
    status.map_or(&[], |s| &s.last_errors)
}

/// The observed generation of a refused spec: the present one if the set was acted on before, or if
/// no object exists that a reader could take for its result; else none, so that Dynamo continues to
/// wait and kstatus continues to `Stalled` (decision 102).
fn observed_of_refused(snapshot: &Snapshot, before: &PodCliqueSetStatus) -> Option<i64> {
    let present = snapshot.stored.metadata.generation;
    let is_new = before.current_generation_hash.is_none() && snapshot.podcliques.is_empty();
    present.filter(|_| is_new || before.observed_generation == present)
}

/// Entries of a replica are removed when it is scaled in, and one by one once the PodClique of the
/// current attempt exists.
fn live_replicas(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    before: &[LiveReplicas],
) -> Vec<LiveReplicas> {
    let is_needed = |l: &&LiveReplicas| {
        let name = names::standalone_clique(snapshot.name(), l.replica, &l.clique);
        l.replica < snapshot.validated.set.spec.replicas
            && roster.slot_named(&name).standing().is_none()
    };
    before.iter().filter(is_needed).cloned().collect()
}

/// Invalid delays only exist in objects that bypassed the API server's checks; nothing is deleted
/// because of them.
fn set_termination_disabled(next: &mut PodCliqueSetStatus, snapshot: &Snapshot, now: Timestamp) {
    let reasons: Vec<String> = snapshot
        .validated
        .invalid_delays
        .iter()
        .map(ToString::to_string)
        .collect();
    let type_ = ConditionType::GangTerminationDisabled;
    let verdict = (!reasons.is_empty()).then(|| ConditionUpdate {
        type_,
        status: Status::True,
        reason: Reason::InvalidTerminationDelay,
        message: reasons.join("; "),
    });
    let generation = snapshot.stored.metadata.generation;
    conditions::set_or_remove(&mut next.conditions, type_, verdict, generation, now);
}

/// Conditions about pods that go, or have not gone.
fn set_of_pods(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    leftovers::set_leftovers(next, snapshot, roster, now);
    suspended::set_suspended(next, snapshot, roster, now);
}

fn set_unsupported(next: &mut PodCliqueSetStatus, snapshot: &Snapshot, now: Timestamp) {
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    let unsupported = snapshot.scheduler.unsupported.as_ref();
    let verdict = unsupported.map(UnsupportedFeature::condition).or_else(|| {
        let set = &snapshot.validated.set;
        let nodes = snapshot.topology.report_unreadable_nodes(set);
        nodes.or_else(|| compute_domains::report_disabled(snapshot))
    });
    let generation = snapshot.stored.metadata.generation;
    conditions::set_or_remove(&mut next.conditions, type_, verdict, generation, now);
    set_topology_levels(next, snapshot, now);
}

fn set_topology_levels(next: &mut PodCliqueSetStatus, snapshot: &Snapshot, now: Timestamp) {
    let type_ = ConditionType::TopologyLevelsUnavailable;
    let verdict = snapshot.topology.judge_levels(&snapshot.validated.set);
    let generation = snapshot.stored.metadata.generation;
    conditions::set_or_remove(&mut next.conditions, type_, verdict, generation, now);
}

/// A terminal phase never changes, and a job that is being given up keeps its phase.
fn next_phase(snapshot: &Snapshot, before: &PodCliqueSetStatus) -> PodCliqueSetPhase {
    let kept = before
        .phase
        .filter(|_| snapshot.is_training() && training::is_over(Some(before)));
    let mut pods = snapshot.podcliques.values().flat_map(|c| &c.pods);
    let is_job = snapshot.is_training() && !snapshot.is_suspended();
    kept.unwrap_or_else(|| {
        // Between the end of its last pod and the verdict a job does not become pending again.
        if pods.any(|p| p.is_running() || (is_job && p.is_completed())) {
            PodCliqueSetPhase::Running
        } else {
            PodCliqueSetPhase::Pending
        }
    })
}
