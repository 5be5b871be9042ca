//! Detects whether the runtime that decides goes on: it beats each second, and the thread of the
//! probes reads the last beat.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two beats.
const PERIOD: Duration = Duration::from_secs(1);
/// A runtime without a beat for this long is stuck: no decision takes a tenth of a second.
pub const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// The time of the last beat of the runtime that decides.
#[derive(Debug)]
pub struct Heartbeat(Mutex<Instant>);

impl Default for Heartbeat {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

impl Heartbeat {
    /// Beats for ever, on the watched runtime.
    pub async fn beat(&self) {
        loop {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// The length of its silence, if that is too long.
    pub fn silence(&self, now: Instant) -> Option<Duration> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let silence = now.saturating_duration_since(last);
        (silence > LONGEST_SILENCE).then_some(silence)
    }
}
