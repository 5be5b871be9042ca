//! Whether a leader renews its Lease.

use jiff::Timestamp;

use crate::operator_presence::{LEASE, find_leader};
use crate::output::age_of;
use crate::status::{Check, Observed, ObservedLease, Verdict};

const NAME: &str = "leader";

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
    let Some(leader) = find_leader(lease, now) else {
        return without_leader(name, "nobody leads".to_owned());
    };
    let age = age_of(leader.renewed, now);
    let details = format!("{} renewed {name} {age} ago", leader.holder);
    if leader.is_there {
        Check::new(NAME, Verdict::Ok, details)
    } else {
        without_leader(name, details)
    }
}

fn without_leader(name: &str, details: String) -> Check {
    let (namespace, lease) = name.split_once('/').unwrap_or_default();
    let deployment = lease.strip_suffix(LEASE).unwrap_or(lease);
    let remedy = format!("`kubectl -n {namespace} logs deployment/{deployment}`");
    Check::new(NAME, Verdict::Wrong, details).remedy(remedy)
}
