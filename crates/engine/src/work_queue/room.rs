//! Decides which namespaces may have a slot.

use domain::Key;
use hashbrown::HashMap;
use tokio::time::Instant;

use super::state::Running;
use crate::flow::{Crowd, Standing};

/// Which namespaces may have a slot now.
pub(super) struct Room<'a, F> {
    slots: usize,
    crowd: Crowd,
    under_way: HashMap<&'a str, usize>,
    standing: F,
}

impl<'a, F: Fn(&str) -> Standing> Room<'a, F> {
    pub(super) fn of(
        running: &'a HashMap<Key, Running>,
        slots: usize,
        standing: F,
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
        let mut crowd = Crowd::of(slots);
        for (namespace, count) in in_slots {
            crowd.add(standing(namespace), count);
        }
        Self {
            slots,
            crowd,
            under_way,
            standing,
        }
    }

    pub(super) fn may_have_slot(&self, namespace: &str) -> bool {
        let under_way = self.under_way.get(namespace).copied().unwrap_or(0);
        let standing = (self.standing)(namespace);
        under_way < self.slots && self.crowd.has_place(standing, under_way == 0)
    }
}
