//! The Lease by which operators elect a leader.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;

/// The clocks of this machine and of the operator's may differ by this.
const SKEW: SignedDuration = SignedDuration::from_secs(30);
/// If the holder stored none.
const DURATION: i32 = 15;

/// The leader that a Lease names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leader<'a> {
    /// Its name.
    pub(crate) holder: &'a str,
    /// When it renewed the Lease last.
    pub(crate) renewed: Timestamp,
    /// Whether that was within the duration of the Lease.
    pub(crate) is_there: bool,
}

/// The leader; `None` if the Lease was given back, or never was renewed.
pub(crate) fn find_leader(lease: &Lease, now: Timestamp) -> Option<Leader<'_>> {
    let spec = lease.spec.as_ref()?;
    let holder = spec.holder_identity.as_deref()?;
    let renewed = renewed_at(lease)?;
    let seconds = spec.lease_duration_seconds.unwrap_or(DURATION);
    let duration = SignedDuration::from_secs(seconds.into());
    (!holder.is_empty()).then(|| Leader {
        holder,
        renewed,
        is_there: now.duration_since(renewed) <= duration.saturating_add(SKEW),
    })
}

/// When somebody renewed the Lease last.
pub(super) fn renewed_at(lease: &Lease) -> Option<Timestamp> {
    Some(lease.spec.as_ref()?.renew_time.as_ref()?.0)
}
