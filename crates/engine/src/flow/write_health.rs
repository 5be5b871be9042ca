//! The state of the writes of a namespace, and the places that are left for it.

/// The state of the writes of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteHealth {
    /// The writes are answered.
    Answered,
    /// There was no write lately.
    Unknown,
    /// A write took long, lately or now.
    Slow,
}

/// All slow namespaces together have one of this many shares of the places.
const SHARES_OF_SLOW: usize = 2;
/// Together with namespaces of unknown state, they have this many quarters.
const QUARTERS_OF_DOUBTFUL: usize = 3;

/// The use of the places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupancy {
    places: usize,
    taken: usize,
    by_slow: usize,
    by_doubtful: usize,
}

impl Occupancy {
    pub(crate) fn of(places: usize) -> Self {
        Self {
            places,
            taken: 0,
            by_slow: 0,
            by_doubtful: 0,
        }
    }

    /// A namespace of this health has this many places.
    pub(crate) fn add(&mut self, health: WriteHealth, count: usize) {
        self.taken += count;
        if health != WriteHealth::Answered {
            self.by_doubtful += count;
        }
        if health == WriteHealth::Slow {
            self.by_slow += count;
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.taken >= self.places
    }

    /// Whether a place is left for a namespace of this health. The last place is kept for a
    /// namespace that has nothing under way.
    pub(crate) fn has_place(&self, health: WriteHealth, has_none_under_way: bool) -> bool {
        let for_slow = (self.places / SHARES_OF_SLOW).max(1);
        let for_doubtful = (self.places * QUARTERS_OF_DOUBTFUL / 4).max(1);
        let is_in_share = match health {
            WriteHealth::Answered => true,
            WriteHealth::Unknown => self.by_doubtful < for_doubtful,
            WriteHealth::Slow => self.by_doubtful < for_doubtful && self.by_slow < for_slow,
        };
        is_in_share && (self.taken + 1 < self.places || !self.is_full() && has_none_under_way)
    }
}
