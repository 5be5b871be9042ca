//! Whether the operator is there. Without it every status is as old as its last write, and the pods say
//! something else.

mod read;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use serde::Serialize;

use crate::output::age_of;

pub use read::read_leases;

/// The clocks of this machine and of the operator's may differ by this.
const SKEW: SignedDuration = SignedDuration::from_secs(30);
/// If the holder stored none.
const DURATION: i32 = 15;

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
    let is_any_there = leases.iter().any(|found| is_held(&found.lease, now));
    let last = leases.iter().max_by_key(|found| renewed_at(&found.lease));
    let last = last.filter(|_| !is_any_there)?;
    Some(OperatorAbsence {
        namespace: last.namespace.clone(),
        lease: last.lease.metadata.name.clone().unwrap_or_default(),
        since: holder_of(&last.lease).and_then(|_| renewed_at(&last.lease)),
    })
}

impl OperatorAbsence {
    /// In one sentence, with a command that shows the operator's pods.
    pub fn describe(&self, now: Timestamp) -> String {
        let Self {
            namespace, lease, ..
        } = self;
        let what = match self.since {
            Some(at) => format!(
                "nobody has renewed Lease {namespace}/{lease} for {}",
                age_of(at, now)
            ),
            None => format!("nobody holds Lease {namespace}/{lease}"),
        };
        format!(
            "the operator is away: {what}. States are those that it wrote last, and nothing is \
             repaired; look at `kubectl -n {namespace} get pods -l \
             app.kubernetes.io/name=grove-operator`"
        )
    }
}

/// Whether a holder renewed it within its duration.
fn is_held(lease: &Lease, now: Timestamp) -> bool {
    let spec = lease.spec.as_ref();
    let seconds = spec.and_then(|spec| spec.lease_duration_seconds);
    let duration = SignedDuration::from_secs(seconds.unwrap_or(DURATION).into());
    let renewed = holder_of(lease).and_then(|_| renewed_at(lease));
    renewed.is_some_and(|at| now.duration_since(at) <= duration.saturating_add(SKEW))
}

fn holder_of(lease: &Lease) -> Option<&str> {
    let holder = lease.spec.as_ref()?.holder_identity.as_deref();
    holder.filter(|holder| !holder.is_empty())
}

fn renewed_at(lease: &Lease) -> Option<Timestamp> {
    Some(lease.spec.as_ref()?.renew_time.as_ref()?.0)
}
