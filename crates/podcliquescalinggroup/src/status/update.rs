//! The status of an update: its progress, and whether it has stalled (docs/semantics.md §14.6).

use api::PodCliqueScalingGroupStatus;
use api::conditions::ConditionUpdate;
use api::podcliquescalinggroup::PcsgUpdateProgress;
use domain::health::training;
use domain::update::{self, Advance, Component, Record};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::observe::Snapshot;
use crate::rollout::{self, Hashed};

/// The record of the running or last update. `before` is the stored status, `next` has the present
/// counts. While the update is held, or no replica has the turn, an open record is kept, and after a switch
/// to `OnDelete` while its surge is needed.
pub(super) fn progress(
    snapshot: &Snapshot,
    hashed: &Hashed<'_>,
    before: &PodCliqueScalingGroupStatus,
    next: &PodCliqueScalingGroupStatus,
    now: Timestamp,
) -> Option<PcsgUpdateProgress> {
    let stored = before.update_progress.clone();
    if snapshot.keeps_records() || needs_surge(snapshot, stored.as_ref(), next) {
        return stored.map(|record| kept(record, snapshot));
    }
    let set = snapshot.owner.as_ref().map(|owner| &owner.set);
    let generation = set.and_then(|s| s.status.as_ref()?.current_generation_hash.clone());
    let Some(generation) = generation else {
        return stored;
    };
    let known = rollout::update_progress(snapshot).cloned();
    let is_on_delete =
        set.is_some_and(|set| update::is_on_delete(set) && !training::is_training(set));
    let current = before.current_pod_clique_set_generation_hash.as_ref();
    let is_edited = is_on_delete && current.is_some_and(|hash| *hash != generation);
    if known.is_none() && !snapshot.is_updating() && !is_edited {
        // Not this group's turn yet: a newer generation ends the update recorded here.
        return stored.map(|p| ended(p, snapshot, now));
    }
    let earlier = stored.as_ref().filter(|_| known.is_none());
    let carried = earlier.map(|record| pass_on(record, snapshot));
    let mut progress = known.unwrap_or_else(|| PcsgUpdateProgress::begin(generation, Time(now)));
    if let Some(carried) = carried {
        progress.reached = carried.reached;
        progress.surge_from = carried.surge_from;
        progress.without_surge = carried.without_surge.map(str::to_owned);
        progress.waiting_since = carried.waiting_since.cloned();
    }
    let goes_on = snapshot.is_updating() && !count(&mut progress, snapshot, hashed, now).is_done();
    if goes_on {
        update::resume(
            &mut progress.update_ended_at,
            &mut progress.last_progress_time,
            &before.conditions,
            now,
        );
    }
    // The turn may have ended before this status was written the last time.
    if snapshot.is_updating() || progress.update_ended_at.is_none() {
        let podcliques = rollout::updated_podcliques(snapshot, hashed);
        advance(&mut progress, podcliques, before, next, now);
    }
    Some(if goes_on {
        progress
    } else {
        ended(progress, snapshot, now)
    })
}

/// Whether surge stands in for replicas that are away, and no turn is left in which it would go once they are
/// back: the strategy was switched to `OnDelete`. At the end of the record it would be surplus.
fn needs_surge(
    snapshot: &Snapshot,
    record: Option<&PcsgUpdateProgress>,
    next: &PodCliqueScalingGroupStatus,
) -> bool {
    let owner = snapshot.owner.as_ref();
    let is_on_delete = owner.is_some_and(|owner| update::is_on_delete(&owner.set));
    let has_surge = next.surge_replicas.is_some_and(|surge| surge > 0);
    let open = record.filter(|record| record.update_ended_at.is_none());
    let reached = open.and_then(|record| record.reached);
    let is_short = reached.is_some_and(|reached| {
        let ran = reached.min(snapshot.replicas());
        next.available_replicas < ran
    });
    is_on_delete && has_surge && is_short && !snapshot.is_suspended()
}

/// The numbers with which the record of a newer template begins: the template changes nothing in the
/// number of group replicas that have to stay.
fn pass_on<'a>(record: &'a PcsgUpdateProgress, snapshot: &Snapshot) -> Record<'a> {
    let turn = rollout::turn(snapshot).map(|turn| &turn.update_started_at);
    let is_over_quota = update::is_over_quota(rollout::errors(snapshot));
    Record::from(record).pass_on(turn, snapshot.min_available(), is_over_quota)
}

