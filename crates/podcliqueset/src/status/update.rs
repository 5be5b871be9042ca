//! Updates: the accepted generation, the replica that has the turn, the progress (docs/semantics.md
//! §14). The consequences of a turn are decided from the stored status.

mod absence;
mod coherent;
mod numbers;
mod observed;
mod partition;
mod queued;
mod report;
mod standstill;
mod trouble;
mod turn;
mod vacancies;
mod waiting;

use std::collections::HashSet;

use api::PodCliqueSetStatus;
use api::podcliqueset::PcsUpdateProgress;
use domain::health::suspension;
use domain::roster::Roster;
use domain::update;
use domain::workload::layout::LayoutSlot;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::accept::accept_generation;
use super::revisions::{awaits_older, end_turn, note_revisions};
use crate::check::Verdict;
use crate::observe::Snapshot;
use crate::rollout::{self, Newest, Progress, Turn};

pub(super) use self::report::{Report, complete_ready, refusals, refused};
pub(super) use self::waiting::{describe_check, note_check};

/// A paused turn waits this long for its starting pods.
const PAUSE_PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// Accepts the newest generation, begins an update, moves the turn, ends the update.
pub(super) fn advance(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    checked: &Verdict,
    now: Timestamp,
) {
    if !snapshot.validated.may_act() {
        return;
    }
    let replaced = accept_generation(next, snapshot, checked);
    if !snapshot.is_training() {
        run_update(next, snapshot, newest, roster, replaced.as_deref(), now);
    }
    note_revisions(next, snapshot, roster, replaced.as_deref());
}

fn run_update(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    replaced: Option<&str>,
    now: Timestamp,
) {
    note_pause(next, snapshot, now);
    let survey = rollout::survey(snapshot, roster, newest);
    let is_paused = update::is_paused(&snapshot.validated.set);
    let goes_on = !is_paused && is_accepted(next, snapshot);
    if goes_on {
        begin_if_due(next, snapshot, &survey, replaced.is_some(), now);
        coherent::note_scope(next, snapshot, newest, roster, replaced);
    }
    let Some(progress) = next.update_progress.as_mut().filter(|p| is_running(p)) else {
        return;
    };
    let available = rollout::available_replicas(roster, now);
    turn::note_reached(progress, snapshot, &available);
    if !goes_on {
        turn::forget_lack_of_room(progress);
    }
    if update::is_refused(&snapshot.validated.set) {
        vacancies::release_all(progress);
    }
    if is_paused {
        end_paused_turn(next, snapshot, roster, now);
    } else if goes_on {
        go_on(next, snapshot, newest, roster, (&survey, &available), now);
    }
}

fn is_running(progress: &PcsUpdateProgress) -> bool {
    progress.update_ended_at.is_none()
}

/// Whether the status about to be stored has the newest generation.
fn is_accepted(next: &PodCliqueSetStatus, snapshot: &Snapshot) -> bool {
    next.current_generation_hash == Some(snapshot.validated.generation_hash())
}

/// Begins an update if the templates changed, or if something of an older template is found.
fn begin_if_due(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    survey: &[Progress],
    is_changed: bool,
    now: Timestamp,
) {
    let is_on_delete = update::is_on_delete(&snapshot.validated.set);
    let is_any_outdated = survey.iter().any(|r| r.is_outdated || r.is_kept);
    let runs = next.update_progress.as_ref().is_some_and(is_running);
    if is_changed || (is_any_outdated && !runs && !is_on_delete) {
        // The replica that is being updated is finished first: else a second one would be taken
        // down beside it.
        let before = next.update_progress.take();
        next.update_progress = Some(begin(before, now));
    }
}

