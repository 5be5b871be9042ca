//! Whether a connection is idle, and may be closed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use futures::task::AtomicWaker;
use tokio::time::Instant;

/// One connection.
#[derive(Debug, Default)]
pub(super) struct Line {
    state: Mutex<State>,
    reader: AtomicWaker,
}

#[derive(Debug)]
struct State {
    is_busy: bool,
    /// Nothing is waited for any more.
    is_closing: bool,
    quiet_since: Instant,
}

impl Default for State {
    fn default() -> Self {
        Self {
            is_busy: false,
            is_closing: false,
            quiet_since: Instant::now(),
        }
    }
}

impl Line {
    /// Since when nothing was heard of it; `None` while a question is under way, and if it is about
    /// to end.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.lock();
        let is_idle = !state.is_busy && !state.is_closing;
        is_idle.then_some(state.quiet_since)
    }

    /// Whether it is about to end.
    pub(super) fn is_closing(&self) -> bool {
        self.lock().is_closing
    }

    /// It ends, unless a question has come in the meantime.
    pub(super) fn close_if_idle(&self) {
        let mut state = self.lock();
        state.is_closing = !state.is_busy;
        drop(state);
        self.reader.wake();
    }

    /// Bytes came, of a question as it seems.
    pub(super) fn hear(&self) {
        let mut state = self.lock();
        state.is_closing = false;
        state.quiet_since = Instant::now();
    }

    /// Nothing came. Whether nothing is waited for either; else this is woken when that changes.
    pub(super) fn is_to_end(&self, reader: &Waker) -> bool {
        self.reader.register(reader);
        self.is_closing()
    }

    fn set_busy(&self, is_busy: bool) {
        let mut state = self.lock();
        *state = State {
            is_busy,
            ..State::default()
        };
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question is under way until this is dropped.
#[derive(Debug)]
pub(in crate::server) struct Busy(Arc<Line>);

impl Busy {
    pub(super) fn new(line: Arc<Line>) -> Self {
        line.set_busy(true);
        Self(line)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set_busy(false);
    }
}
