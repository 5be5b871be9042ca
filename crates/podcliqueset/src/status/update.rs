//! Updates: the accepted generation, the replica that has the turn, the progress (docs/semantics.md
//! §14). The consequences of a turn are decided from the stored status.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress};
use api::{LastError, PodCliqueSetStatus};
use domain::health::readiness;
use domain::object::ownership;
use domain::roster::Roster;
use domain::update;
use domain::workload::hash;
use domain::workload::layout::LayoutSlot;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::observe::Snapshot;
use crate::rollout::{self, Newest, Progress};

/// At most this many refusals of an update are listed.
const MAX_REFUSALS: usize = 3;

/// Accepts the newest generation, begins an update, moves the turn, ends the update.
pub(super) fn advance(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    newest: &Newest<'_>,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    if !snapshot.validated.may_act() {
        return;
    }
    let is_changed = accept_generation(next, snapshot);
    if snapshot.is_training() {
        return;
    }
    let survey = rollout::survey(roster, newest);
    let is_on_delete = update::is_on_delete(&snapshot.validated.set);
    let is_any_outdated = survey.iter().any(|r| r.is_outdated);
    let is_running = |p: &PcsUpdateProgress| p.update_ended_at.is_none();
    let runs = next.update_progress.as_ref().is_some_and(is_running);
    if is_changed || (is_any_outdated && !runs && !is_on_delete) {
        // The replica that is being updated is finished first: else a second one would be taken
        // down beside it.
        let turn = next.update_progress.take().map(|p| p.currently_updating);
        next.update_progress = Some(begun(turn.unwrap_or_default(), now));
    }
    let Some(progress) = next.update_progress.as_mut().filter(|p| is_running(p)) else {
        return;
    };
    if is_on_delete {
        progress.currently_updating.clear();
        progress.update_ended_at = Some(Time(now));
    } else if !snapshot.view.is_outdated {
        move_turn(progress, &survey, now);
    }
    count(progress, newest, roster);
}

fn begun(turn: Vec<ReplicaUpdateProgress>, now: Timestamp) -> PcsUpdateProgress {
    PcsUpdateProgress {
        update_started_at: Time(now),
        update_ended_at: None,
        updated_pod_cliques_count: 0,
        total_pod_cliques_count: 0,
        updated_pod_clique_scaling_groups_count: 0,
        total_pod_clique_scaling_groups_count: 0,
        currently_updating: turn,
    }
}

/// Stores the newest generation; returns whether it replaces another one of ours. A generation that
/// another implementation wrote is replaced without an update.
fn accept_generation(next: &mut PodCliqueSetStatus, snapshot: &Snapshot) -> bool {
    let newest = snapshot.validated.generation_hash();
    let before = next.current_generation_hash.as_ref();
    let is_changed = before.is_some_and(|hash| hash::is_ours(hash) && *hash != newest);
    next.current_generation_hash = Some(newest);
    is_changed
}

/// A turn ends when its replica is done or gone. Then the next one begins, or the update ends.
fn move_turn(progress: &mut PcsUpdateProgress, survey: &[Progress], now: Timestamp) {
    let turn = progress.currently_updating.first();
    let turn = turn.filter(|t| t.update_ended_at.is_none());
    let current = turn.and_then(|t| survey.iter().find(|r| r.index == t.replica_index));
    if current.is_some_and(|r| !r.is_done) {
        return;
    }
    let order = |r: &&Progress| (r.is_scheduled, !r.is_breached, r.index);
    let chosen = survey.iter().filter(|r| r.is_outdated).min_by_key(order);
    progress.currently_updating = chosen
        .map(|r| ReplicaUpdateProgress {
            replica_index: r.index,
            update_started_at: Time(now),
            update_ended_at: None,
        })
        .into_iter()
        .collect();
    if chosen.is_none() {
        progress.update_ended_at = Some(Time(now));
    }
}