/// Moves the turn, ends the update.
fn go_on(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    (survey, available): (&[Progress], &HashSet<i32>),
    now: Timestamp,
) {
    let before = turn_of(next, snapshot, newest, roster, now)
        .map(|turn| (turn.stored.replica_index, turn.components()));
    let turn = before.as_ref().map(|(replica, _)| *replica);
    let is_suspended = suspension::is_stored(next);
    let entries = &next.replica_revisions;
    let awaits_older = || awaits_older(entries, turn, snapshot, roster);
    let Some(progress) = next.update_progress.as_mut().filter(|p| is_running(p)) else {
        return;
    };
    if update::is_on_delete(&snapshot.validated.set) {
        turn::end_update(progress, now);
    } else if !snapshot.view.is_outdated {
        let replicas = turn::Replicas {
            survey,
            in_turn: before.as_ref().map(|(_, components)| &**components),
            available,
            partition: update::partition(&snapshot.validated.set),
            awaits_older: &awaits_older,
        };
        if is_suspended {
            replicas.end_without_turns(progress, now);
        } else {
            replicas.move_turn(progress, now);
        }
    }
    count(progress, newest, roster);
    let turn = update::turn_in(&snapshot.validated.set, next).map(|turn| turn.replica_index);
    if let Some((replica, components)) = before.filter(|(i, _)| turn != Some(*i)) {
        let entries = &mut next.replica_revisions;
        end_turn(entries, snapshot, newest, replica, &components);
    }
    vacancies::hold_vacant(next, snapshot, newest, roster, now);
    coherent::plan_step(next, snapshot, newest, roster, now);
}

/// The turn in a status that is about to be stored.
pub(super) fn turn_of<'a>(
    next: &'a PodCliqueSetStatus,
    snapshot: &'a Snapshot,
    newest: &'a Newest<'a>,
    roster: &'a Roster<'a>,
    now: Timestamp,
) -> Option<Turn<'a>> {
    Some(Turn {
        snapshot,
        roster,
        newest,
        generation: next.current_generation_hash.as_deref()?,
        stored: update::turn_in(&snapshot.validated.set, next)?,
        now,
    })
}

fn note_pause(next: &mut PodCliqueSetStatus, snapshot: &Snapshot, now: Timestamp) {
    let is_paused = update::is_paused(&snapshot.validated.set);
    if let Some(progress) = next.update_progress.as_mut().filter(|p| is_running(p)) {
        let since = progress.paused_since.take().filter(|_| is_paused);
        progress.paused_since = since.or(is_paused.then_some(Time(now)));
    }
}

/// Ends the turn of a paused update once nothing of it is starting or has to return, so that gang
/// termination works in that replica again. A pod in a crash loop is starting for ever: then time ends
/// the turn.
fn end_paused_turn(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    let hashed = rollout::hash_accepted(snapshot, next.current_generation_hash.as_deref());
    let newest = &rollout::newest(&hashed);
    let Some(turn) = turn_of(next, snapshot, newest, roster, now) else {
        return;
    };
    let (replica, components) = (turn.stored.replica_index, turn.components());
    let is_any_starting = components.iter().any(|c| c.numbers.starting > 0);
    let is_late = pause_ends_at(next).is_some_and(|end| end <= now);
    let must_return = !turn.stored.must_return.is_empty();
    let is_under_way = is_any_starting || must_return;
    let may_end = !snapshot.view.is_outdated && (!is_under_way || is_late);
    if let Some(progress) = next.update_progress.as_mut() {
        if may_end {
            progress.currently_updating.clear();
        }
        count(progress, newest, roster);
    }
    if may_end {
        let entries = &mut next.replica_revisions;
        end_turn(entries, snapshot, newest, replica, &components);
    }
}

/// Ends the turn, whatever it is about to do: the set is being suspended.
pub(crate) fn end_turn_of_update(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    let hashed = rollout::hash_accepted(snapshot, next.current_generation_hash.as_deref());
    let newest = &rollout::newest(&hashed);
    let Some(turn) = turn_of(next, snapshot, newest, roster, now) else {
        return;
    };
    let (replica, components) = (turn.stored.replica_index, turn.components());
    if let Some(progress) = next.update_progress.as_mut() {
        progress.currently_updating.clear();
    }
    let entries = &mut next.replica_revisions;
    end_turn(entries, snapshot, newest, replica, &components);
}

