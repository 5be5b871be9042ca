//! A component of the replica that has the turn: a standalone clique or a scaling group, counted in
//! units (docs/semantics.md §14.4).

use std::collections::BTreeSet;

use api::podcliqueset::RollingUpdate;

use super::surge::{choose_surplus, max_surge_of_clique, max_surge_of_group};
use super::{Stage, SurgeUnit};

/// The numbers of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// Live `spec.replicas`.
    pub desired: i32,
    /// `minAvailable`, at most `desired`.
    pub minimum: i32,
    /// Units that are available, of any template, surge units included: they serve.
    pub available: i32,
    /// Old units that are not being deleted.
    pub old: i32,
    /// New units on nodes that are not available yet.
    pub starting: i32,
    /// The most units that were available at once since the turn began, as stored.
    pub reached: Option<i32>,
    /// Whether a unit of it finds no node.
    pub is_short_of_room: bool,
    /// Whether it has to be available again before the turn ends: its replica was terminated in its
    /// turn, as it found no room.
    pub must_return: bool,
    /// Whether its object replaces one that was lost in this turn, with its record.
    pub is_recreated: bool,
    /// Units that a partition keeps, and that are down: no update brings them back.
    pub kept_down: i32,
    /// Surge units that are not being deleted.
    pub surge: i32,
    /// Those of them that are available.
    pub surge_available: i32,
    /// Those of the available ones that are old: a newer template came in the turn.
    pub surge_old: i32,
    /// The limits of its `rollingUpdate`.
    pub limits: Limits,
    /// Whether this turn goes on without surge, as stored.
    pub is_without_surge: bool,
    /// Indexes that stay vacant while other components of the replica are updated.
    pub held: i32,
}

/// The limits of an update of one clique or group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// `maxUnavailable`: units that may be missing.
    pub max_unavailable: i32,
    /// `maxSurge`: units that may exist beyond `replicas`.
    pub max_surge: i32,
}

impl Limits {
    /// The limits for this many pods of a standalone clique.
    pub fn of_clique(rolling: Option<&RollingUpdate>, desired: i32) -> Self {
        Self::with_surge(rolling, desired, max_surge_of_clique(rolling, desired))
    }

    /// The limits for this many replicas of a group. `surge_from` as stored.
    pub fn of_group(
        rolling: Option<&RollingUpdate>,
        desired: i32,
        min_available: i32,
        surge_from: Option<i32>,
    ) -> Self {
        let max_surge = max_surge_of_group(rolling, desired, min_available, surge_from);
        Self::with_surge(rolling, desired, max_surge)
    }

    /// At least one unit may be missing, or no update would end, unless surge replaces it.
    fn with_surge(rolling: Option<&RollingUpdate>, desired: i32, max_surge: i32) -> Self {
        let given = rolling.and_then(|rolling| rolling.max_unavailable);
        let least = i32::from(max_surge == 0);
        Self {
            max_unavailable: given.unwrap_or(1).max(least).min(desired.max(1)),
            max_surge,
        }
    }
}

impl Component {
    /// Counts units with their indexes and stages. Those with an index in `surge` are surge units.
    pub fn count(
        units: impl IntoIterator<Item = (i32, Stage)>,
        surge: &BTreeSet<i32>,
        desired: i32,
        min_available: i32,
    ) -> Self {
        let mut all = Self {
            desired,
            minimum: min_available.min(desired),
            ..Self::default()
        };
        for (index, stage) in units {
            let is_surge = surge.contains(&index);
            let add = |count: &mut i32, is_one: bool| {
                *count = count.saturating_add(is_one.into());
            };
            add(&mut all.available, stage.is_available());
            add(&mut all.old, stage.is_old());
            add(&mut all.starting, stage == Stage::Starting);
            add(&mut all.kept_down, stage == Stage::KeptDown);
            add(&mut all.surge, is_surge && stage.stays());
            add(&mut all.surge_available, is_surge && stage.is_available());
            add(&mut all.surge_old, is_surge && stage == Stage::OldAvailable);
        }
        all
    }