fn count(progress: &mut PcsUpdateProgress, newest: &Newest<'_>, roster: &Roster<'_>) {
    let to_i32 = |count| i32::try_from(count).unwrap_or(i32::MAX);
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

/// The update that runs, if one does.
pub(super) fn running(next: &PodCliqueSetStatus) -> Option<&PcsUpdateProgress> {
    let progress = next.update_progress.as_ref();
    progress.filter(|p| p.update_ended_at.is_none())
}

/// The refusals that the parts of the replica with the turn got: their deletions and creations are
/// the update.
pub(super) fn refusals(snapshot: &Snapshot, next: &PodCliqueSetStatus) -> Vec<LastError> {
    let turn = update::turn_in(&snapshot.validated.set, next);
    let is_of_turn = |meta| turn.is_some() && ownership::replica_in(snapshot.name(), meta) == turn;
    let cliques = snapshot.podcliques.values().map(|c| &c.podclique);
    let cliques = cliques.filter(|c| is_of_turn(&c.metadata));
    let groups = snapshot
        .children
        .groups
        .iter()
        .filter(|g| is_of_turn(&g.metadata));
    let of_cliques = cliques.filter_map(|c| Some((&c.metadata, &c.status.as_ref()?.last_errors)));
    let of_groups = groups.filter_map(|g| Some((&g.metadata, &g.status.as_ref()?.last_errors)));
    let mut all: Vec<LastError> = of_cliques
        .chain(of_groups)
        .flat_map(|(meta, errors)| readiness::refusals(errors).map(move |(_, e)| (meta, e)))
        .map(|(meta, error)| LastError {
            description: format!("{}: {}", ownership::name(meta), error.description),
            ..error.clone()
        })
        .collect();
    all.sort_by(|a, b| a.description.cmp(&b.description));
    all.truncate(MAX_REFUSALS);
    all
}

/// The progress of the running update, for people.
pub(super) fn tally(next: &PodCliqueSetStatus) -> Option<String> {
    let progress = running(next)?;
    let (updated, wanted) = (next.updated_replicas, next.replicas);
    let turn = progress.currently_updating.first();
    let turn = turn.map_or(String::new(), |turn| {
        format!(", updating replica {}", turn.replica_index)
    });
    Some(format!("{updated}/{wanted} replicas updated{turn}"))
}

/// Condition `UpdateInProgress`, from the conditions of the standalone PodCliques and the groups.
pub(super) fn verdict(next: &PodCliqueSetStatus, roster: &Roster<'_>) -> ConditionUpdate {
    let Some(tally) = tally(next) else {
        return update::no_update();
    };
    let cliques = roster
        .layout
        .replicas
        .iter()
        .flat_map(|r| &r.standalone)
        .filter_map(|part| {
            let status = roster.slot(part).standing()?.podclique.status.as_ref()?;
            conditions::find(&status.conditions, ConditionType::UpdateInProgress)
        });
    let groups = roster.layout.replicas.iter().flat_map(|r| &r.groups);
    let groups = groups.filter_map(|group| {
        let status = roster.group(&group.name)?.status.as_ref()?;
        conditions::find(&status.conditions, ConditionType::UpdateInProgress)
    });
    let stuck: Vec<String> = [
        stuck(cliques, "PodCliques"),
        stuck(groups, "PodCliqueScalingGroups"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (status, reason, message) = if stuck.is_empty() {
        (Status::True, Reason::Progressing, tally)
    } else {
        let message = format!("{}; {tally}", stuck.join(", "));
        (Status::Unknown, Reason::ProgressDeadlineExceeded, message)
    };
    ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status,
        reason,
        message,
    }
}

/// How many of the updated ones have stalled; nothing if none has.
fn stuck<'a>(conditions: impl Iterator<Item = &'a Condition>, what: &str) -> Option<String> {
    let mut rolling = 0_usize;
    let mut stuck = 0_usize;
    for condition in conditions.filter(|c| c.status != "False") {
        rolling = rolling.saturating_add(1);
        stuck = stuck.saturating_add(usize::from(condition.status == "Unknown"));
    }
    (stuck > 0).then(|| format!("{stuck}/{rolling} {what} stuck"))
}
