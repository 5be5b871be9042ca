//! Whether the runtime that decides goes on: it says so each second, and the thread of the probes looks.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it says so.
const PERIOD: Duration = Duration::from_secs(1);
/// What has not said so for this long does nothing any more: no decision takes a tenth of a second.
pub const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// When the runtime that decides said last that it runs.
#[derive(Debug)]
pub struct Heartbeat(Mutex<Instant>);

impl Default for Heartbeat {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

impl Heartbeat {
    /// Says so for ever, on the runtime that is watched.
    pub async fn beat(&self) {
        loop {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// For how long it has said nothing, if that is too long.
    pub fn silence(&self, now: Instant) -> Option<Duration> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let silence = now.saturating_duration_since(last);
        (silence > LONGEST_SILENCE).then_some(silence)
    }
}
