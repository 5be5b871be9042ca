//! How many writes are on their way at once, over all objects and controllers.
//!
//! The API server says when that is too much, by 429. So the limit is halved then and grows slowly
//! with each answer, as in TCP; and for as long as it asks for, nothing is sent. No namespace
//! holds more than a quarter of it: behind a webhook that hangs, writes to one namespace take long,
//! and those to the others must not wait for them; and the API server is left to the others, too.
//! Events of a namespace count as another one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

/// Writes on their way at most.
const MAX_LIMIT: f64 = 32.0;
/// And at least: two, so that one namespace leaves another its turn.
const MIN_LIMIT: f64 = 2.0;
/// A namespace holds at most one of so many shares of them, and at least one write.
const SHARES: usize = 4;
/// Nobody is made to wait for longer, whatever the header says.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Lets writes through; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Flow(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    limit: f64,
    under_way: usize,
    by_namespace: HashMap<String, usize>,
    waiting: VecDeque<(String, oneshot::Sender<Permit>)>,
    paused_until: Option<Instant>,
    cut: Option<Instant>,
    answered: Option<Instant>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            limit: MAX_LIMIT,
            under_way: 0,
            by_namespace: HashMap::new(),
            waiting: VecDeque::new(),
            paused_until: None,
            cut: None,
            answered: None,
        }
    }
}

/// A write on its way, until this is dropped.
#[derive(Debug)]
pub struct Permit {
    flow: Flow,
    namespace: String,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.flow.state().release(&self.namespace);
        self.flow.admit();
    }
}

impl Flow {
    /// Waits for one's turn.
    pub async fn enter(&self, namespace: &str) -> Permit {
        let (sender, turn) = oneshot::channel();
        self.state()
            .waiting
            .push_back((namespace.to_owned(), sender));
        self.admit();
        // A turn comes for whoever waits: the sender is dropped with nobody but the flow itself.
        let permit = turn.await.unwrap_or_else(|_| Permit {
            flow: Self::default(),
            namespace: namespace.to_owned(),
        });
        while let Some(until) = self.pause() {
            tokio::time::sleep_until(until).await;
        }
        permit
    }

    /// A write that was sent then was answered, and the server took it well.
    pub fn answered(&self) {
        let mut state = self.state();
        state.limit = (state.limit + 1.0 / state.limit).min(MAX_LIMIT);
        state.answered = Some(Instant::now());
        drop(state);
        self.admit();
    }

    /// The server asks for less, and for a pause.
    pub fn throttled(&self, sent: Instant, after: Duration) {
        let mut state = self.state();
        state.cut(sent);
        let until = Instant::now() + after.min(MAX_PAUSE);
        state.paused_until = state.paused_until.max(Some(until));
    }

    /// A write that was sent then got no answer. That may be its own fault, or a webhook's: it says
    /// something of the server only if nobody else was answered since.
    pub fn unanswered(&self, sent: Instant) {
        let mut state = self.state();
        if state.answered.is_none_or(|answered| answered < sent) {
            state.cut(sent);
        }
    }

    /// How many may be on their way now.
    pub fn limit(&self) -> usize {
        self.state().whole_limit()
    }

    fn pause(&self) -> Option<Instant> {
        let until = self.state().paused_until;
        until.filter(|until| *until > Instant::now())
    }

    fn admit(&self) {
        loop {
            let Some((namespace, turn)) = self.state().next() else {
                return;
            };
            let flow = self.clone();
            // Who does not wait any more gives it back by dropping it.
            drop(turn.send(Permit { flow, namespace }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 2 and 32"
    )]
    fn whole_limit(&self) -> usize {
        self.limit as usize
    }

    fn held_by(&self, namespace: &str) -> usize {
        self.by_namespace.get(namespace).copied().unwrap_or(0)
    }

    /// Whose turn it is: of those who came first in each namespace, the one whose namespace has
    /// least under way.
    fn next(&mut self) -> Option<(String, oneshot::Sender<Permit>)> {
        if self.under_way >= self.whole_limit() {
            return None;
        }
        // A turn that nobody takes would come back at once, inside of giving it.
        self.waiting.retain(|(_, turn)| !turn.is_closed());
        let share = (self.whole_limit() / SHARES).max(1);
        let may = |(_, (namespace, _)): &(usize, &(String, _))| self.held_by(namespace) < share;
        let held = |(_, (namespace, _)): &(usize, &(String, _))| self.held_by(namespace);
        let waiting = self.waiting.iter().enumerate();
        let (at, _) = waiting.filter(may).min_by_key(held)?;
        let next = self.waiting.remove(at)?;
        self.under_way += 1;
        *self.by_namespace.entry(next.0.clone()).or_default() += 1;
        Some(next)
    }

    fn release(&mut self, namespace: &str) {
        self.under_way = self.under_way.saturating_sub(1);
        let left = self.held_by(namespace).saturating_sub(1);
        if left == 0 {
            self.by_namespace.remove(namespace);
        } else {
            self.by_namespace.insert(namespace.to_owned(), left);
        }
    }

    /// Halves the limit, once for all that were on their way together.
    fn cut(&mut self, sent: Instant) {
        if self.cut.is_none_or(|cut| cut <= sent) {
            self.limit = (self.limit / 2.0).max(MIN_LIMIT);
            self.cut = Some(Instant::now());
        }
    }
}
