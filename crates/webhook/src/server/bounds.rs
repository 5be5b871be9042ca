//! Time limits, and limits on concurrent work.

use std::time::Duration;

/// The least rate of a request, in bytes per second: the longest request takes 4 s.
pub(super) const LEAST_RATE: u64 = 2 * 1024 * 1024;

/// Bounds of a server.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The time that a request may wait for memory and for its turn, and that a handshake may take.
    /// The time of its transfer does not count.
    pub deadline: Duration,
    /// How far a request may be behind 2 MiB/s: a request that sends nothing for this long is
    /// dropped.
    pub lag: Duration,
    /// The same while another connection or request waits for its place.
    pub patience: Duration,
    /// How long a connection may wait for its next request: longer than the API server keeps an
    /// unused one (90 s), so that the API server closes it and no request is lost.
    pub idle: Duration,
    /// The time that running requests may take after shutdown began.
    pub grace: Duration,
    /// Budget for the current requests that are longer than 64 KiB, in KiB; never less than for the
    /// longest request. A decoded object is several times its text.
    pub kib_under_way: u32,
    /// Connections in total, and as many again for clients with a trusted certificate. Addresses
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
