//! A clique that is updated by `RollingRecreate`, with or without surge: the operator's decisions, and
//! what happens to the units between them.

use std::collections::{BTreeMap, BTreeSet};

use domain::update::{self, Component, Limits, Stage, SurgeUnit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has no node.
    Unplaced,
    /// It is on a node, and starts or has crashed.
    Down,
    /// It has just lost its readiness.
    Unready,
    Up,
}

#[derive(Clone, Copy, Debug)]
struct Unit {
    is_new: bool,
    state: State,
}

impl Unit {
    const CREATED: Self = Self {
        is_new: true,
        state: State::Unplaced,
    };

    fn stage(self) -> Stage {
        match (self.is_new, self.state) {
            (false, State::Unplaced) => Stage::OldUnplaced,
            (false, State::Down) => Stage::OldDown,
            (false, State::Unready) => Stage::OldUnready,
            (false, State::Up) => Stage::OldAvailable,
            (true, State::Unplaced) => Stage::NewUnplaced,
            (true, State::Down | State::Unready) => Stage::Starting,
            (true, State::Up) => Stage::Updated,
        }
    }
}

/// What happens between two decisions. The number selects one of the units to which it can happen.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The scheduler finds a node.
    Place(usize),
    /// A new unit becomes available, or one is Ready again.
    Start(usize),
    /// One that is available crashes.
    Crash(usize),
    /// One that is available loses its readiness.
    Blink(usize),
    /// One is lost with its node.
    Lose(usize),
    /// Those that wait for a node have waited for a minute.
    Wait,
    /// The template changes again.
    Edit,
}

/// A decision, and what it was taken from.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// The numbers that were seen.
    pub seen: Component,
    /// Available units that it deletes.
    pub deleted: i32,
    /// Those of them that are old.
    pub deleted_old: i32,
}

#[derive(Clone, Debug)]
pub struct Model {
    desired: i32,
    minimum: i32,
    limits: Limits,
    /// Units that have room.
    places: usize,
    units: BTreeMap<i32, Unit>,
    is_short: bool,
    // As stored.
    reached: Option<i32>,
    surge_from: Option<i32>,
    is_without_surge: bool,
}

impl Model {
    /// All units are old, and as many as have room are available.
    pub fn new(desired: i32, minimum: i32, limits: Limits, places: usize) -> Self {
        let unit = |k: i32| {
            let has_room = usize::try_from(k).unwrap() < places;
            let state = if has_room { State::Up } else { State::Unplaced };
            let is_new = false;
            (k, Unit { is_new, state })
        };
        Self {
            desired,
            minimum,
            limits,
            places,
            units: (0..desired).map(unit).collect(),
            is_short: false,
            reached: None,
            surge_from: None,
            is_without_surge: false,
        }
    }

    /// From now on there is room for this many units.
    pub fn make_room(&mut self, units: i32) {
        self.places = self.places.max(usize::try_from(units).unwrap());
    }

    /// Whether no old unit is left, and none beyond those that are wanted.
    pub fn is_updated(&self) -> bool {
        let mut units = self.units.iter();
        units.all(|(k, unit)| unit.is_new && *k < self.desired)
    }

    pub fn component(&self) -> Component {
        let units = self.units.iter().map(|(k, unit)| (*k, unit.stage()));
        Component {
            reached: self.reached,
            is_short_of_room: self.is_short,
            limits: self.limits,
            is_without_surge: self.is_without_surge,
            ..Component::count(units, &self.surge(), self.desired, self.minimum)
        }
    }

    /// The indexes of surge units.
    fn surge(&self) -> BTreeSet<i32> {
        let Some(from) = self.surge_from else {
            return BTreeSet::new();
        };
        let existing = self.units.keys().copied().filter(|k| *k >= from);
        (from..from + self.limits.max_surge)
            .chain(existing)
            .collect()
    }

