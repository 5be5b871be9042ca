//! The units of a clique or group in turn, by index, without surge and without those that a partition
//! keeps.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use domain::update::{self, OldUnit, Stage};

/// The units that the update replaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// The old ones, those with the highest index first.
    pub old: Vec<OldUnit>,
    /// The number of new ones.
    pub new: usize,
    /// The number of new ones that have no node yet.
    pub unplaced: usize,
    /// Indexes that have no unit, and get one.
    pub vacant: Vec<i32>,
}

impl Units {
    /// Sorts the units of a component with this many replicas by their stages.
    pub(super) fn of(
        units: impl IntoIterator<Item = (i32, Stage)>,
        surge: &BTreeSet<i32>,
        desired: i32,
        partition: i32,
    ) -> Self {
        let is_real = |(index, stage): &(i32, Stage)| stage.stays() && !surge.contains(index);
        let real: Vec<(i32, Stage)> = units.into_iter().filter(is_real).collect();
        let existing: BTreeSet<i32> = real.iter().map(|(index, _)| *index).collect();
        let replaced = real.iter().filter(|(index, _)| *index >= partition);
        let (old, new): (Vec<_>, Vec<_>) = replaced.partition(|(_, stage)| stage.is_old());
        let old = old.iter().map(|(index, stage)| OldUnit {
            index: *index,
            is_available: stage.is_available(),
        });
        let mut old: Vec<OldUnit> = old.collect();
        old.sort_by_key(|unit| Reverse(unit.index));
        let mut vacant = update::find_vacant(&existing, desired);
        vacant.retain(|index| *index >= partition);
        Self {
            old,
            new: new.len(),
            unplaced: new
                .iter()
                .filter(|(_, stage)| *stage == Stage::NewUnplaced)
                .count(),
            vacant,
        }
    }

    /// One more than the highest index of an old one; the partition if there is none.
    pub(crate) fn end_of_old(&self, partition: i32) -> i32 {
        let highest = self.old.first();
        highest.map_or(partition, |unit| {
            unit.index.saturating_add(1).max(partition)
        })
    }
}
