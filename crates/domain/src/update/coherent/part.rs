//! A clique or group that a coherent update changes, and how much of it may be replaced.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::update::Component;

/// A clique or group that the update changes, in the replica that has the turn. Surge units, and
/// those below its partition, are not among its units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name in the template.
    pub name: String,
    /// Its numbers.
    pub numbers: Component,
    /// The old units that are not being deleted, those with the highest index first.
    pub old: Vec<OldUnit>,
    /// The number of new units that are not being deleted.
    pub new: i32,
    /// Those of them that have no node yet.
    pub unplaced: i32,
    /// Indexes that have no unit, and get one.
    pub vacant: Vec<i32>,
    /// The lowest index that may be replaced, as the last step stored it.
    pub from: Option<i32>,
    /// Whether old group replicas of the base gang are down and do not come back by themselves.
    pub is_base_down: bool,
}

/// An old unit of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldUnit {
    /// Its index.
    pub index: i32,
    /// Whether it serves. One that does not is replaced at no cost.
    pub is_available: bool,
}

/// The indexes below `desired` that have no unit and get one, as many as are missing: those of
/// `units`, of which some may be higher, are taken.
pub fn find_vacant(units: &BTreeSet<i32>, desired: i32) -> Vec<i32> {
    let have = i32::try_from(units.len()).unwrap_or(i32::MAX);
    let missing = usize::try_from(desired.saturating_sub(have)).unwrap_or(0);
    let free = (0..).filter(|index| !units.contains(index));
    free.take(missing).collect()
}

impl Part {
    pub(super) fn minimum(&self) -> i32 {
        self.numbers.minimum.max(1)
    }

    /// All its units, with those that are about to be created.
    pub(super) fn total(&self) -> i32 {
        to_i32(self.old.len())
            .saturating_add(self.new)
            .saturating_add(to_i32(self.vacant.len()))
    }

    /// The lowest index that may be replaced now. A part of which all units exist and are new has
    /// nothing to keep: one that it loses comes back new. The first plan after a pause finds new
    /// units above the old ones.
    pub(super) fn index(&self) -> i32 {
        if self.old.is_empty() && self.vacant.is_empty() {
            return 0;
        }
        let above_old = self.old.first().map(|old| old.index.saturating_add(1));
        let begun = above_old.filter(|_| self.new > 0);
        self.from.or(begun).unwrap_or(i32::MAX)
    }

    /// Units that are new, or will be: an index above the target is filled with a new one.
    pub(super) fn have(&self) -> i32 {
        self.new.saturating_add(to_i32(self.vacant_above()))
    }

    pub(super) fn vacant_above(&self) -> usize {
        let index = self.index();
        self.vacant.iter().filter(|k| **k >= index).count()
    }

    /// The number of new units after a step. The old ones keep their share of the steps that follow.
    pub(super) fn goal(&self, step: i32, steps: i32) -> i32 {
        let left = i64::from(steps.saturating_sub(step));
        let total = i64::from(self.total());
        let old = total.saturating_mul(left).checked_div(i64::from(steps));
        let old = old.and_then(|old| i32::try_from(old).ok()).unwrap_or(0);
        self.total().saturating_sub(old)
    }

    /// The number of new units of the first whole new version.
    pub(super) fn unit(&self, steps: i32) -> i32 {
        self.minimum().min(self.goal(1, steps))
    }

    /// The number of new units before the last minimum of a step.
    pub(super) fn rest(&self, step: i32, steps: i32) -> i32 {
        let before = self.goal(step.saturating_sub(1), steps);
        let rest = self.goal(step, steps).saturating_sub(self.minimum());
        rest.max(before)
    }

    /// The number of new units after another `maxUnavailable` of them.
    pub(super) fn next_piece(&self) -> i32 {
        let limit = self.numbers.limits.max_unavailable.max(1);
        self.have().saturating_add(limit)
    }

    /// The number of available units that may be taken down now beside those that are away; none before its
    /// surge is available, by which the part itself goes (decision 188).
    pub(super) fn allowed(&self) -> i32 {
        if self.numbers.lacks_surge() {
            return 0;
        }
        let floor = self.numbers.reached.map_or(i32::MAX, |reached| {
            reached.saturating_sub(self.numbers.limits.max_unavailable)
        });
        self.numbers.available.saturating_sub(floor).max(0)
    }

    /// Whether fewer units may be taken down than the goal asks for.
    pub(super) fn is_held(&self, goal: i32) -> bool {
        self.lowered(goal, self.allowed()) != self.lowered(goal, i32::MAX)
    }

    /// The lowest index with which at most so many units are new, and at most so many available ones
    /// are taken down. Indexes without a unit cost nothing.
    pub(super) fn lowered(&self, goal: i32, allowed: i32) -> i32 {
        let mut index = self.index();
        let old = self.old.iter().map(|old| (old.index, old.is_available));
        let vacant = self.vacant.iter().filter(|k| **k < index);
        let mut below: Vec<(i32, bool)> = old.chain(vacant.map(|k| (*k, false))).collect();
        below.sort_by_key(|(index, _)| Reverse(*index));
        let (mut have, mut left) = (self.have(), allowed);
        for (next, is_available) in below {
            have = have.saturating_add(1);
            left = left.saturating_sub(is_available.into());
            if have > goal || left < 0 {
                break;
            }
            index = next;
        }
        index
    }

    /// Which units of the batch before are not up yet; `None` if as many are as were when the turn
    /// began.
    pub(super) fn explain_flight(&self) -> Option<String> {
        let name = &self.name;
        if self.numbers.reached.is_none() && !self.old.is_empty() {
            return Some(format!("the units of {name} are being counted"));
        }
        let index = self.index();
        let leaving = self.old.iter().filter(|old| old.index >= index).count();
        if leaving > 0 {
            return Some(format!("{leaving} units of {name} are being replaced"));
        }
        let numbers = &self.numbers;
        let were_down = numbers.desired.saturating_sub(numbers.reached.unwrap_or(0));
        // A unit that has found no node for a minute holds nothing up.
        let waiting = if numbers.is_short_of_room {
            0
        } else {
            self.unplaced
        };
        let starting = numbers
            .starting
            .saturating_add(waiting)
            .saturating_add(to_i32(self.vacant_above()));
        (starting > were_down).then(|| format!("{starting} units of {name} are starting"))
    }

    /// Why fewer units of it may be taken down than the next batch needs.
    pub(super) fn explain_losses(&self) -> String {
        let name = &self.name;
        let reached = self.numbers.reached.unwrap_or(0);
        let away = reached.saturating_sub(self.numbers.available);
        if away > 0 {
            format!("{away} of {reached} units of {name} that ran are away")
        } else {
            format!("the surge of {name} is not up yet")
        }
    }
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
