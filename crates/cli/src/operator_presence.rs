//! Whether the operator is there. Without it every status is as old as its last write, and the pods say
//! something else.

mod lease;
mod read;
mod watch;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use serde::Serialize;

use crate::cluster::{Cluster, OPERATOR};
use crate::output::age_of;
use crate::tree::now;

use lease::renewed_at;

pub(crate) use lease::find_leader;
pub use read::read_leases;
pub(crate) use read::{LEASE, lease_name, read_lease};
pub use watch::{INTERVAL, PresenceWatch};

/// The Lease of an installed operator.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorLease {
    /// Namespace of the operator.
    pub namespace: String,
    /// The Lease as stored.
    pub lease: Lease,
}

/// The operator does not renew its Lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatorAbsence {
    /// Namespace of the operator.
    pub namespace: String,
    /// Name of the Lease.
    pub lease: String,
    /// When it was renewed last; absent if it was given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// The absence of the operator, if all known Leases show it. Nothing is known without one: leader
/// election is off, or the user may not read Leases.
pub fn find_absence(leases: &[OperatorLease], now: Timestamp) -> Option<OperatorAbsence> {
    // Of several operators each may serve this namespace.
    let mut leaders = leases.iter().map(|found| find_leader(&found.lease, now));
    let is_any_there = leaders.any(|leader| leader.is_some_and(|leader| leader.is_there));
    let last = leases.iter().max_by_key(|found| renewed_at(&found.lease));
    let last = last.filter(|_| !is_any_there)?;
    Some(OperatorAbsence {
        namespace: last.namespace.clone(),
        lease: last.lease.metadata.name.clone().unwrap_or_default(),
        since: find_leader(&last.lease, now).map(|leader| leader.renewed),
    })
}

/// The absence of the operator by the Leases as they are now.
pub async fn read_absence(cluster: &Cluster) -> Option<OperatorAbsence> {
    find_absence(&read_leases(cluster).await, now())
}

impl OperatorAbsence {
    /// In one sentence, with a command that shows the operator's pods.
    pub fn describe(&self, now: Timestamp) -> String {
        let Self {
            namespace, lease, ..
        } = self;
        let command = self.command();
        let what = match self.since {
            Some(at) => format!(
                "nobody has renewed Lease {namespace}/{lease} for {}",
                age_of(at, now)
            ),
            None => format!("nobody holds Lease {namespace}/{lease}"),
        };
        format!(
            "the operator is away: {what}. The states below are old: the operator wrote them before \
             it went, and nothing is repaired now; look at `{command}`"
        )
    }

    /// The command that shows the operator's pods.
    pub fn command(&self) -> String {
        format!("kubectl -n {} get pods -l {OPERATOR}", self.namespace)
    }
}
