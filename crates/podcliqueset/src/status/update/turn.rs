//! Turns: when one ends, and which replica gets the next one (docs/semantics.md §14.2, decision 157).

use std::collections::HashSet;

use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::to_i32;
use crate::observe::Snapshot;
use crate::rollout::{NamedComponent, Progress};

/// The replicas of the set when the turn is decided.
pub(super) struct Replicas<'a> {
    /// The progress of each.
    pub(super) survey: &'a [Progress],
    /// The components of the one in turn, if one has the turn.
    pub(super) in_turn: Option<&'a [NamedComponent]>,
    /// Indexes of those that are available.
    pub(super) available: &'a HashSet<i32>,
    /// Those with a lower index get no turn.
    pub(super) partition: i32,
    /// Whether something will be created from an older revision, though it may be absent now.
    pub(super) awaits_older: &'a dyn Fn() -> bool,
}

impl Replicas<'_> {
    /// A turn ends when its replica is done or gone, and never while a PodClique of it is outdated,
    /// such as one that is about to be adopted. Then the next one begins, or the update ends. While a
    /// replica that ran is down, no turn begins that takes another one down. A replica that lost its
    /// turn to a pause goes on in the first one, also if nothing of it is outdated: its surge has to
    /// go (decision 159). Outdated replicas below the partition keep the update open, and get no turn
    /// (decision 162).
    pub(super) fn move_turn(&self, progress: &mut PcsUpdateProgress, now: Timestamp) {
        let is_any_down = self.is_any_down(progress);
        let turn = progress.currently_updating.first_mut();
        let turn = turn.filter(|turn| turn.update_ended_at.is_none());
        if let Some((turn, components)) = turn.zip(self.in_turn) {
            let replica = self.survey.iter().find(|r| r.index == turn.replica_index);
            let may_waive = !is_any_down && self.goes_on_beside(turn.replica_index);
            let may_pass = |r: &Progress| may_pass(r, turn, components, may_waive);
            if replica.is_some_and(|r| !may_pass(r)) {
                note_room(turn, components, now);
                return;
            }
        }
        let passed = progress.currently_updating.first().map(|t| t.replica_index);
        let waits = |r: &&Progress| self.is_due(r) || (r.is_open && passed != Some(r.index));
        let waiting = || self.survey.iter().filter(waits);
        let order = |r: &&Progress| {
            let is_started = (!r.is_open, !r.is_begun);
            let is_healthy = self.available.contains(&r.index) && !r.is_breached;
            (is_started, r.is_scheduled, is_healthy, r.index)
        };
        progress.currently_updating = waiting()
            .filter(|r| r.is_open || !is_any_down || !self.available.contains(&r.index))
            .min_by_key(order)
            .map(|r| ReplicaUpdateProgress::begin(r.index, Time(now)))
            .into_iter()
            .collect();
        if waiting().next().is_none() && self.is_all_newest() {
            end_update(progress, now);
        }
    }

    /// In a suspended set no replica has the turn: its PodCliques take the templates as they are, and
    /// the update ends with the last one.
    pub(super) fn end_without_turns(&self, progress: &mut PcsUpdateProgress, now: Timestamp) {
        progress.currently_updating.clear();
        if self.is_all_newest() {
            end_update(progress, now);
        }
    }

    /// Whether the update replaces something of the replica.
    fn is_due(&self, replica: &Progress) -> bool {
        replica.is_outdated && replica.index >= self.partition
    }

    /// Whether the update goes on without this replica, or ends. If it rests, the records of the replica
    /// stay open, and give it the next turn.
    fn goes_on_beside(&self, replica: i32) -> bool {
        let mut others = self.survey.iter().filter(|r| r.index != replica);
        others.any(|r| self.is_due(r) || r.is_open) || self.is_all_newest()
    }

    /// Whether nothing has an older template, and nothing will be created from one.
    fn is_all_newest(&self) -> bool {
        let is_any_outdated = self.survey.iter().any(|r| r.is_outdated || r.is_kept);
        !is_any_outdated && !(self.awaits_older)()
    }

    /// Whether fewer are available than were during the update.
    fn is_any_down(&self, progress: &PcsUpdateProgress) -> bool {
        let available = to_i32(self.available.len());
        progress.reached.is_some_and(|reached| available < reached)
    }
}

/// Ends the update: nothing counts from its numbers any more.
pub(super) fn end_update(progress: &mut PcsUpdateProgress, now: Timestamp) {
    progress.currently_updating.clear();
    progress.update_ended_at = Some(Time(now));
    progress.reached = None;
    progress.in_scope_standalone_pod_cliques.clear();
    progress.in_scope_pod_clique_scaling_groups.clear();
}

/// Whether the turn may pass on: all components are done and have stored it, or it was stored that
/// they find no room, and other replicas have got it.
fn may_pass(
    replica: &Progress,
    turn: &ReplicaUpdateProgress,
    components: &[NamedComponent],
    may_waive: bool,
) -> bool {
    let is_replaced = turn.without_room_since.is_some() && may_waive;
    let is_waived = |component: &NamedComponent| {
        is_replaced && component.lacks_room() && component.numbers.surge == 0
    };
    let is_done = |component: &NamedComponent| component.is_done() || is_waived(component);
    let is_closed = !replica.is_open || components.iter().any(is_waived);
    !replica.is_outdated && is_closed && components.iter().all(is_done)
}

/// Stores since when units that have to be there find no room.
fn note_room(turn: &mut ReplicaUpdateProgress, components: &[NamedComponent], now: Timestamp) {
    let is_lacking = components.iter().any(|c| c.numbers.lacks_room());
    let since = turn.without_room_since.take().filter(|_| is_lacking);
    turn.without_room_since = since.or(is_lacking.then_some(Time(now)));
}

/// While the update is held nobody judges whether the pods still find no room, so no termination may
/// follow from it; `terminationDelay` runs anew afterwards.
pub(super) fn forget_lack_of_room(progress: &mut PcsUpdateProgress) {
    if let Some(turn) = progress.currently_updating.first_mut() {
        turn.without_room_since = None;
    }
}

/// `reached` rises with the available replicas, also while the update is held. Scale-in lowers it to
/// those that are available then.
/// An update that an earlier version of the operator began has none, and keeps to no such number.
pub(super) fn note_reached(
    progress: &mut PcsUpdateProgress,
    snapshot: &Snapshot,
    available: &HashSet<i32>,
) {
    let stored = snapshot.stored.status.as_ref().map_or(0, |s| s.replicas);
    let wanted = snapshot.validated.set.spec.replicas;
    progress.reached = progress.reached.map(|before| {
        let kept = if wanted < stored { 0 } else { before };
        kept.max(to_i32(available.len())).min(wanted)
    });
}
