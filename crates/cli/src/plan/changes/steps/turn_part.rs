//! A clique or group in the turn of a replica.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use domain::update::{self, Component};

use super::batches::{Batch, Share};
use super::coherent::PlannedShare;
use super::collect::Collector;
use super::whole_turn::Size;

/// A clique or group in the turn of a replica.
pub(super) struct TurnPart<'a> {
    name: &'a str,
    numbers: Component,
    /// Its units without those that a partition keeps.
    total: i32,
    /// Those of them that were new before.
    pub(super) new: i32,
}

impl Collector {
    /// The cliques and groups that go together in the turn of these batches.
    pub(super) fn parts_of_turn(
        &self,
        turn: &[&Batch],
        scope: &BTreeSet<&str>,
    ) -> Vec<TurnPart<'_>> {
        let Some(replica) = turn.first().map(|batch| batch.replica) else {
            return Vec::new();
        };
        let replaced = |name: &str| {
            let counts = turn.iter().map(|batch| batch.count(name));
            counts.sum::<i32>()
        };
        let parts = update::components_of(&self.set.spec.template)
            .filter(|component| scope.contains(component.name) || replaced(component.name) > 0)
            .map(|component| {
                let numbers = self.numbers_of(&component, replica);
                let kept = component.partition().min(numbers.desired);
                let total = numbers.desired.saturating_sub(kept);
                TurnPart {
                    name: component.name,
                    numbers,
                    total,
                    new: total.saturating_sub(replaced(component.name)).max(0),
                }
            });
        parts.filter(|part| part.total > 0).collect()
    }

    /// The other cliques and groups that have units in the replica of these batches. The update
    /// does not change them, or a partition keeps all of them: their part of the base gang stays.
    pub(super) fn names_beside(&self, parts: &[TurnPart<'_>], turn: &[&Batch]) -> Vec<String> {
        let Some(replica) = turn.first().map(|batch| batch.replica) else {
            return Vec::new();
        };
        let is_part = |name: &str| parts.iter().any(|part| part.name == name);
        update::components_of(&self.set.spec.template)
            .filter(|component| !is_part(component.name))
            .filter(|component| self.numbers_of(component, replica).desired > 0)
            .map(|component| component.name.to_owned())
            .collect()
    }
}

impl TurnPart<'_> {
    pub(super) fn size(&self) -> Size<'_> {
        Size {
            name: self.name,
            total: self.total,
            minimum: self.minimum(),
        }
    }

    /// The number of its units in the batch.
    pub(super) fn count(&self, batch: &Batch) -> i32 {
        batch.count(self.name)
    }

    fn minimum(&self) -> i32 {
        self.numbers.minimum.max(1)
    }

    /// Whether its units in the batch are all those that the base gang requires.
    fn is_base_gang(&self, batch: &Batch) -> bool {
        let share = batch.shares.get(self.name);
        let is_low = |share: &Share| share.indexes.iter().all(|k| *k < self.minimum());
        self.count(batch) == self.minimum() && share.is_some_and(is_low)
    }

    /// The number of available units that the batch leaves at least: beside surge, as many as ran.
    fn floor(&self, share: &Share, is_without_surge: bool) -> i32 {
        let surge = if is_without_surge {
            0
        } else {
            self.numbers.limits.max_surge
        };
        let reached = share.reached.unwrap_or(self.numbers.desired);
        let numbers = Component {
            available: reached.saturating_add(surge),
            reached: Some(reached),
            surge,
            surge_available: surge,
            is_without_surge,
            ..self.numbers
        };
        let deletable = i32::try_from(numbers.deletable()).unwrap_or(i32::MAX);
        numbers.available.saturating_sub(deletable)
    }
}

/// The units of each part in a batch with this number. `kept` has the names of the cliques and
/// groups that stay beside the parts.
pub(super) fn shares_of(
    parts: &[TurnPart<'_>],
    kept: &[String],
    batch: &Batch,
    number: usize,
) -> Vec<PlannedShare> {
    let is_of_base_gang = parts.iter().all(|part| part.is_base_gang(batch));
    let kept: &[String] = if is_of_base_gang { kept } else { &[] };
    let shares = parts.iter().filter_map(|part| {
        let share = batch.shares.get(part.name)?;
        let mut indexes = share.indexes.clone();
        indexes.sort_unstable_by_key(|index| Reverse(*index));
        Some(PlannedShare {
            batch: number,
            component: part.name.to_owned(),
            indexes,
            floor: part.floor(share, batch.is_without_surge),
            replicas: part.numbers.desired,
            is_base_gang: is_of_base_gang && kept.is_empty(),
            base_gang_without: kept.to_vec(),
        })
    });
    shares.collect()
}
