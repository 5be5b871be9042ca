//! The next step, from the last seen Lease. Pure.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::Instant;

use super::LeaseOptions;

/// The Lease as it was last seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// `None`: the Lease does not exist.
    pub lease: Option<Lease>,
    /// When this version was first seen here.
    pub since: Instant,
    /// Until when the holder of a deleted Lease may still write: it notices the deletion only when
    /// it renews.
    pub held_until: Option<Instant>,
}

/// The next step of a process that does not lead.
#[derive(Clone, Debug, PartialEq)]
pub enum LeaseStep {
    /// Take the lease.
    Take,
    /// Read again then, or when the Lease changes.
    WaitUntil(Instant),
}

/// Whether the lease may be taken. A predecessor with the same identity is gone: one process at a
/// time has an identity.
pub fn next_step(record: &Record, options: &LeaseOptions, now: Instant) -> LeaseStep {
    match end_of_hold(record, options) {
        Some(end) if now < end => LeaseStep::WaitUntil(end),
        _ => LeaseStep::Take,
    }
}

/// When the last holder may write no more; `None` if no other process held it, or the holder gave
/// it back.
pub(super) fn end_of_hold(record: &Record, options: &LeaseOptions) -> Option<Instant> {
    let Some(lease) = &record.lease else {
        return record.held_until;
    };
    let holder = holder_of(lease);
    let is_other = !holder.is_empty() && holder != options.identity;
    is_other.then(|| record.since + duration_of(lease, options))
}

/// Whether the last holder gave the lease back.
pub(super) fn was_given_back(record: &Record) -> bool {
    let lease = record.lease.as_ref();
    lease.is_some_and(|lease| holder_of(lease).is_empty())
}

/// The holder; empty if there is none.
pub(super) fn holder_of(lease: &Lease) -> &str {
    let spec = lease.spec.as_ref();
    spec.and_then(|spec| spec.holder_identity.as_deref())
        .unwrap_or_default()
}

/// The duration that its holder wrote, which may be configured differently; for a Lease without
/// duration, this process's own.
fn duration_of(lease: &Lease, options: &LeaseOptions) -> Duration {
    let spec = lease.spec.as_ref();
    let seconds = spec.and_then(|spec| spec.lease_duration_seconds);
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or(options.lease_duration, Duration::from_secs)
}

/// Whether the shown lease is newer than the known one: a watch that lags shows versions from
/// before.
pub(super) fn is_newer(shown: Option<&Lease>, known: Option<&Lease>) -> bool {
    let (Some(shown), Some(known)) = (shown, known) else {
        return shown.is_some() != known.is_some();
    };
    let version = |lease: &Lease| -> u64 {
        let version = lease.metadata.resource_version.as_deref();
        version.and_then(|v| v.parse().ok()).unwrap_or_default()
    };
    shown.metadata.uid != known.metadata.uid || version(shown) > version(known)
}
