//! How many routine events a namespace may cause: each costs the API server as much as any other
//! write, and the four hundred events of a hundred sets that start at once help no reader.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// This many routine events of one namespace are published at once.
pub const BURST: u32 = 10;
/// Beyond that, one is published each time this has passed.
pub const PERIOD: Duration = Duration::from_secs(2);
/// After this time a namespace has its whole burst again.
const REFILL: Duration = PERIOD.saturating_mul(BURST);

/// The remaining budget of each namespace. A namespace with its whole budget is not remembered.
#[derive(Debug, Default)]
pub struct EventBudget(Mutex<NamespaceBudgets>);

#[derive(Debug, Default)]
struct NamespaceBudgets {
    /// When each namespace has all of its budget again.
    full_at: HashMap<String, Instant>,
    /// When namespaces were forgotten last.
    swept_at: Option<Instant>,
}

impl EventBudget {
    /// Takes one event out of the namespace's budget; `false` if it is used up.
    pub fn take(&self, namespace: &str) -> bool {
        self.state().take(namespace, Instant::now())
    }

    /// How many namespaces are remembered.
    pub fn remembered(&self) -> usize {
        self.state().full_at.len()
    }

    fn state(&self) -> MutexGuard<'_, NamespaceBudgets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NamespaceBudgets {
    fn take(&mut self, namespace: &str, now: Instant) -> bool {
        self.forget_full(now);
        let full_at = self.full_at.get(namespace).copied();
        let next = full_at.map_or(now, |at| at.max(now)) + PERIOD;
        if next > now + REFILL {
            return false;
        }
        self.full_at.insert(namespace.to_owned(), next);
        true
    }

    /// Runs rarely, so that an event does not check all namespaces.
    fn forget_full(&mut self, now: Instant) {
        if self.swept_at.is_some_and(|at| now < at + REFILL) {
            return;
        }
        self.full_at.retain(|_, at| *at > now);
        self.swept_at = Some(now);
    }
}