    /// `reached` as it is stored next: it begins with an old unit, rises with the available ones that
    /// are not surge, and follows `desired` down. It does not rise with the room of another component:
    /// with as many indexes as are held vacant fewer units have room.
    pub fn next_reached(&self) -> Option<i32> {
        let begins = self.old > 0;
        let before = self.reached.or(begins.then_some(0))?;
        let available = self.real_available().min(self.with_room());
        Some(before.max(available).min(self.desired))
    }

    /// The number of units that have room of their own, as far as the turn knows.
    fn with_room(&self) -> i32 {
        self.desired.saturating_sub(self.held)
    }

    /// Whether fewer units are available than ran since the turn began.
    pub fn misses_units(&self) -> bool {
        self.available < self.clipped_reached().unwrap_or(0)
    }

    /// Available units that are not surge.
    pub(super) fn real_available(&self) -> i32 {
        self.available.saturating_sub(self.surge_available)
    }

    /// The most units that were available at once, clipped to those that are wanted.
    fn clipped_reached(&self) -> Option<i32> {
        self.reached.map(|reached| reached.min(self.desired))
    }

    /// Whether its units hold the turn.
    fn is_counted(&self) -> bool {
        self.reached.is_some() || self.must_return || self.is_recreated
    }

    /// Whether a pod of it that waits for a node is stored: until the turn has nothing to wait for
    /// but units that never had room. A record that ends with such a pod ends for lack of room.
    pub fn needs_room(&self) -> bool {
        let is_replaced = self.old == 0 && self.surge == 0;
        self.is_counted() && !(is_replaced && self.is_back())
    }

    /// Whether as many units are available as ran before, and as many as are required.
    fn is_back(&self) -> bool {
        let reached = self.clipped_reached().unwrap_or(0);
        let settled = self.available.saturating_add(self.kept_down);
        settled >= reached && settled >= self.minimum
    }

    /// Whether it may have surge units in this turn. Those that exist stay surge if `maxSurge` is
    /// lowered.
    pub fn has_surge(&self) -> bool {
        self.reached.is_some() && (self.limits.max_surge > 0 || self.surge > 0)
    }

    /// Whether surge units take the place of those that are missing.
    pub(super) fn uses_surge(&self) -> bool {
        self.limits.max_surge > 0 && !self.is_without_surge
    }

    /// Whether missing surge units are created now.
    pub fn fills_surge(&self) -> bool {
        let has_all = self.surge >= self.limits.max_surge;
        self.reached.is_some() && self.old > 0 && self.uses_surge() && !has_all
    }

    /// How many available units may be deleted now; none before `reached` and each rise of it is
    /// stored, and none before all surge units are available. The update leaves `maxUnavailable`
    /// fewer than it found, or as many with surge, and, where it found more than the minimum, the
    /// minimum.
    pub fn deletable(&self) -> usize {
        let Some(floor) = self.floor() else {
            return 0;
        };
        let has_risen = self.next_reached() > self.clipped_reached();
        if has_risen {
            return 0;
        }
        if self.uses_surge() && self.surge_available < self.limits.max_surge {
            return 0;
        }
        let spare = self.available.saturating_sub(floor);
        // More run than have room. The room may be that of another component, or new: then the set
        // stores in a moment that less is held vacant.
        let has_more = self.held > 0 && self.real_available() > self.with_room();
        let spare = if has_more {
            spare.min(self.limits.max_unavailable.max(1))
        } else {
            spare
        };
        usize::try_from(spare).unwrap_or(0)
    }

    /// The number of available units that the update leaves; unknown before `reached` is stored.
    pub fn floor(&self) -> Option<i32> {
        let reached = self.clipped_reached()?;
        let away = if self.uses_surge() {
            0
        } else {
            self.limits.max_unavailable
        };
        let below = reached.saturating_sub(away).max(0);
        Some(if reached > self.minimum {
            below.max(self.minimum)
        } else {
            below
        })
    }

