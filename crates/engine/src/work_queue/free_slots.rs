//! Decides which namespaces may have a slot.

use domain::Key;
use hashbrown::HashMap;
use tokio::time::Instant;

use super::state::Running;
use crate::flow::{Occupancy, WriteHealth};

/// Which namespaces may have a slot now.
pub(super) struct FreeSlots<'a, F> {
    slots: usize,
    occupancy: Occupancy,
    under_way: HashMap<&'a str, usize>,
    health: F,
}

impl<'a, F: Fn(&str) -> WriteHealth> FreeSlots<'a, F> {
    pub(super) fn of(
        running: &'a HashMap<Key, Running>,
        slots: usize,
        health: F,
        now: Instant,
    ) -> Self {
        let mut under_way: HashMap<&str, usize> = HashMap::new();
        let mut in_slots: HashMap<&str, usize> = HashMap::new();
        for (key, turn) in running {
            *under_way.entry(&key.namespace).or_default() += 1;
            if turn.is_slow_at() > now {
                *in_slots.entry(&key.namespace).or_default() += 1;
            }
        }
        let mut occupancy = Occupancy::of(slots);
        for (namespace, count) in in_slots {
            occupancy.add(health(namespace), count);
        }
        Self {
            slots,
            occupancy,
            under_way,
            health,
        }
    }

    pub(super) fn may_have_slot(&self, namespace: &str) -> bool {
        let under_way = self.under_way.get(namespace).copied().unwrap_or(0);
        let health = (self.health)(namespace);
        under_way < self.slots && self.occupancy.has_place(health, under_way == 0)
    }
}
