//! How much one set may amount to. Each count has its limit in the definition; what they make
//! together is counted here before anything is enumerated, with the live counts of what exists, so
//! that no stored number makes work without end (design, protocol rule 9).

mod live;
mod shape;
mod single;

use api::PodCliqueSet;
use api::conditions::{self, ConditionType, Reason};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::admission::FieldError;

pub use api::limits::{MOST_ITEMS, MOST_REPLICAS};
pub use live::of_live;
pub use shape::bytes;
pub use single::{of_group, of_podclique};

/// PodCliques of one set.
pub const MOST_PODCLIQUES: i128 = 20_000;
/// Pods of one set.
pub const MOST_PODS: i128 = 100_000;
/// Pods of one PodGang. It lists each of them in one object, and etcd takes 1.5 MiB: with the
/// longest names a reference takes 154 bytes, and a part of one pod another 110.
pub const MOST_GANG_PODS: i128 = 5_000;
/// Bytes of the pod templates of all PodCliques of one set. Each holds a copy, in our memory too,
/// and after a lost watch the list of them comes as text beside what is known already: three times
/// this is well below the 1 GiB that the chart allows.
pub const MOST_TEMPLATE_BYTES: i128 = 128 * 1024 * 1024;

/// A count as it is acted on, whatever is stored.
pub fn bounded(replicas: i32) -> i32 {
    replicas.clamp(0, MOST_REPLICAS)
}

/// What makes the set too large by itself, with defaults applied: lists, then counts, then what
/// they make together. Each is looked at only if those before it are in order.
pub fn of_template(set: &PodCliqueSet) -> Vec<FieldError> {
    let lists = single::lists(set);
    if !lists.is_empty() {
        return lists;
    }
    let counts = single::counts(set);
    if !counts.is_empty() {
        return counts;
    }
    live::of_live(set, std::iter::empty(), std::iter::empty())
}

/// Whether an object says of itself that it is over its limits.
pub fn is_told(conditions: &[Condition]) -> bool {
    let ready = conditions::find(conditions, ConditionType::Ready);
    ready.is_some_and(|c| c.reason == Reason::LimitExceeded.to_string())
}
