//! I39: a failed pod of a job is replaced only after its job has stored the failure.

use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, job, quota, suspended, updates};
use crate::view;

/// The number of failures that a set keeps: a failure that is not among them may be older.
const KEPT: usize = 5;

/// The operator deletes the pod.
pub(super) fn check(window: &Window<'_>, pod: &Value) -> Checked {
    let is_replaced = has_failed(pod)
        && is_of_living_job(window, pod)
        && !is_surplus(window, pod)
        && !suspended::may_be_suspended(window, pod)
        && !quota::may_be_lost(window, pod)
        && !updates::may_be_replaced(window, pod);
    let sets = job::sets(window, pod);
    let is_noted = || sets.iter().any(|set| is_kept(set, view::name(pod)));
    demand(!is_replaced || is_noted(), "I39", || {
        let name = view::name(pod);
        format!("{name} had failed, and is deleted though its job does not say so")
    })
}

fn has_failed(pod: &Value) -> bool {
    view::text(pod, "/status/phase") == "Failed"
}

fn is_kept(set: &Value, pod: &str) -> bool {
    let failures: Vec<&Value> = view::list(set, "/status/lastFailures").collect();
    failures.len() >= KEPT || failures.iter().any(|f| view::text(f, "/pod") == pod)
}

/// Whether nothing else can have ended the pod: its PodClique stays, is of the present attempt, and
/// its job is neither over nor being deleted.
fn is_of_living_job(window: &Window<'_>, pod: &Value) -> bool {
    let sets = job::sets(window, pod);
    let podcliques = job::owners(window, pod);
    let stays =
        |set: &Value| view::is_job(set) && !view::is_over(set) && !view::is_terminating(set);
    let is_present = |podclique: &Value, set: &Value| {
        let replica = view::replica(podclique).unwrap_or(-1);
        !view::is_terminating(podclique)
            && view::attempt(set, replica) == job::attempt_of(podclique)
    };
    !sets.is_empty()
        && !podcliques.is_empty()
        && sets
            .iter()
            .all(|set| stays(set) && podcliques.iter().all(|c| is_present(c, set)))
}

/// Whether its PodClique may have been observed with more pods than it needs.
fn is_surplus(window: &Window<'_>, pod: &Value) -> bool {
    let owner = view::owner(pod).map(|o| o.2);
    let wanted = job::owners(window, pod);
    let wanted = wanted.iter().map(|c| view::number(c, "/spec/replicas"));
    let most =
        window.most_pods(|p| view::owner(p).map(|o| o.2) == owner && !view::is_terminating(p));
    i64::try_from(most).unwrap_or(i64::MAX) > wanted.min().unwrap_or(0)
}
