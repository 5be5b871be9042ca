//! Updates of sets: how many are in each state, and for how long the first has made no progress.

use std::sync::Arc;

use api::conditions::{self, ConditionType, Reason};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::health::suspension;
use domain::{Key, update};
use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::registry::Registry;

use super::{ByNamespace, Counts, Seconds, measure_oldest};
use crate::caches::Caches;
use crate::metrics::Largest;

/// The state of an update.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct ByUpdate {
    /// Namespace of the set, if it is one of the largest.
    namespace: String,
    /// `running`, `standing`, `paused`, `partitioned`, `refused`.
    state: &'static str,
}

/// Registers both gauges as of now.
pub(super) fn register(
    registry: &mut Registry,
    caches: &Caches,
    largest: &Largest<'_>,
    now: Timestamp,
) {
    registry.register(
        "updates",
        "Updates of PodCliqueSets by namespace and state",
        count_updates(caches, largest),
    );
    registry.register(
        "update_idle_seconds",
        "For how long the first of the updates that run has made no progress",
        time_idle(caches, largest, now),
    );
}

fn count_updates(caches: &Caches, largest: &Largest<'_>) -> Counts<ByUpdate> {
    let counts = Counts::<ByUpdate>::default();
    for set in caches.of::<PodCliqueSet>().all() {
        if let Some(state) = state_of(&set) {
            let namespace = label_set(&set, largest);
            counts.get_or_create(&ByUpdate { namespace, state }).inc();
        }
    }
    counts
}

fn time_idle(caches: &Caches, largest: &Largest<'_>, now: Timestamp) -> Seconds<ByNamespace> {
    let sets = caches.of::<PodCliqueSet>().all();
    let idle = sets.iter().filter_map(|set| {
        let namespace = label_set(set, largest);
        Some((ByNamespace { namespace }, last_progress(set, caches)?))
    });
    measure_oldest(idle, now)
}

fn label_set(set: &PodCliqueSet, largest: &Largest<'_>) -> String {
    largest.label(set.metadata.namespace.as_deref().unwrap_or_default())
}

fn state_of(set: &PodCliqueSet) -> Option<&'static str> {
    let conditions = &set.status.as_ref()?.conditions;
    let update = conditions::find(conditions, ConditionType::UpdateInProgress)?;
    match update.reason.parse::<Reason>().ok()? {
        Reason::TemplateRefused => Some("refused"),
        Reason::Paused => Some("paused"),
        Reason::Partitioned => Some("partitioned"),
        reason if reason.is_standstill() => Some("standing"),
        Reason::Progressing => Some("running"),
        _ => None,
    }
}

/// When the update last made progress; none if no update runs, if it rests, or if the set is suspended:
/// then its time counts from the resume. One without a turn waits for replicas that are away, and stands
/// all the same.
fn last_progress(set: &Arc<PodCliqueSet>, caches: &Caches) -> Option<Timestamp> {
    let state = state_of(set);
    let status = set.status.as_ref()?;
    let rests = matches!(state, Some("partitioned" | "refused"))
        || update::is_paused(set)
        || suspension::is_stored(status);
    let progress = status.update_progress.as_ref();
    let runs = progress.filter(|progress| progress.update_ended_at.is_none() && !rests)?;
    let turn = update::turn(set).map(|turn| turn.update_started_at.0);
    let began = turn.unwrap_or(runs.update_started_at.0);
    let resumed_at = suspension::resumed_at(Some(status));
    let key = Key::of(&set.metadata);
    let cliques = caches.of::<PodClique>().part_of(&key);
    let of_cliques = cliques.iter().filter_map(|clique| {
        let progress = clique.status.as_ref()?.update_progress.as_ref()?;
        progress.last_progress_time.as_ref().map(|at| at.0)
    });
    let groups = caches.of::<PodCliqueScalingGroup>().part_of(&key);
    let of_groups = groups.iter().filter_map(|group| {
        let progress = group.status.as_ref()?.update_progress.as_ref()?;
        progress.last_progress_time.as_ref().map(|at| at.0)
    });
    let steps = of_cliques.chain(of_groups).chain(resumed_at);
    Some(steps.fold(began, Timestamp::max))
}
