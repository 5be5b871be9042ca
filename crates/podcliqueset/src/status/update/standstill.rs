//! An update that stands still: its cliques and groups exceed a deadline, or the replica in turn has made
//! no progress for ten minutes and no deadline says how long that may last (docs/semantics.md §14.6,
//! decision 170).

use api::PodCliqueSetStatus;
use api::conditions::{self, ConditionType};
use domain::health::suspension;
use domain::roster::Roster;
use domain::scheduling::quota;
use domain::update;
use domain::workload::layout::Replica;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::report::running;
use super::{is_accepted, queued};
use crate::observe::Snapshot;
use crate::rollout::NamedComponent;

/// A turn without a deadline.
pub(super) struct Standstill {
    /// When it last made progress.
    last: Timestamp,
    /// When its update counts as one that stands, unless it makes progress.
    pub(super) stands_at: Timestamp,
}

impl Standstill {
    /// The report, with the progress of the update, the new pod that is furthest from Ready, and the
    /// remedy.
    pub(super) fn describe(
        &self,
        progress: &str,
        worst: Option<&str>,
        snapshot: &Snapshot,
    ) -> String {
        let worst = worst.filter(|worst| !progress.contains(worst));
        let worst = worst.map_or(String::new(), |worst| format!("; {worst}"));
        let namespace = snapshot.stored.metadata.namespace.as_deref();
        format!(
            "no progress since {:.0}: {progress}{worst}; correct the template, or put the old one back \
             with `kubectl grove undo {} -n {}`; if new pods need longer, set \
             rollingUpdate.progressDeadline",
            self.last,
            snapshot.name(),
            namespace.unwrap_or_default()
        )
    }
}

/// When the update stands still unless it makes progress; none while it is held, while no replica has
/// the turn, while the replica in turn waits for quota, and where a deadline counts. Progress
/// is counted from the turn, from a resume of the set, and from the reservation of quota, too, and the time
/// until it stands from the moment in which the update went on, if that is later.
pub(super) fn find_standstill(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    next: &PodCliqueSetStatus,
    components: &[NamedComponent],
    now: Timestamp,
) -> Option<Standstill> {
    let set = &snapshot.validated.set;
    if update::is_paused(set) || !is_accepted(next, snapshot) {
        return None;
    }
    let began = running(next)?.update_started_at.0;
    let turn = update::turn_in(set, next)?;
    let replica = roster.layout.replica(turn.replica_index)?;
    let gangs = queued::find_gangs(snapshot, roster, replica);
    if queued::is_waiting(snapshot, &gangs, components) {
        return None;
    }
    let last = steps(roster, replica)
        .chain(gangs.iter().filter_map(|gang| quota::reserved_at(gang)))
        .chain(suspension::resumed_at(Some(next)))
        .chain([turn.update_started_at.0])
        .fold(began, Timestamp::max);
    let is_left = |name: &str| components.iter().any(|c| c.name == name && !c.is_done());
    let left = update::components_of(&set.spec.template).filter(|part| is_left(part.name));
    let from = goes_on_since(next, now).map_or(last, |since| since.max(last));
    let stands_at = update::stands_at(left.map(|part| part.rolling), from)?;
    Some(Standstill { last, stands_at })
}

/// Since when the update goes on, by its stored condition: in a pause, with a refused template, and while
/// partitions keep all that is left, it is False. One that is Unknown tells nothing: it changed as the update
/// stood.
pub(super) fn goes_on_since(next: &PodCliqueSetStatus, now: Timestamp) -> Option<Timestamp> {
    let update = conditions::find(&next.conditions, ConditionType::UpdateInProgress)?;
    match update.status.as_str() {
        "False" => Some(now),
        "True" => Some(update.last_transition_time.0),
        _ => None,
    }
}

/// When the cliques and groups of the replica made progress, or ended their updates, as they store it.
fn steps<'a>(
    roster: &'a Roster<'_>,
    replica: &'a Replica<'_>,
) -> impl Iterator<Item = Timestamp> + 'a {
    let cliques = replica.standalone.iter().filter_map(|slot| {
        let podclique = &roster.slot(slot).standing()?.podclique;
        let progress = podclique.status.as_ref()?.update_progress.as_ref()?;
        Some([&progress.last_progress_time, &progress.update_ended_at])
    });
    let groups = replica.groups.iter().filter_map(|group| {
        let status = roster.group(&group.name)?.status.as_ref()?;
        let progress = status.update_progress.as_ref()?;
        Some([&progress.last_progress_time, &progress.update_ended_at])
    });
    let steps = cliques.chain(groups).flatten().flatten();
    steps.map(|at| at.0)
}

/// The standalone PodCliques and the groups whose update exceeds its deadline.
pub(super) fn explain_stuck(roster: &Roster<'_>) -> Option<String> {
    let replicas = || roster.layout.replicas.iter();
    let cliques = replicas().flat_map(|r| &r.standalone).filter_map(|part| {
        let podclique = &roster.slot(part).standing()?.podclique;
        let status = podclique.status.as_ref()?;
        conditions::find(&status.conditions, ConditionType::UpdateInProgress)
    });
    let groups = replicas().flat_map(|r| &r.groups).filter_map(|group| {
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
    (!stuck.is_empty()).then(|| stuck.join(", "))
}

/// How many of the updated ones have stalled, and the report of the first; nothing if none has.
fn stuck<'a>(conditions: impl Iterator<Item = &'a Condition>, what: &str) -> Option<String> {
    let running: Vec<&Condition> = conditions.filter(|c| c.status != "False").collect();
    let mut stuck = running.iter().filter(|c| c.status == "Unknown");
    let first = stuck.next()?;
    let count = stuck.count().saturating_add(1);
    Some(format!(
        "{count}/{} {what} stuck: {}",
        running.len(),
        first.message
    ))
}
