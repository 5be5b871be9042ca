//! Surge: units beyond `replicas` that exist during a turn (docs/semantics.md §14.7).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use api::podcliqueset::RollingUpdate;
use api::{PodClique, PodCliqueScalingGroup};

use crate::workload::limits;

/// `rollingUpdate.maxSurge` for a standalone clique with this many pods.
pub(super) fn max_surge_of_clique(rolling: Option<&RollingUpdate>, desired: i32) -> i32 {
    let given = rolling.and_then(|rolling| rolling.max_surge).unwrap_or(0);
    given.clamp(0, desired.max(0))
}

/// The same for a group with this many replicas: none where the first surge index would belong to
/// the base gang, as fewer than `minAvailable` were wanted when the turn began.
pub(super) fn max_surge_of_group(
    rolling: Option<&RollingUpdate>,
    desired: i32,
    min_available: i32,
    surge_from: Option<i32>,
) -> i32 {
    if surge_from.map_or(desired, |from| from.max(desired)) < min_available {
        return 0;
    }
    max_surge_of_clique(rolling, desired)
}

/// The indexes of surge units, from the stored `surgeFrom` on: those that may be filled, and those
/// that exist beyond them, as `maxSurge` or `desired` may have been lowered. `surgeFrom` follows
/// `desired` up, and then the first surge units become ordinary ones. Scaled to zero there is none.
fn surge_indexes(
    surge_from: i32,
    desired: i32,
    max_surge: i32,
    existing: impl IntoIterator<Item = i32>,
) -> BTreeSet<i32> {
    if desired == 0 {
        return BTreeSet::new();
    }
    let first = surge_from.max(desired);
    let beyond = existing.into_iter().filter(|index| *index >= first);
    (first..first.saturating_add(max_surge))
        .chain(beyond)
        .collect()
}

/// The indexes of a group's surge replicas, by the record that it stores; empty if it has ended. A
/// record about an older template counts: it is carried over. `existing`: the indexes that have a
/// PodClique.
pub fn surge_of_group<I: IntoIterator<Item = i32>>(
    group: &PodCliqueScalingGroup,
    rolling: Option<&RollingUpdate>,
    existing: impl FnOnce() -> I,
) -> BTreeSet<i32> {
    let status = group.status.as_ref();
    let record = status.and_then(|status| status.update_progress.as_ref());
    let record = record.filter(|record| record.update_ended_at.is_none());
    let Some(from) = record.and_then(|record| record.surge_from) else {
        return BTreeSet::new();
    };
    let replicas = limits::bounded(group.spec.replicas);
    let minimum = group.spec.min_available.unwrap_or(1);
    let max_surge = max_surge_of_group(rolling, replicas, minimum, Some(from));
    surge_indexes(from, replicas, max_surge, existing())
}

/// The indexes of the surge pods of a standalone clique, likewise. `existing`: the indexes that have
/// a pod.
pub fn surge_of_clique<I: IntoIterator<Item = i32>>(
    podclique: &PodClique,
    rolling: Option<&RollingUpdate>,
    existing: impl FnOnce() -> I,
) -> BTreeSet<i32> {
    let status = podclique.status.as_ref();
    let record = status.and_then(|status| status.update_progress.as_ref());
    let record = record.filter(|record| record.update_ended_at.is_none());
    let Some(from) = record.and_then(|record| record.surge_from) else {
        return BTreeSet::new();
    };
    let replicas = podclique.spec.replicas;
    let max_surge = max_surge_of_clique(rolling, replicas);
    surge_indexes(from, replicas, max_surge, existing())
}

/// `surgeFrom` as it is stored next: beyond all indexes that exist when the turn begins.
pub fn next_surge_from(
    stored: Option<i32>,
    desired: i32,
    indexes: impl IntoIterator<Item = i32>,
) -> i32 {
    let highest = indexes.into_iter().max();
    let beyond = highest.map_or(0, |highest| highest.saturating_add(1));
    stored.unwrap_or(beyond).max(desired)
}

/// The numbers of a record that is kept follow `replicas`, as they do in a turn: `reached` down, and
/// `surgeFrom` up. Else units that were scaled out and in again during a pause would count as surge.
pub fn follow_replicas(reached: &mut Option<i32>, surge_from: &mut Option<i32>, desired: i32) {
    *reached = reached.map(|reached| reached.min(desired));
    *surge_from = surge_from.map(|from| from.max(desired));
}

/// The surge units that go now, of those that exist: units that are not available first, then those
/// with the highest index.
pub(super) fn choose_surplus(mut surge: Vec<SurgeUnit>, kept: i32) -> Vec<SurgeUnit> {
    surge.sort_by_key(|unit| (unit.is_available, Reverse(unit.index)));
    let kept = usize::try_from(kept).unwrap_or(0);
    surge.truncate(surge.len().saturating_sub(kept));
    surge
}

/// A surge unit that exists and is not being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurgeUnit {
    /// Its index.
    pub index: i32,
    /// Whether it serves.
    pub is_available: bool,
}

/// The surge of a component in words; `None` where it has none.
pub fn describe_surge(units: Option<i32>, without: Option<&str>) -> Option<String> {
    let units = units.map(|units| format!("surge: {units}"));
    let without = without.map(|reason| format!("goes on without surge: {reason}"));
    match (units, without) {
        (Some(units), Some(without)) => Some(format!("{units}; {without}")),
        (units, without) => units.or(without),
    }
}
