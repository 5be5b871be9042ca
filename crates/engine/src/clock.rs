//! The one place that reads the clock.

use std::sync::Arc;

use jiff::Timestamp;

/// Returns the time; tests and the simulator bring their own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The current time.
#[allow(
    clippy::disallowed_methods,
    reason = "every other place takes the time as a parameter"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}
