//! A component of the replica that has the turn: a standalone clique or a scaling group, counted in
//! units (docs/semantics.md §14.4).

use super::Stage;

/// The numbers of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// Live `spec.replicas`.
    pub desired: i32,
    /// `minAvailable`, at most `desired`.
    pub minimum: i32,
    /// Units that are available, of any template.
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
}

impl Component {
    /// Counts units in these stages.
    pub fn count(
        stages: impl IntoIterator<Item = Stage>,
        desired: i32,
        min_available: i32,
    ) -> Self {
        let mut all = Self {
            desired,
            minimum: min_available.min(desired),
            ..Self::default()
        };
        for stage in stages {
            all.available = all.available.saturating_add(stage.is_available().into());
            all.old = all.old.saturating_add(stage.is_old().into());
            let is_starting = stage == Stage::Starting;
            all.starting = all.starting.saturating_add(is_starting.into());
        }
        all
    }

    /// `reached` as it is stored next: it begins with an old unit, rises with the available ones,
    /// and follows `desired` down.
    pub fn next_reached(&self) -> Option<i32> {
        let begins = self.old > 0;
        let before = self.reached.or(begins.then_some(0))?;
        Some(before.max(self.available).min(self.desired))
    }

    /// Whether its units hold the turn.
    pub fn is_counted(&self) -> bool {
        self.reached.is_some() || self.must_return
    }

    /// How many available units may be deleted now; none before `reached` is stored. The update
    /// leaves `max_unavailable` fewer than it found, and, where it found more than the minimum, the
    /// minimum.
    pub fn deletable(&self, max_unavailable: i32) -> usize {
        let Some(reached) = self.reached.map(|reached| reached.min(self.desired)) else {
            return 0;
        };
        let below = reached.saturating_sub(max_unavailable).max(0);
        let floor = if reached > self.minimum {
            below.max(self.minimum)
        } else {
            below
        };
        usize::try_from(self.available.saturating_sub(floor)).unwrap_or(0)
    }

    /// Whether the turn may pass on: no unit is old, and all that ran before run again, or find no
    /// room. A component without an old unit in this turn does not hold the turn.
    pub fn is_done(&self) -> bool {
        if self.old > 0 || (self.must_return && self.available < self.minimum) {
            return false;
        }
        let Some(reached) = self.reached.map(|reached| reached.min(self.desired)) else {
            return true;
        };
        let is_back = self.available >= reached && self.available >= self.minimum;
        let has_no_room = self.is_short_of_room && self.starting == 0;
        is_back || (has_no_room && self.available >= self.required())
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

/// `rollingUpdate.maxUnavailable` for this many units: at least one, or no update would end; at most
/// all.
pub fn max_unavailable(given: Option<i32>, desired: i32) -> i32 {
    given.unwrap_or(1).max(1).min(desired.max(1))
}
