//! Whether a leader renews its Lease.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;

use crate::output::age_of;
use crate::status::{Check, Observed, ObservedLease, Verdict};

const NAME: &str = "leader";
/// The clocks of this machine and of the operator's may differ by this.
const SKEW: SignedDuration = SignedDuration::from_secs(30);

pub(super) fn check(observed: &Observed, now: Timestamp) -> Check {
    let all = observed.leases.iter().map(|lease| judge(lease, now));
    let worst = all.max_by_key(|check| match check.verdict {
        Verdict::Ok => 0,
        Verdict::Unknown => 1,
        Verdict::Wrong => 2,
    });
    worst.unwrap_or_else(|| {
        Check::new(
            NAME,
            Verdict::Unknown,
            "no Deployment, so no Lease is known",
        )
    })
}

fn judge(observed: &ObservedLease, now: Timestamp) -> Check {
    let name = &observed.name;
    let lease = match &observed.lease {
        Err(why) => return Check::new(NAME, Verdict::Unknown, why),
        Ok(None) => {
            let details = format!("there is no Lease {name}: leader election is off");
            return Check::new(NAME, Verdict::Unknown, details);
        }
        Ok(Some(lease)) => lease,
    };
    match holder_of(lease) {
        None => without_leader(name, "nobody leads".to_owned()),
        Some((holder, renewed, length)) => {
            let age = age_of(renewed, now);
            let details = format!("{holder} renewed {name} {age} ago");
            if now.duration_since(renewed) > length + SKEW {
                without_leader(name, details)
            } else {
                Check::new(NAME, Verdict::Ok, details)
            }
        }
    }
}

/// The holder, its last renewal, and how long that counts.
fn holder_of(lease: &Lease) -> Option<(&str, Timestamp, SignedDuration)> {
    let spec = lease.spec.as_ref()?;
    let holder = spec
        .holder_identity
        .as_deref()
        .filter(|holder| !holder.is_empty())?;
    let length = i64::from(spec.lease_duration_seconds.unwrap_or(15));
    let renewed = spec.renew_time.as_ref()?.0;
    Some((holder, renewed, SignedDuration::from_secs(length)))
}

fn without_leader(name: &str, details: String) -> Check {
    let (namespace, lease) = name.split_once('/').unwrap_or_default();
    let deployment = lease
        .strip_suffix(crate::status::read::LEASE)
        .unwrap_or(lease);
    let remedy = format!("`kubectl -n {namespace} logs deployment/{deployment}`");
    Check::new(NAME, Verdict::Wrong, details).remedy(remedy)
}
