//! Waiting for what is to come, never for time to pass.

use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take; most takes a second or two.
pub const DEADLINE: Duration = Duration::from_mins(1);

const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Looks until there is a result. `Err` says what is still wrong; after the deadline that is the
/// error.
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