    /// The surge units, of these that exist, that go now, and the numbers without them. While an old
    /// unit is left `maxSurge` of them stay, and then all until as many others are available as ran
    /// before. Without room, or with a lower `maxSurge`, those go that do not serve, and those that
    /// serve beyond the number that ran; after the last old unit also those whose room another unit
    /// waits for, or that replace only units which a partition keeps.
    pub fn release_surge(self, surge: Vec<SurgeUnit>) -> (Vec<SurgeUnit>, Self) {
        let released = choose_surplus(surge, self.kept_surge());
        let serving = released.iter().filter(|unit| unit.is_available).count();
        let to_i32 = |count| i32::try_from(count).unwrap_or(i32::MAX);
        let rest = Self {
            available: self.available.saturating_sub(to_i32(serving)),
            surge: self.surge.saturating_sub(to_i32(released.len())),
            surge_available: self.surge_available.saturating_sub(to_i32(serving)),
            ..self
        };
        (released, rest)
    }

    fn kept_surge(&self) -> i32 {
        let Some(reached) = self.clipped_reached() else {
            return self.surge;
        };
        let serving_above = |floor: i32| {
            let spare = self.available.saturating_sub(floor);
            self.surge_available.saturating_sub(spare.max(0)).max(0)
        };
        let has_no_room = self.is_short_of_room && self.starting == 0;
        if self.old > 0 {
            let wanted = if self.uses_surge() {
                self.limits.max_surge
            } else {
                0
            };
            wanted.max(serving_above(reached))
        } else if self.real_available() >= reached {
            0
        } else if has_no_room || self.misses_kept_only(reached) {
            let below = reached.saturating_sub(self.limits.max_unavailable);
            serving_above(below.max(reached.min(self.minimum)))
        } else {
            self.surge
        }
    }

    /// Whether all units that ran are available again, but for those that a partition keeps.
    fn misses_kept_only(&self, reached: i32) -> bool {
        self.real_available().saturating_add(self.kept_down) >= reached
    }

    /// Whether old units wait for new surge that is not available yet.
    pub fn lacks_surge(&self) -> bool {
        let available = self.surge_available.saturating_sub(self.surge_old);
        self.old > 0 && self.uses_surge() && available < self.limits.max_surge
    }

    /// Whether the update waits until surge finds room, as no unit may be missing.
    pub fn waits_for_surge(&self) -> bool {
        let lacks_surge = self.surge_available < self.limits.max_surge;
        let is_short = self.old > 0 && self.is_short_of_room && lacks_surge;
        is_short && self.limits.max_unavailable == 0
    }

    /// How many units that ran are away, if they use the whole budget up and find no node.
    pub fn count_losses_that_hold(&self) -> Option<i32> {
        let away = self.reached?.saturating_sub(self.available);
        let is_held = self.old > 0 && self.starting == 0 && self.deletable() == 0;
        (is_held && self.is_short_of_room && away > 0).then_some(away)
    }

    /// Whether this turn goes on without surge from now on: the component is short of room, and
    /// units may be missing instead.
    pub fn gives_surge_up(&self) -> bool {
        let may_be_missing = self.limits.max_unavailable > 0 && self.limits.max_surge > 0;
        may_be_missing && (self.is_without_surge || (self.old > 0 && self.is_short_of_room))
    }

    /// Whether the turn may pass on: no unit is old or surge, and all that ran before run again, or
    /// find no room. A component without an old unit in this turn does not hold the turn. One whose
    /// record was lost in it may have run: it holds the turn until its minimum is available, or finds
    /// no room.
    pub fn is_done(&self) -> bool {
        if self.old > 0 || self.surge > 0 || (self.must_return && self.available < self.minimum) {
            return false;
        }
        let has_no_room = self.is_short_of_room && self.starting == 0;
        if self.is_recreated && self.available < self.minimum && !has_no_room {
            return false;
        }
        let lacks_none = has_no_room && self.available >= self.required();
        self.reached.is_none() || self.is_back() || lacks_none
    }

    /// Whether units that have to be there find no room, and none of them is starting.
    pub fn lacks_room(&self) -> bool {
        self.is_short_of_room && self.starting == 0 && self.available < self.required()
    }

    /// The number of units without which the turn does not pass on.
    fn required(&self) -> i32 {
        if self.must_return {
            return self.minimum;
        }
        self.reached.unwrap_or(0).min(self.minimum)
    }
}
