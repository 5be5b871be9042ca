//! The status of an update: its progress, and whether it has stalled (docs/semantics.md §14.6).

use api::PodCliqueStatus;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::podclique::PclqUpdateProgress;
use domain::update::{self, Advance, Component, Record, Stage};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::observe::{SetFacts, Snapshot};
use crate::rollout;

/// The record of the running or last update. `before` is the stored status, `next` has the present
/// counts. While the update is held, or no replica has the turn, an open record is kept.
pub(super) fn progress(
    snapshot: &Snapshot,
    before: &PodCliqueStatus,
    next: &PodCliqueStatus,
    now: Timestamp,
) -> Option<PclqUpdateProgress> {
    let stored = before.update_progress.clone();
    let set = snapshot.set.as_ref();
    let Some(set) = set.filter(|set| !set.update.keeps_records) else {
        return stored.map(|record| kept(record, snapshot));
    };
    let goal = set.generation_hash.clone().zip(set.template_hash.clone());
    let Some((generation, template)) = goal else {
        return stored;
    };
    let known = snapshot.update_progress().cloned();
    if known.is_none() && !begins(snapshot, set, before, &generation) {
        // Not this clique's turn yet: a newer generation ends the update recorded here.
        return stored.map(|p| ended(p, snapshot, now));
    }
    let earlier = stored.as_ref().filter(|_| known.is_none());
    let carried = earlier.map(|record| pass_on(record, snapshot));
    let begun = || PclqUpdateProgress::begin(generation, template, Time(now));
    let mut progress = known.unwrap_or_else(begun);
    if let Some(carried) = carried {
        progress.reached = carried.reached;
        progress.surge_from = carried.surge_from;
        progress.without_surge = carried.without_surge.map(str::to_owned);
        progress.waiting_since = carried.waiting_since.cloned();
    }
    let goes_on = snapshot.is_updating() && !snapshot.is_grouped() && {
        let component = count(&mut progress, snapshot, now);
        !component.is_done()
    };
    if goes_on {
        update::resume(
            &mut progress.update_ended_at,
            &mut progress.last_progress_time,
            &before.conditions,
            now,
        );
    }
    advance(&mut progress, snapshot, before, next, now);
    Some(if goes_on {
        progress
    } else {
        ended(progress, snapshot, now)
    })
}

/// The numbers with which the record of a newer template begins: the template changes nothing in the
/// number of pods that have to stay.
fn pass_on<'a>(record: &'a PclqUpdateProgress, snapshot: &Snapshot) -> Record<'a> {
    let set = snapshot.set.as_ref();
    let turn = set.and_then(|set| set.update.turn_started_at.as_ref());
    let is_over_quota = update::is_over_quota(crate::status::stored_errors(snapshot));
    let minimum = rollout::minimum(snapshot);
    Record::from(record).pass_on(turn, minimum, is_over_quota)
}

/// Stores the numbers that the budget counts from, and returns them all.
fn count(progress: &mut PclqUpdateProgress, snapshot: &Snapshot, now: Timestamp) -> Component {
    let pods = rollout::staged(snapshot, now);
    let mut component = Component {
        reached: progress.reached,
        is_without_surge: progress.without_surge.is_some(),
        ..rollout::component(snapshot, &pods, now)
    };
    component.reached = component.next_reached();
    progress.reached = component.reached;
    // The index of a terminating pod is not free.
    let indexes = snapshot.pods.iter().filter_map(|pod| pod.index());
    let from = update::next_surge_from(progress.surge_from, component.desired, indexes);
    progress.surge_from = component.has_surge().then_some(from);
    let waiting = progress.waiting_since.take();
    let all = snapshot.pods.iter().map(AsRef::as_ref);
    let waiting_pods = all.filter(|pod| update::waits_for_node(pod));
    let lacks_surge = component.lacks_surge() && !snapshot.is_turn_without_surge();
    let lacking = rollout::find_lacking_quota(snapshot).filter(|_| lacks_surge);
    let of_gang = || {
        let gang = lacking.as_ref()?.gang;
        Some(update::next_wait_of(waiting.as_ref(), gang, now))
    };
    progress.waiting_since = update::next_waiting(waiting.as_ref(), waiting_pods, now)
        .or_else(of_gang)
        .filter(|_| component.needs_room());
    let errors = crate::status::stored_errors(snapshot);
    component.is_short_of_room = update::is_short(progress.waiting_since.as_ref(), errors, now);
    progress.without_surge = component.gives_surge_up().then(|| {
        let (stored, waiting) = (progress.without_surge.take(), &progress.waiting_since);
        let pods = snapshot.pods.iter().map(AsRef::as_ref);
        let words = lacking.map(|lacking| lacking.words);
        let explain = || update::explain_no_room(waiting.as_ref(), pods, errors);
        stored.or(words).unwrap_or_else(explain)
    });
    component
}

