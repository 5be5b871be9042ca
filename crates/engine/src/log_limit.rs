//! Limits how often the same problem is logged.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A problem that goes on is logged again after this.
pub const AGAIN_AFTER: Duration = Duration::from_secs(30);
/// This many problems are remembered.
const MAX_REMEMBERED: usize = 1000;

/// When each problem was logged last, for any object.
#[derive(Debug, Default)]
pub struct LogLimit(Mutex<HashMap<String, Instant>>);

impl LogLimit {
    /// Whether to log this problem: it was not logged within the last half minute.
    pub fn is_news(&self, problem: &str) -> bool {
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() >= MAX_REMEMBERED {
            logged.retain(|_, at| at.elapsed() < AGAIN_AFTER);
        }
        let last = logged.get(problem);
        if last.is_some_and(|at| at.elapsed() < AGAIN_AFTER) {
            return false;
        }
        logged.insert(problem.to_owned(), Instant::now());
        true
    }
}
