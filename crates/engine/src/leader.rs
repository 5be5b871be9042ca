//! Of several operators one writes: the holder of the Lease.
//!
//! ```text
//! standby ── the lease is free, given back, or was not renewed for its duration ──▶ leader
//! leader  ── not renewed for the renew deadline, or in other hands ──▶ the process ends
//! leader  ── stopped: no write is under way any more ──▶ gives the lease back
//! ```
//!
//! No clock is compared with the clock of another process: the leader counts from when it sent the
//! renewal that succeeded, the others from when they saw it. The first is always earlier, and the
//! renew deadline is shorter than the duration, so between the leader's last write and the first of
//! the next leader is at least their difference. The leader's side of that is [`WriteGate`], which
//! each write asks: a process that was stopped in between writes nothing when it goes on.
//!
//! No existing library does that (docs/decisions.md).

mod campaign;
mod lease;
mod requests;
mod write_gate;

use std::time::Duration;

pub use campaign::{Campaign, Predecessor};
pub use lease::{LeaseStep, Record, next_step};
pub use write_gate::{WriteGate, WriteTurn};

/// The candidate for the lead, and its Lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseOptions {
    /// Namespace of the Lease.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Identity of this process: no other process that runs at the same time has it.
    pub identity: String,
    /// This long after the last renewal that it saw, another process may take the lease. Whole
    /// seconds.
    pub lease_duration: Duration,
    /// The leader writes for this long after the last renewal that succeeded. Less than the
    /// duration.
    pub renew_deadline: Duration,
    /// How often the leader renews.
    pub retry_period: Duration,
}
