//! Decides whether this process may write now.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Admits writes as long as this process leads; clones share it.
#[derive(Clone, Debug)]
pub struct WriteGate {
    until: Arc<Mutex<Until>>,
    under_way: TaskTracker,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// There is no election.
    Ever,
    /// By the monotonic clock, which goes on while the process is stopped.
    Time(Instant),
    /// It does not lead, or does not lead any more.
    Never,
}

/// A write that is under way, until this is dropped.
#[derive(Debug)]
pub struct WriteTurn {
    _token: TaskTrackerToken,
}

impl WriteGate {
    /// The gate of a process without election.
    pub fn open() -> Self {
        Self::new(Until::Ever)
    }

    /// The gate of a process that does not lead yet.
    pub fn closed() -> Self {
        Self::new(Until::Never)
    }

    fn new(until: Until) -> Self {
        Self {
            until: Arc::new(Mutex::new(until)),
            under_way: TaskTracker::new(),
        }
    }

    /// Whether a write may be sent at this moment.
    pub fn is_open(&self) -> bool {
        match *self.lock() {
            Until::Ever => true,
            Until::Time(deadline) => Instant::now() < deadline,
            Until::Never => false,
        }
    }

    /// A write is about to be sent; `None` if it must not be sent.
    pub fn enter(&self) -> Option<WriteTurn> {
        // Counted before the check: `drain` never misses a write that passes it.
        let turn = WriteTurn {
            _token: self.under_way.token(),
        };
        self.is_open().then_some(turn)
    }

    /// The result of this request; `None` if the time to write was over before the request was
    /// complete. Checked whenever the request goes on: making a connection may take longer than the
    /// lease.
    pub async fn while_in_time<T>(&self, request: impl Future<Output = T>) -> Option<T> {
        let mut request = pin!(request);
        poll_fn(|cx| {
            if self.is_over() {
                return Poll::Ready(None);
            }
            request.as_mut().poll(cx).map(Some)
        })
        .await
    }

    /// The lease was renewed: writes are admitted until then.
    pub fn extend(&self, deadline: Instant) {
        *self.lock() = Until::Time(deadline);
    }

    /// No further write is admitted.
    pub fn close(&self) {
        *self.lock() = Until::Never;
    }

    /// Waits until no write is under way, once no further one is admitted.
    pub async fn drain(&self) {
        self.close();
        self.under_way.close();
        self.under_way.wait().await;
    }

    /// Whether the lease ran out. A lease that is given back waits for the writes under way.
    fn is_over(&self) -> bool {
        matches!(*self.lock(), Until::Time(deadline) if deadline <= Instant::now())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Until> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
