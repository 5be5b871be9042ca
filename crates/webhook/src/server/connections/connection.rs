//! One connection: its stage, the start of the stage, and whether it has to close.

use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::task::AtomicWaker;
use tokio::time::Instant;

use crate::server::bounds::LEAST_RATE;
use crate::server::victim::{Candidate, Stage};

/// One connection.
#[derive(Debug, Default)]
pub(in crate::server) struct Connection {
    state: Mutex<ConnectionState>,
    /// The task that reads, writes and answers.
    task: AtomicWaker,
}

#[derive(Debug)]
struct ConnectionState {
    turn: Turn,
    since: Instant,
    /// Bytes received since then.
    heard: u64,
    /// Bytes of the budget that its request holds.
    holds: usize,
    ending: Ending,
    /// Whether data saved it from being closed during its turn: not a second time.
    is_spared: bool,
    /// Whether it has shown a trusted client certificate.
    is_known: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Theirs,
    Nobodys,
    Ours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    No,
    /// Closes unless unread data has arrived.
    IfSilent,
    Now,
}

impl Default for ConnectionState {
    fn default() -> Self {
        Self {
            turn: Turn::Theirs,
            since: Instant::now(),
            heard: 0,
            holds: 0,
            ending: Ending::No,
            is_spared: false,
            is_known: false,
        }
    }
}

impl ConnectionState {
    /// How long the received bytes may take.
    fn allowance(&self) -> Duration {
        Duration::from_nanos(self.heard.saturating_mul(1_000_000_000 / LEAST_RATE))
    }

    fn turn_to(&mut self, turn: Turn) {
        (self.turn, self.since, self.heard) = (turn, Instant::now(), 0);
        self.is_spared = false;
    }
}

impl Connection {
    /// Its rank in the choice of the victim. A peer that is silent for longer than `patience` while
    /// the server waits is late.
    pub(super) fn as_candidate(&self, address: IpAddr, patience: Duration) -> Candidate {
        let connection = self.lock();
        let elapsed = connection.since.elapsed();
        let lag = elapsed.saturating_sub(connection.allowance());
        let stage = match connection.turn {
            Turn::Ours => Stage::Ours,
            Turn::Nobodys => Stage::Idle,
            Turn::Theirs if lag < patience => Stage::Arriving,
            Turn::Theirs => Stage::Late,
        };
        Candidate {
            address,
            holds: 1,
            stage,
            lag,
        }
    }

    /// Bytes of the budget that its request holds.
    pub(super) fn holds(&self) -> usize {
        self.lock().holds
    }

    /// Whether it is about to close.
    pub(super) fn is_ending(&self) -> bool {
        self.lock().ending != Ending::No
    }

    /// Whether it has shown a certificate that is trusted.
    pub(super) fn is_known(&self) -> bool {
        self.lock().is_known
    }

    pub(super) fn set_known(&self) {
        self.lock().is_known = true;
    }

    /// Closes it. A silent connection may have sent data meanwhile, which a busy server sees last.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.ending = match state.turn {
            Turn::Theirs if state.is_spared => Ending::Now,
            Turn::Theirs | Turn::Nobodys => Ending::IfSilent,
            Turn::Ours => Ending::Now,
        };
        drop(state);
        self.task.wake();
    }

    /// Records received bytes.
    pub(super) fn hear(&self, bytes: usize) {
        let mut state = self.lock();
        if state.turn == Turn::Nobodys {
            state.turn_to(Turn::Theirs);
        }
        if state.ending == Ending::IfSilent {
            (state.ending, state.is_spared) = (Ending::No, true);
            (state.since, state.heard) = (Instant::now(), 0);
        }
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        state.heard = state.heard.saturating_add(bytes);
    }

    /// No data came, or none could be sent. Returns whether the connection has to end; otherwise
    /// the task is triggered when that changes.
    pub(super) fn is_to_end(&self, task: &Waker) -> bool {
        self.task.register(task);
        self.is_ending()
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request is under way until this is dropped.
#[derive(Debug)]
pub(in crate::server) struct Busy(Arc<Connection>);

impl Busy {
    /// The head of the request has arrived.
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        connection.lock().turn_to(Turn::Theirs);
        Self(connection)
    }

    /// The time by which more of it has to arrive, if it may be this far behind.
    pub(in crate::server) fn due(&self, lag: Duration) -> Instant {
        let state = self.0.lock();
        state.since + lag + state.allowance()
    }

    /// It holds this many bytes of the budget.
    pub(in crate::server) fn hold(&self, bytes: usize) {
        self.0.lock().holds = bytes;
    }

    /// The peer waits for this, and not the server for the peer.
    pub(in crate::server) async fn take_turn<T>(&self, turn: impl Future<Output = T>) -> T {
        let began = Instant::now();
        self.0.lock().turn = Turn::Ours;
        let done = turn.await;
        let mut state = self.0.lock();
        state.turn = Turn::Theirs;
        state.since += began.elapsed();
        done
    }

    /// Whether the connection is about to close for others.
    pub(in crate::server) fn is_cut(&self) -> bool {
        self.0.is_ending()
    }

    /// Ends when the connection has to close, even if data has arrived.
    pub(in crate::server) async fn cut(&self) {
        poll_fn(|context| {
            let is_to_end = self.0.is_to_end(context.waker());
            if is_to_end && self.0.lock().ending == Ending::Now {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.turn_to(Turn::Nobodys);
        state.holds = 0;
    }
}