    /// Deletes, creates and stores by what was seen.
    pub fn decide(&mut self) -> Decision {
        let seen = self.component();
        let missing = self.missing(&seen);
        let mut decision = Decision {
            seen,
            deleted: 0,
            deleted_old: 0,
        };
        for k in self.choose_deleted(seen) {
            let unit = self.units.remove(&k).unwrap();
            let is_up = unit.state == State::Up;
            decision.deleted += i32::from(is_up);
            decision.deleted_old += i32::from(is_up && !unit.is_new);
        }
        let created = missing.into_iter().map(|k| (k, Unit::CREATED));
        self.units.extend(created);
        self.reached = seen.next_reached();
        if self.reached.is_some() {
            let indexes = self.units.keys().copied();
            let next = update::next_surge_from(self.surge_from, self.desired, indexes);
            self.surge_from = Some(next);
        }
        self.is_without_surge = seen.gives_surge_up();
        decision
    }

    fn missing(&self, seen: &Component) -> Vec<i32> {
        let surge = if seen.fills_surge() {
            self.surge()
        } else {
            BTreeSet::new()
        };
        let wanted = (0..self.desired).chain(surge);
        wanted.filter(|k| !self.units.contains_key(k)).collect()
    }

    fn choose_deleted(&self, seen: Component) -> Vec<i32> {
        if seen.reached.is_none() {
            return Vec::new();
        }
        let surge = self.surge();
        let existing = self.units.iter().filter(|(k, _)| surge.contains(*k));
        let existing = existing.map(|(k, unit)| SurgeUnit {
            index: *k,
            is_available: unit.state == State::Up,
        });
        let (released, rest) = seen.release_surge(existing.collect());
        let released: BTreeSet<i32> = released.iter().map(|unit| unit.index).collect();
        let staying = || self.units.iter().filter(|(k, _)| !released.contains(*k));
        let down = staying().filter(|(_, unit)| unit.stage().is_old_and_down());
        let up = staying().filter(|(_, unit)| unit.stage() == Stage::OldAvailable);
        let replaced = up.rev().take(rest.deletable()).chain(down);
        let replaced: Vec<i32> = replaced.map(|(k, _)| *k).collect();
        released.into_iter().chain(replaced).collect()
    }

    pub fn happen(&mut self, event: Event) {
        match event {
            Event::Place(n) if self.has_room() => {
                self.change(n, |unit| unit.state == State::Unplaced, State::Down);
            }
            Event::Place(_) => {}
            Event::Start(n) => self.change(n, |unit| may_start(*unit), State::Up),
            Event::Crash(n) => self.change(n, |unit| unit.state == State::Up, State::Down),
            Event::Blink(n) => self.change(n, |unit| unit.state == State::Up, State::Unready),
            Event::Lose(n) => {
                if let Some(k) = self.select(n, |unit| unit.state != State::Unplaced) {
                    self.units.remove(&k);
                }
            }
            Event::Wait => self.is_short = true,
            Event::Edit => self.make_old(),
        }
        self.is_short &= self.waits();
    }

    /// All that can happen for the better happens: units get nodes while there is room, and come up.
    pub fn settle(&mut self) {
        while self.has_room() && self.waits() {
            self.happen(Event::Place(0));
        }
        for unit in self.units.values_mut().filter(|unit| may_start(**unit)) {
            unit.state = State::Up;
        }
        self.happen(Event::Wait);
    }

    fn make_old(&mut self) {
        for unit in self.units.values_mut() {
            unit.is_new = false;
        }
    }

    fn has_room(&self) -> bool {
        let units = self.units.values();
        units.filter(|unit| unit.state != State::Unplaced).count() < self.places
    }

    fn waits(&self) -> bool {
        let mut units = self.units.values();
        units.any(|unit| unit.state == State::Unplaced)
    }

    fn select(&self, n: usize, is_meant: impl Fn(&Unit) -> bool) -> Option<i32> {
        let meant = self.units.iter().filter(|(_, unit)| is_meant(unit));
        let meant: Vec<i32> = meant.map(|(k, _)| *k).collect();
        let place = n.checked_rem(meant.len())?;
        meant.get(place).copied()
    }

    fn change(&mut self, n: usize, is_meant: impl Fn(&Unit) -> bool, next: State) {
        let meant = self.select(n, is_meant);
        if let Some(unit) = meant.and_then(|k| self.units.get_mut(&k)) {
            unit.state = next;
        }
    }
}

/// An old unit that crashed is replaced before it comes back.
fn may_start(unit: Unit) -> bool {
    unit.state == State::Unready || (unit.is_new && unit.state == State::Down)
}
