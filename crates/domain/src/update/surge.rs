//! Surge: units beyond `replicas` that exist during a turn (docs/semantics.md §14.7).

use std::cmp::Reverse;
use std::ops::Range;

use api::podcliqueset::RollingUpdate;
use api::{PodClique, PodCliqueScalingGroup};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::workload::limits;

/// `rollingUpdate.maxSurge` for a clique or group with this many units: none where fewer than
/// `minAvailable` are wanted, as the next index of a group would then belong to the base gang.
pub(super) fn max_surge(rolling: Option<&RollingUpdate>, desired: i32, min_available: i32) -> i32 {
    let given = rolling.and_then(|rolling| rolling.max_surge).unwrap_or(0);
    if desired < min_available {
        return 0;
    }
    given.clamp(0, desired.max(0))
}

/// The indexes of surge units, from the stored `surgeFrom` on; empty where none is stored.
/// `surgeFrom` follows `desired` up, and then the first surge units become ordinary ones.
fn surge_indexes(surge_from: Option<i32>, desired: i32, max_surge: i32) -> Range<i32> {
    let first = surge_from.unwrap_or(desired).max(desired);
    let count = surge_from.map_or(0, |_| max_surge);
    first..first.saturating_add(count)
}

/// The indexes of a group's surge replicas, by the record that it stores; empty outside of a turn.
/// A record about an older template counts: it is carried over.
pub fn surge_of_group(
    group: &PodCliqueScalingGroup,
    rolling: Option<&RollingUpdate>,
    is_of_turn: impl FnOnce() -> bool,
) -> Range<i32> {
    let replicas = limits::bounded(group.spec.replicas);
    let max_surge = max_surge(rolling, replicas, group.spec.min_available.unwrap_or(1));
    let status = group.status.as_ref();
    let record = status.and_then(|status| status.update_progress.as_ref());
    let record = record.map(|record| (record.update_ended_at.as_ref(), record.surge_from));
    surge_indexes(open_surge_from(record, is_of_turn), replicas, max_surge)
}

/// The indexes of the surge pods of a standalone clique, likewise.
pub fn surge_of_clique(
    podclique: &PodClique,
    rolling: Option<&RollingUpdate>,
    is_of_turn: impl FnOnce() -> bool,
) -> Range<i32> {
    let spec = &podclique.spec;
    let minimum = spec.min_available.unwrap_or(spec.replicas);
    let max_surge = max_surge(rolling, spec.replicas, minimum);
    let status = podclique.status.as_ref();
    let record = status.and_then(|status| status.update_progress.as_ref());
    let record = record.map(|record| (record.update_ended_at.as_ref(), record.surge_from));
    surge_indexes(
        open_surge_from(record, is_of_turn),
        spec.replicas,
        max_surge,
    )
}

/// `surgeFrom` of a record, given with its end, if it is open and its turn lasts.
fn open_surge_from(
    record: Option<(Option<&Time>, Option<i32>)>,
    is_of_turn: impl FnOnce() -> bool,
) -> Option<i32> {
    let (_, from) = record.filter(|(ended, _)| ended.is_none())?;
    from.filter(|_| is_of_turn())
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
