//! Waiting for events, never for time to pass.

use std::thread;
use std::time::{Duration, Instant};

const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Looks until there is a result. `Err` is the remaining problem; after the limit it is the error.
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

/// Looks for that long, and fails as soon as something is wrong: for events that must *not* happen.
pub fn throughout(
    time: Duration,
    mut look: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        look()?;
        thread::sleep(BETWEEN_LOOKS);
    }
    Ok(())
}
