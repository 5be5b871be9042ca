//! Whether a component finds no room (docs/semantics.md §14.4).

use api::LastError;
use api::podclique::WaitingPod;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::Pod;
use crate::health::readiness;

/// A scheduler needs some time to place a pod for which there is room.
const WITHOUT_NODE: SignedDuration = SignedDuration::from_secs(60);
/// The API server's words for a pod that a `ResourceQuota` refuses.
pub const QUOTA: &str = "exceeded quota:";

/// Whether a scheduler looks for a node for the pod.
pub fn waits_for_node(pod: &Pod) -> bool {
    waits(pod) && !pod.is_gated()
}

/// Whether the pod waits for a node, or behind its gate. For surge that is the same: there is no
/// room for it as long as the base gang does not run.
pub fn waits(pod: &Pod) -> bool {
    !pod.is_scheduled() && !pod.is_terminating()
}

/// The pod whose wait is stored next, of those that wait: the stored one while it waits, else
/// another one. A condition of a pod gives no time, since it does not flip when a gate is removed.
pub fn next_waiting<'a>(
    stored: Option<&WaitingPod>,
    waiting: impl IntoIterator<Item = &'a Pod>,
    now: Timestamp,
) -> Option<WaitingPod> {
    let waiting: Vec<&Pod> = waiting.into_iter().collect();
    let is_stored = |pod: &&Pod| stored.is_some_and(|stored| stored.uid == pod.uid());
    if waiting.iter().any(is_stored) {
        return stored.cloned();
    }
    let uid = waiting.iter().map(|pod| pod.uid()).min()?.to_owned();
    Some(WaitingPod {
        uid,
        since: Time(now),
    })
}

/// The same where no pod waits: a gang whose quota is not enough for surge pods, which may not exist yet.
pub fn next_wait_of(stored: Option<&WaitingPod>, gang: &str, now: Timestamp) -> WaitingPod {
    let kept = stored.filter(|stored| stored.uid == gang);
    kept.cloned().unwrap_or_else(|| WaitingPod {
        uid: gang.to_owned(),
        since: Time(now),
    })
}

/// When a pod that waits counts as one without room.
pub fn short_at(waiting: Option<&WaitingPod>) -> Option<Timestamp> {
    waiting?.since.0.checked_add(WITHOUT_NODE).ok()
}

/// Whether a pod has waited for a node for a minute, or a quota refuses one.
pub fn is_short<'a>(
    waiting: Option<&WaitingPod>,
    errors: impl IntoIterator<Item = &'a LastError>,
    now: Timestamp,
) -> bool {
    let has_waited = short_at(waiting).is_some_and(|at| at <= now);
    has_waited || is_over_quota(errors)
}

/// Whether a quota refuses a pod.
pub fn is_over_quota<'a>(errors: impl IntoIterator<Item = &'a LastError>) -> bool {
    let mut errors = errors.into_iter();
    errors.any(|error| error.description.contains(QUOTA))
}

/// Why a component finds no room: the scheduler's words about the pod that waits, or the quota's.
pub fn explain_no_room<'a>(
    waiting: Option<&WaitingPod>,
    pods: impl IntoIterator<Item = &'a Pod>,
    errors: impl IntoIterator<Item = &'a LastError>,
) -> String {
    let mut errors = errors.into_iter();
    if let Some(refused) = errors.find(|error| error.description.contains(QUOTA)) {
        return refused.description.clone();
    }
    let is_waiting = |pod: &&Pod| waiting.is_some_and(|waiting| waiting.uid == pod.uid());
    let Some(pod) = pods.into_iter().find(is_waiting) else {
        return "a pod has no node, or no quota".to_owned();
    };
    if pod.is_gated() {
        let name = pod.name();
        return format!("pod {name} keeps its gate until its base gang runs");
    }
    let words = readiness::explain_unscheduled(pod);
    let words = words.map_or(String::new(), |words| format!(": {words}"));
    format!("pod {} has no node{words}", pod.name())
}
