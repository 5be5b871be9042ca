//! How long things may take, and how much there may be at the same time.

use std::time::Duration;

/// How fast a question has to come, in bytes a second: the longest one within 4 s.
pub(super) const LEAST_RATE: u64 = 2 * 1024 * 1024;

/// Bounds of a server.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The time that a request may wait for memory and for its turn, and that a handshake may take.
    /// The time of its transfer does not count.
    pub deadline: Duration,
    /// How far a question may be behind 2 MiB/s: one that says nothing for so long is given up.
    pub lag: Duration,
    /// The same where another connection or question waits for its place.
    pub patience: Duration,
    /// How long a connection may wait for its next question: longer than the API server keeps one
    /// that it does not use (90 s), which closes it without a question being lost.
    pub idle: Duration,
    /// The time that running requests may take after shutdown began.
    pub grace: Duration,
    /// Room for the questions under way that are longer than 64 KiB, in KiB; never less than for the
    /// longest one. A decoded object is several times its text.
    pub kib_under_way: u32,
    /// Connections in all, and as many again of clients that are known by a certificate. Addresses
    /// share them.
    pub connections: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(3),
            lag: Duration::from_secs(1),
            patience: Duration::from_millis(250),
            idle: Duration::from_mins(2),
            grace: Duration::from_secs(3),
            kib_under_way: 24 * 1024,
            connections: 512,
        }
    }
}
