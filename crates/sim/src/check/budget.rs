//! I48: a deletion for an update keeps to the budget: `reached` is stored, and at most
//! `maxUnavailable` fewer pods of the PodClique are up.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::limits::{self, Limits, max_surge, surge_from};
use super::units::component;
use super::window::Window;
use super::{Checked, OPERATOR, demand, job};
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// A pod of an older template that is Ready is deleted. One that is not Ready costs nothing.
pub(super) fn check(window: &Window<'_>, pod: &Value) -> Checked {
    let (_, podclique, owner) = view::owner(pod).unwrap_or_default();
    let is_own = |p: &Value| view::owner(p).is_some_and(|o| o.2 == owner);
    let is_counted = |p: &Value| is_own(p) && view::is_ready(p) && !is_ended_by_us(window, p);
    let up = i64::try_from(window.most_pods(is_counted)).unwrap_or(i64::MAX);
    let seen = window.of_uid(Resource::PodClique, owner);
    let sets = job::sets(window, pod);
    let budget = |state: &Value| find_budget(window, pod, &sets, state);
    let Some(floor) = find_floor(&seen, budget) else {
        let name = view::name(pod);
        return demand(false, "I48", || {
            format!("{name} of an older template deleted before reached was stored")
        });
    };
    // `up` counts the pod itself.
    demand(up > floor, "I48", || {
        format!(
            "{} of an older template deleted: {up} pods of {podclique} were up, {floor} have to stay",
            view::name(pod)
        )
    })
}

/// The least number of units that have to stay by these states of a PodClique or group, each with its
/// budget; `None` if none of them has `reached`.
pub(super) fn find_floor(seen: &[&Stored], budget: impl Fn(&Value) -> i64) -> Option<i64> {
    let floors = seen.iter().filter_map(|object| {
        let reached = reached(object)?.min(view::number(object, "/spec/replicas"));
        let minimum = view::number(object, "/spec/minAvailable");
        let by_budget = reached - budget(object);
        Some(if reached > minimum {
            by_budget.max(minimum)
        } else {
            by_budget
        })
    });
    floors.min()
}

fn reached(object: &Value) -> Option<i64> {
    view::at(object, "/status/updateProgress/reached")?.as_i64()
}

/// How many pods may be down by this state of their PodClique. A surge pod goes by `maxUnavailable`. One
/// that may not serve yet, though it is Ready, costs nothing: then 0 counts as 1.
fn find_budget(window: &Window<'_>, pod: &Value, sets: &[&Stored], podclique: &Value) -> i64 {
    let clique = clique_of(pod);
    if !is_surge(window, pod) {
        return limits::largest(sets, clique, podclique, Limits::budget);
    }
    let least = i64::from(!is_settled(window, pod, sets));
    limits::largest(sets, clique, podclique, |limits| limits.max_unavailable).max(least)
}

/// Whether a Ready pod surely counted as available at the decision: it is Ready for longer than a new
/// pod has to be, and for longer than a minute after the end of a container.
fn is_settled(window: &Window<'_>, pod: &Value, sets: &[&Stored]) -> bool {
    /// How long a new pod without a readiness probe has to be Ready, in seconds.
    const UNPROBED: i64 = 10;
    const AFTER_END: i64 = 60;
    /// A decision may be older than its deletion, and times of conditions are cut to whole seconds.
    const LAG: i64 = 6;
    let record = window.store.log.get(window.position);
    let is_past = |at: Timestamp, seconds: i64| {
        let due = at + SignedDuration::from_secs(seconds + LAG);
        record.is_some_and(|record| due <= record.time)
    };
    let parts = sets.iter().filter_map(|set| component(set, clique_of(pod)));
    let given = parts.map(|part| view::number(part, "/rollingUpdate/minReadySeconds"));
    let min_ready = given.max().unwrap_or(0).max(UNPROBED);
    let mut conditions = view::list(pod, "/status/conditions");
    let ready = conditions.find(|c| view::text(c, "/type") == "Ready");
    let ready = ready.and_then(|c| view::time(c, "/lastTransitionTime"));
    let mut ends = view::list(pod, "/status/containerStatuses")
        .filter_map(|c| view::time(c, "/lastState/terminated/finishedAt"));
    ready.is_none_or(|at| is_past(at, min_ready)) && ends.all(|at| is_past(at, AFTER_END))
}

/// The clique of a pod, by the name of its PodClique.
fn clique_of(pod: &Value) -> &str {
    let (_, podclique, _) = view::owner(pod).unwrap_or_default();
    podclique.rsplit('-').next().unwrap_or_default()
}

/// The most surge pods that the PodClique may have been allowed to have.
pub(super) fn allowed_surge(window: &Window<'_>, pod: &Value) -> i64 {
    let (_, _, owner) = view::owner(pod).unwrap_or_default();
    let seen = window.of_uid(Resource::PodClique, owner);
    if !seen.iter().any(|c| surge_from(c).is_some()) {
        return 0;
    }
    let clique = clique_of(pod);
    let sets = job::sets(window, pod);
    let all = sets.iter().filter_map(|set| component(set, clique));
    all.map(max_surge).max().unwrap_or(0)
}

/// A surge pod goes within the budget while `surgeFrom` is stored, also if its replica has lost its
/// turn, and as surplus afterwards.
pub(super) fn check_surge(window: &Window<'_>, pod: &Value) -> Checked {
    let (_, _, owner) = view::owner(pod).unwrap_or_default();
    let seen = window.of_uid(Resource::PodClique, owner);
    let is_stored = !seen.is_empty() && seen.iter().all(|c| surge_from(c).is_some());
    if is_stored {
        return check(window, pod);
    }
    Ok(())
}

/// Whether the pod may have been observed as a surge pod.
pub(super) fn is_surge(window: &Window<'_>, pod: &Value) -> bool {
    let (_, _, owner) = view::owner(pod).unwrap_or_default();
    let seen = window.of_uid(Resource::PodClique, owner);
    let index = view::index(pod);
    let mut from = seen.iter().filter_map(|c| surge_from(c));
    from.any(|from| index.is_some_and(|index| index >= from))
}

/// The operator knows that pods it deleted itself are down.
fn is_ended_by_us(window: &Window<'_>, pod: &Value) -> bool {
    let log = window.store.log.get(..window.position).unwrap_or_default();
    log.iter().any(|r| {
        r.actor == OPERATOR
            && r.id.resource == Resource::Pod
            && view::uid(&r.last) == view::uid(pod)
            && r.after.as_ref().is_none_or(|p| view::is_terminating(p))
    })
}