/// Whether an update of this clique begins: on its replica's turn, or, if pods are only replaced
/// when a user deletes them, as soon as the template changed.
fn begins(snapshot: &Snapshot, set: &SetFacts, before: &PodCliqueStatus, generation: &str) -> bool {
    let current = before.current_pod_clique_set_generation_hash.as_deref();
    let is_newest = current.is_none() || current == Some(generation);
    let is_meant = !snapshot.is_grouped() && snapshot.is_updating();
    is_meant || (set.update.is_on_delete && !is_newest)
}

fn kept(mut record: PclqUpdateProgress, snapshot: &Snapshot) -> PclqUpdateProgress {
    let desired = snapshot.podclique.spec.replicas;
    update::follow_replicas(&mut record.reached, &mut record.surge_from, desired);
    record
}

/// The numbers of the budget, and the wait for room by which it may be done, count until the turn is
/// over.
fn ended(
    mut progress: PclqUpdateProgress,
    snapshot: &Snapshot,
    now: Timestamp,
) -> PclqUpdateProgress {
    progress.update_ended_at.get_or_insert(Time(now));
    progress.surge_from = None;
    progress.without_surge = None;
    let is_in_turn = snapshot.is_updating();
    progress.reached = progress.reached.filter(|_| is_in_turn);
    progress.waiting_since = progress.waiting_since.filter(|_| is_in_turn);
    progress
}

fn advance(
    progress: &mut PclqUpdateProgress,
    snapshot: &Snapshot,
    before: &PodCliqueStatus,
    next: &PodCliqueStatus,
    now: Timestamp,
) {
    let with_surge = |status: &PodCliqueStatus| {
        let surge = status.surge_replicas.unwrap_or(0);
        status.updated_replicas.saturating_add(surge)
    };
    let stored = Advance {
        updated: with_surge(before),
        ready: progress.updated_ready_replicas.unwrap_or_default(),
    };
    let present = Advance {
        updated: with_surge(next),
        ready: updated_ready(snapshot, now),
    };
    let last = progress.last_progress_time.as_ref();
    progress.last_progress_time = Some(present.last_progress(stored, last, now));
    progress.updated_ready_replicas = Some(present.ready);
}

/// The number of pods that count as updated for this clique; in a group every Ready one counts.
fn updated_ready(snapshot: &Snapshot, now: Timestamp) -> i32 {
    let staged = rollout::staged(snapshot, now);
    let is_surge = rollout::surge_of(snapshot);
    let updated = staged
        .iter()
        .filter(|(pod, stage)| *stage == Stage::Updated && !is_surge(pod));
    i32::try_from(updated.count()).unwrap_or(i32::MAX)
}

/// When something of the update changes if nothing happens: a pod's stage, or the report.
pub(crate) fn next_update_change(
    snapshot: &Snapshot,
    next: &PodCliqueStatus,
    now: Timestamp,
) -> Option<Timestamp> {
    let deadline = update_deadline(snapshot, next).filter(|at| *at > now);
    deadline
        .into_iter()
        .chain(rollout::next_change(snapshot, now))
        .min()
}

/// When the update is reported to make no progress.
fn update_deadline(snapshot: &Snapshot, next: &PodCliqueStatus) -> Option<Timestamp> {
    let running = running(snapshot, next)?;
    update::deadline_at(
        snapshot.rolling_update(),
        running.last_progress_time.as_ref(),
    )
}

fn running<'a>(snapshot: &Snapshot, next: &'a PodCliqueStatus) -> Option<&'a PclqUpdateProgress> {
    let progress = next.update_progress.as_ref();
    let may_advance = snapshot.is_updating() && !snapshot.is_update_resting();
    progress.filter(|p| may_advance && p.update_ended_at.is_none())
}

/// Condition `UpdateInProgress`; cliques of a group follow their group.
pub(super) fn verdict(
    snapshot: &Snapshot,
    next: &PodCliqueStatus,
    now: Timestamp,
) -> ConditionUpdate {
    if snapshot.is_grouped() {
        let group = snapshot.set.as_ref().and_then(|s| s.update.group.as_ref());
        return group.map_or_else(update::no_update, of_group);
    }
    let Some(progress) = running(snapshot, next) else {
        return update::no_update();
    };
    let wanted = snapshot.podclique.spec.replicas;
    let ready = progress.updated_ready_replicas.unwrap_or_default();
    let tally = format!("{ready}/{wanted} pods updated and ready");
    let worst = snapshot.explain_new_pods(now);
    let surge = update::describe_surge(next.surge_replicas, progress.without_surge.as_deref());
    let parts = [Some(tally), surge, worst];
    let tally = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    update::verdict(&tally, update_deadline(snapshot, next), now)
}

fn of_group(condition: &Condition) -> ConditionUpdate {
    let status = match condition.status.as_str() {
        "True" => Status::True,
        "Unknown" => Status::Unknown,
        _ => Status::False,
    };
    ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status,
        reason: condition.reason.parse().unwrap_or(Reason::NoActiveUpdate),
        message: condition.message.clone(),
    }
}
