//! Pod indexes: the index and the name of a new pod (docs/semantics.md §6.1).

use std::collections::{BTreeMap, BTreeSet};

use crate::object::fnv;

/// The holder of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A pod that exists and stays.
    Live,
    /// A terminating pod; the index is free once the pod is gone.
    Leaving,
}

/// The indices outside of `surge` that new pods take now, ascending.
///
/// `replicas` is the number of pods wanted beside surge pods; `surge` is empty where there are none.
/// The lowest free indices are taken first (docs/semantics.md §6.1). The index of a leaving pod is
/// waited for, not skipped: its successor inherits hostname and DNS name, and these must never lead
/// to two pods.
pub fn vacant(
    holders: &BTreeMap<i32, Holder>,
    replicas: i32,
    surge: &BTreeSet<i32>,
) -> impl Iterator<Item = i32> {
    let is_live = |(k, holder): &(&i32, &Holder)| **holder == Holder::Live && !surge.contains(*k);
    let live = holders.iter().filter(is_live).count();
    let missing = usize::try_from(replicas).unwrap_or(0).saturating_sub(live);
    (0..i32::MAX)
        .filter(|k| !surge.contains(k) && holders.get(k) != Some(&Holder::Live))
        .take(missing)
        .filter(|k| !holders.contains_key(k))
}

/// The name of the pod at an index: the same name if the same index is filled again after a lost
/// answer, another one once a pod of it was seen (`last` is the name of its last holder) or the
/// name turned out to be taken (`probe`).
pub fn pod_name(podclique: &str, uid: &str, index: i32, last: &str, probe: u32) -> String {
    let seed = format!("{uid}/{index}/{last}/{probe}");
    format!("{podclique}-{}", fnv::encode(fnv::hash(seed.as_bytes()), 5))
}
