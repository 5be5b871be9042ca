//! A line for each step, which distinguishes a slow run from a hanging one.

use std::sync::LazyLock;
use std::time::Instant;

static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Prints the line with the time since the first one.
pub fn say(line: &str) {
    eprintln!("[{:5.1} s] {line}", BEGAN.elapsed().as_secs_f64());
}
