//! Whether a leader renews its Lease, one line for each operator.

use jiff::Timestamp;

use crate::cluster::OPERATOR;
use crate::operator_presence::{LEASE, find_leader};
use crate::output::age_of;
use crate::status::{Check, Observed, ObservedLease, Verdict};

const NAME: &str = "leader";

/// A line for the Lease of each operator.
pub(super) fn check_each(observed: &Observed, now: Timestamp) -> Vec<Check> {
    if observed.leases.is_empty() {
        let details = "no Deployment, so no Lease is known";
        return vec![Check::new(NAME, Verdict::Unknown, details)];
    }
    let leases = observed.leases.iter();
    leases.map(|lease| judge(lease, now)).collect()
}

fn judge(observed: &ObservedLease, now: Timestamp) -> Check {
    let name = &observed.name;
    let lease = match &observed.lease {
        Err(why) => return Check::new(NAME, Verdict::Unknown, format!("{name}: {why}")),
        Ok(None) => {
            let details = format!(
                "there is no Lease {name}: leader election is off, or this operator has never led"
            );
            return Check::new(NAME, Verdict::Unknown, details);
        }
        Ok(Some(lease)) => lease,
    };
    let Some(leader) = find_leader(lease, now) else {
        return without_leader(name, format!("nobody leads by Lease {name}"));
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
    let remedy = format!(
        "`kubectl -n {namespace} describe pods -l {OPERATOR}` shows what /readyz of each pod misses; \
         `kubectl -n {namespace} logs deployment/{deployment}` has the errors"
    );
    Check::new(NAME, Verdict::Wrong, details).remedy(remedy)
}
