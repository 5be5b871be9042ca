//! The one place that reads the clock.

use jiff::Timestamp;

/// The current time.
#[allow(
    clippy::disallowed_methods,
    reason = "every other place takes the time as a parameter"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}
