//! How long things may take, and how much there may be at the same time.

use std::time::Duration;

/// Bounds of a server.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How long a question may take, until all of it is read and answered.
    pub deadline: Duration,
    /// How long a connection may wait for its next question: longer than the API server keeps one
    /// that it does not use (90 s), which closes it without a question being lost.
    pub idle: Duration,
    /// How long questions under way may take after the server was told to stop.
    pub grace: Duration,
    /// What is read of all questions under way, in KiB; never less than the longest one. What is kept
    /// apart for one of that length is for whoever waits first, and of the rest one address has half
    /// at most. A decoded object is several times its text.
    pub kib_under_way: u32,
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address. An API server opens one for each question under way, and all of
    /// them may have one address.
    pub connections_of_address: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(3),
            idle: Duration::from_mins(2),
            grace: Duration::from_secs(3),
            kib_under_way: 24 * 1024,
            connections: 512,
            connections_of_address: 128,
        }
    }
}
