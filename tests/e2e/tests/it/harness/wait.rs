//! Waiting for events, never for time to pass.

use std::thread;
use std::time::{Duration, Instant};

/// The longest time for any step: most take a second or two, and a whole update of 30 pods, one after
/// the other, more than a minute. A slow machine with ten tests at once takes four times as long.
pub const DEADLINE: Duration = Duration::from_mins(8);

const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Looks until there is a result. `Err` is the remaining problem, and after the deadline the error.
pub fn until<T>(look: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    within(DEADLINE, look)
}

/// The same with another deadline.
pub fn within<T>(
    limit: Duration,
    mut look: impl FnMut() -> Result<T, String>,
) -> Result<T, String> {
    let deadline = Instant::now() + limit;
    loop {
        match look() {
            Ok(found) => return Ok(found),
            Err(wrong) if Instant::now() > deadline => {
                return Err(format!("not within {limit:?}: {wrong}"));
            }
            Err(_) => thread::sleep(BETWEEN_LOOKS),
        }
    }
}
