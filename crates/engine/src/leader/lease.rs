//! What to do about the Lease as it was last seen. Pure.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::Instant;

use super::LeaseOptions;

/// The Lease as it was last seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// `None`: there is none.
    pub lease: Option<Lease>,
    /// When this version was first seen here.
    pub since: Instant,
}

/// What a process that does not lead does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Take the lease.
    Take,
    /// Look again then, or when the Lease changes.
    WaitUntil(Instant),
}

/// Whether the lease may be taken. A predecessor of the same name is gone: names are given to one
/// process at a time.
pub fn next_step(record: &Record, options: &LeaseOptions, now: Instant) -> Step {
    let Some(lease) = &record.lease else {
        return Step::Take;
    };
    let holder = holder_of(lease);
    if holder.is_empty() || holder == options.identity {
        return Step::Take;
    }
    let expires = record.since + duration_of(lease, options);
    if expires <= now {
        return Step::Take;
    }
    Step::WaitUntil(expires)
}

/// Who holds it; empty if nobody does.
pub(super) fn holder_of(lease: &Lease) -> &str {
    let spec = lease.spec.as_ref();
    spec.and_then(|spec| spec.holder_identity.as_deref())
        .unwrap_or_default()
}

/// As long as its holder said, which may be configured differently; a Lease without that counts by
/// this process's own.
fn duration_of(lease: &Lease, options: &LeaseOptions) -> Duration {
    let spec = lease.spec.as_ref();
    let seconds = spec.and_then(|spec| spec.lease_duration_seconds);
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or(options.lease_duration, Duration::from_secs)
}

/// Whether this is news to who knows that: a watch that lags shows versions from before.
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