fn pause_ends_at(next: &PodCliqueSetStatus) -> Option<Timestamp> {
    let since = next.update_progress.as_ref()?.paused_since.as_ref()?;
    since.0.checked_add(PAUSE_PATIENCE).ok()
}

/// When the update has to be looked at again if nothing happens.
pub(crate) fn next_change(
    status: &PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Option<Timestamp> {
    let progress = status.update_progress.as_ref().filter(|p| is_running(p))?;
    if progress.currently_updating.is_empty() {
        let absence = absence::find_absence(snapshot, roster, status, now);
        let stands = absence
            .map(|absence| absence.stands_at)
            .filter(|at| *at > now);
        let available = rollout::next_available_at(roster, now);
        return stands.into_iter().chain(available).min();
    }
    let hashed = rollout::hash_accepted(snapshot, status.current_generation_hash.as_deref());
    let newest = rollout::newest(&hashed);
    let turn = turn_of(status, snapshot, &newest, roster, now)?;
    let components = turn.components();
    let standstill = standstill::find_standstill(snapshot, roster, status, &components, now);
    let stands = standstill
        .map(|standstill| standstill.stands_at)
        .filter(|at| *at > now);
    let changes = components.into_iter().filter_map(|c| c.next_change);
    // Other replicas may have got its room.
    let lacks_room = turn.stored.without_room_since.is_some();
    let others = lacks_room.then(|| rollout::next_available_at(roster, now));
    let changes = changes.chain(others.flatten());
    let pause = pause_ends_at(status).filter(|end| *end > now);
    changes.chain(pause).chain(stands).min()
}

/// The cliques and groups of the replica in turn of which a unit was available since the turn began,
/// or that have to return already.
pub(crate) fn names_that_ran(
    status: &PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) -> Vec<String> {
    let hashed = rollout::hash_templates(snapshot);
    let newest = rollout::newest(&hashed);
    let turn = turn_of(status, snapshot, &newest, roster, now);
    let components = turn.map(|turn| turn.components()).unwrap_or_default();
    components
        .into_iter()
        .filter(|c| c.numbers.must_return || c.numbers.reached.unwrap_or(0) > 0)
        .map(|c| c.name)
        .collect()
}

/// An update that begins. One that runs already passes on its turn and its reach; the steps of the
/// turn are planned anew.
fn begin(before: Option<PcsUpdateProgress>, now: Timestamp) -> PcsUpdateProgress {
    let running = before.filter(is_running);
    let (mut turn, reached) = running.map_or((Vec::new(), Some(0)), |progress| {
        (progress.currently_updating, progress.reached)
    });
    for replica in &mut turn {
        replica.targets.clear();
    }
    PcsUpdateProgress {
        currently_updating: turn,
        reached,
        ..PcsUpdateProgress::begin(Time(now))
    }
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn count(progress: &mut PcsUpdateProgress, newest: &Newest<'_>, roster: &Roster<'_>) {
    let is_updated = |part: &LayoutSlot<'_>| {
        let found = roster.slot(part).standing();
        found.is_some_and(|seen| !rollout::is_outdated(newest, part.clique, seen))
    };
    let standalone = || roster.layout.replicas.iter().flat_map(|r| &r.standalone);
    let groups = || roster.layout.replicas.iter().flat_map(|r| &r.groups);
    let updated_groups = groups().filter(|group| {
        let mut parts = group.replicas.iter().flat_map(|r| &r.cliques);
        parts.all(is_updated)
    });
    progress.total_pod_cliques_count = to_i32(standalone().count());
    progress.updated_pod_cliques_count = to_i32(standalone().filter(|p| is_updated(p)).count());
    progress.total_pod_clique_scaling_groups_count = to_i32(groups().count());
    progress.updated_pod_clique_scaling_groups_count = to_i32(updated_groups.count());
}
