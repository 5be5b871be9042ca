//! Limits the writes that are under way at once, over all objects and controllers.
//!
//! The API server reports overload by 429. Then the limit is halved, and it grows slowly with each
//! answer, as in TCP; and no write is sent for as long as the API server asks for. No namespace
//! holds more than a quarter of the limit: behind a webhook that hangs, writes to one namespace
//! take long, and writes to the others must not wait for them; and the API server is left to the
//! others, too. Events of a namespace count as another namespace.
//!
//! A share for each namespace protects the others only while there are few of them. So a write that
//! takes longer than [`SLOW`] leaves its place to others, as a turn of the work queue does.
//! Namespaces that had such a write lately share one half of the places; together with namespaces
//! without any known answer, each of which sends one write first, they share three quarters. The
//! last free place is for a namespace that has nothing under way (decision 125).

mod permits;
mod write_health;

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use permits::{FreePermits, HeldPermits};
pub(crate) use write_health::Occupancy;
pub use write_health::WriteHealth;

/// The highest limit of writes under way, without slow ones.
const MAX_LIMIT: f64 = 32.0;
/// The lowest limit: two, so that one namespace leaves another its turn.
const MIN_LIMIT: f64 = 2.0;
/// A write that takes longer leaves its place to others.
pub const SLOW: Duration = Duration::from_secs(1);
/// Longest pause, whatever the header says.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Admits writes; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Flow(Arc<Mutex<FlowState>>);

#[derive(Debug)]
struct FlowState {
    limit: f64,
    held: HeldPermits,
    waiting: VecDeque<(String, oneshot::Sender<Permit>)>,
    paused_until: Option<Instant>,
    cut: Option<Instant>,
    answered: Option<Instant>,
}

impl Default for FlowState {
    fn default() -> Self {
        Self {
            limit: MAX_LIMIT,
            held: HeldPermits::default(),
            waiting: VecDeque::new(),
            paused_until: None,
            cut: None,
            answered: None,
        }
    }
}

/// A write under way, until this is dropped.
#[derive(Debug)]
pub struct Permit {
    flow: Flow,
    namespace: String,
    is_slow: bool,
}

impl Permit {
    /// Runs the write. Once it is slow, its place is free for another write.
    pub async fn write<T>(&mut self, writing: impl Future<Output = T>) -> T {
        let mut writing = pin!(writing);
        if let Ok(written) = timeout(SLOW, writing.as_mut()).await {
            return written;
        }
        self.is_slow = true;
        self.flow.state().held.note_slow(&self.namespace);
        self.flow.admit();
        writing.await
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = Instant::now();
        self.flow
            .state()
            .held
            .release(&self.namespace, self.is_slow, now);
        self.flow.admit();
    }
}

impl Flow {
    /// Waits for the turn of this write.
    pub async fn enter(&self, namespace: &str) -> Permit {
        let (sender, turn) = oneshot::channel();
        self.state()
            .waiting
            .push_back((namespace.to_owned(), sender));
        self.admit();
        // The turn always comes: the sender is dropped only together with the flow itself.
        let permit = turn.await.unwrap_or_else(|_| Permit {
            flow: Self::default(),
            namespace: namespace.to_owned(),
            is_slow: false,
        });
        while let Some(until) = self.pause() {
            tokio::time::sleep_until(until).await;
        }
        permit
    }

    /// A write that was sent then was answered, and the server is not overloaded.
    pub fn answered(&self) {
        let mut state = self.state();
        state.limit = (state.limit + 1.0 / state.limit).min(MAX_LIMIT);
        state.answered = Some(Instant::now());
        drop(state);
        self.admit();
    }

    /// The server asks for fewer requests, and for a pause.
    pub fn throttled(&self, sent: Instant, after: Duration) {
        let mut state = self.state();
        state.cut(sent);
        let until = Instant::now() + after.min(MAX_PAUSE);
        state.paused_until = state.paused_until.max(Some(until));
    }

    /// A write that was sent then got no answer. The cause may be the write itself, or a webhook:
    /// it counts against the server only if no other write was answered since.
    pub fn unanswered(&self, sent: Instant) {
        let mut state = self.state();
        if state.answered.is_none_or(|answered| answered < sent) {
            state.cut(sent);
        }
    }

    /// The state of the writes of the namespace.
    pub fn write_health(&self, namespace: &str) -> WriteHealth {
        self.state().held.write_health(namespace, Instant::now())
    }

    /// How many writes may be under way now.
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
            let permit = Permit {
                flow,
                namespace,
                is_slow: false,
            };
            // A waiter that has given up returns the permit by dropping it.
            drop(turn.send(permit));
        }
    }

    fn state(&self) -> MutexGuard<'_, FlowState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FlowState {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 2 and 32"
    )]
    fn whole_limit(&self) -> usize {
        self.limit as usize
    }

    /// The next waiter: of the first waiters of each namespace, the one whose namespace has least
    /// under way.
    fn next(&mut self) -> Option<(String, oneshot::Sender<Permit>)> {
        let free = FreePermits::of(&self.held, self.whole_limit(), Instant::now());
        if free.is_full() {
            return None;
        }
        // A turn without a receiver would come back at once, while it is given.
        self.waiting.retain(|(_, turn)| !turn.is_closed());
        let may = self
            .waiting
            .iter()
            .enumerate()
            .filter(|(_, (namespace, _))| free.may_enter(namespace));
        let (at, _) = may.min_by_key(|(_, (namespace, _))| self.held.under_way_in(namespace))?;
        let next = self.waiting.remove(at)?;
        self.held.enter(&next.0);
        Some(next)
    }

    /// Halves the limit, once for all writes that were under way together.
    fn cut(&mut self, sent: Instant) {
        if self.cut.is_none_or(|cut| cut <= sent) {
            self.limit = (self.limit / 2.0).max(MIN_LIMIT);
            self.cut = Some(Instant::now());
        }
    }
}
