//! The limits of one set. Each count has its limit in the CRD; the product of the counts is checked
//! before anything is enumerated (`admission::oversize`), so that no stored number causes endless
//! work (docs/semantics.md §12). The set reports an excess in its condition Ready; all other
//! components read that condition.

use api::PodCliqueSet;
use api::conditions::{self, ConditionType, Reason};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

pub use api::limits::{MAX_ITEMS, MAX_REPLICAS};

/// PodCliques of one set.
pub const MAX_PODCLIQUES: i128 = 20_000;
/// Pods of one set.
pub const MAX_PODS: i128 = 100_000;
/// Pods of one PodGang. It lists each of them in one object, and etcd takes 1.5 MiB: with the
/// longest names a reference takes 154 bytes, and a part of one pod another 110.
pub const MAX_GANG_PODS: i128 = 5_000;
/// Bytes of the pod templates of all PodCliques of one set. Each PodClique holds a copy, in the
/// operator's memory too, and after a lost watch their list is decoded beside the cached one: three
/// times this is well below the 1 GiB that the chart allows.
pub const MAX_TEMPLATE_BYTES: i128 = 128 * 1024 * 1024;

/// Bytes of the specifications of all sets of one namespace, as JSON. The operator keeps each of
/// them, and more during a new list: eight full namespaces fit into the 1 GiB that the chart
/// allows, if no other namespace has any.
pub const MAX_NAMESPACE_BYTES: i128 = 64 * 1024 * 1024;

/// A stored count, clamped to the limit.
pub fn bounded(replicas: i32) -> i32 {
    replicas.clamp(0, MAX_REPLICAS)
}

/// Whether the conditions report that the object is over its limits.
pub fn is_reported(conditions: &[Condition]) -> bool {
    let ready = conditions::find(conditions, ConditionType::Ready);
    ready.is_some_and(|c| c.reason == Reason::LimitExceeded.to_string())
}

/// Whether the set's condition reports that it is over its limits.
pub fn says_over_limits(stored: &PodCliqueSet) -> bool {
    let status = stored.status.as_ref();
    status.is_some_and(|s| is_reported(&s.conditions))
}