/// Stores the numbers that the budget counts from, and returns them all.
fn count(
    progress: &mut PcsgUpdateProgress,
    snapshot: &Snapshot,
    hashed: &Hashed<'_>,
    now: Timestamp,
) -> Component {
    let surveyed = rollout::survey(snapshot, hashed, now);
    let mut component = Component {
        reached: progress.reached,
        limits: rollout::limits(snapshot, progress.surge_from),
        is_without_surge: progress.without_surge.is_some(),
        ..rollout::component(snapshot, &surveyed, now)
    };
    component.reached = component.next_reached();
    progress.reached = component.reached;
    let indexes = snapshot.filled_slots().map(|(j, _)| j);
    let from = update::next_surge_from(progress.surge_from, component.desired, indexes);
    progress.surge_from = component.has_surge().then_some(from);
    let waiting = progress.waiting_since.take();
    let pods = || snapshot.pods.values().flatten().map(AsRef::as_ref);
    let waiting_pods = rollout::waiting_pods(snapshot);
    progress.waiting_since = update::next_waiting(waiting.as_ref(), waiting_pods, now)
        .filter(|_| component.needs_room());
    let waiting = progress.waiting_since.as_ref();
    component.is_short_of_room = rollout::is_short_of_room(snapshot, waiting, now);
    let errors = rollout::errors(snapshot);
    progress.without_surge = component.gives_surge_up().then(|| {
        let stored = progress.without_surge.take();
        stored.unwrap_or_else(|| update::explain_no_room(waiting, pods(), errors))
    });
    component
}

fn kept(mut record: PcsgUpdateProgress, snapshot: &Snapshot) -> PcsgUpdateProgress {
    let desired = snapshot.replicas();
    update::follow_replicas(&mut record.reached, &mut record.surge_from, desired);
    record
}

/// The numbers of the budget, and the wait for room by which it may be done, count until the turn is
/// over.
fn ended(
    mut progress: PcsgUpdateProgress,
    snapshot: &Snapshot,
    now: Timestamp,
) -> PcsgUpdateProgress {
    progress.update_ended_at.get_or_insert(Time(now));
    progress.surge_from = None;
    progress.without_surge = None;
    let is_in_turn = snapshot.is_updating();
    progress.reached = progress.reached.filter(|_| is_in_turn);
    progress.waiting_since = progress.waiting_since.filter(|_| is_in_turn);
    progress
}

fn advance(
    progress: &mut PcsgUpdateProgress,
    (updated, total): (i32, i32),
    before: &PodCliqueScalingGroupStatus,
    next: &PodCliqueScalingGroupStatus,
    now: Timestamp,
) {
    let surge = |status: &PodCliqueScalingGroupStatus| status.surge_replicas.unwrap_or(0);
    let stored = Advance {
        updated: progress
            .updated_pod_cliques_count
            .saturating_add(surge(before)),
        ready: before.updated_replicas,
    };
    let present = Advance {
        updated: updated.saturating_add(surge(next)),
        ready: next.updated_replicas,
    };
    let last = progress.last_progress_time.as_ref();
    progress.last_progress_time = Some(present.last_progress(stored, last, now));
    progress.updated_pod_cliques_count = updated;
    progress.total_pod_cliques_count = total;
}

/// When the update is reported to make no progress.
pub fn update_deadline(
    snapshot: &Snapshot,
    next: &PodCliqueScalingGroupStatus,
) -> Option<Timestamp> {
    let running = running(snapshot, next)?;
    let rolling = snapshot.config()?.rolling_update.as_ref();
    update::deadline_at(rolling, running.last_progress_time.as_ref())
}

fn running<'a>(
    snapshot: &Snapshot,
    next: &'a PodCliqueScalingGroupStatus,
) -> Option<&'a PcsgUpdateProgress> {
    let progress = next.update_progress.as_ref();
    let may_advance = snapshot.is_updating() && !snapshot.is_update_resting();
    progress.filter(|p| may_advance && p.update_ended_at.is_none())
}

/// Condition `UpdateInProgress`.
pub(super) fn verdict(
    snapshot: &Snapshot,
    next: &PodCliqueScalingGroupStatus,
    now: Timestamp,
) -> ConditionUpdate {
    let Some(running) = running(snapshot, next) else {
        return update::no_update();
    };
    let (updated, wanted) = (next.updated_replicas, snapshot.replicas());
    let tally = format!("{updated}/{wanted} group replicas updated and available");
    let surge = update::describe_surge(next.surge_replicas, running.without_surge.as_deref());
    let tally = surge.map_or(tally.clone(), |surge| format!("{tally}; {surge}"));
    update::verdict(&tally, update_deadline(snapshot, next), now)
}
