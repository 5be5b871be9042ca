//! I48: a deletion for an update keeps to the budget: `reached` is stored, and at most
//! `maxUnavailable` fewer pods of the PodClique are up.

use serde_json::Value;

use super::units::{component, is_coherent};
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
    let Some(floor) = find_floor(&seen, find_budget(window, pod, &seen)) else {
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

/// The least number of units that have to stay by these states of a PodClique or group; `None` if none of
/// them has `reached`.
pub(super) fn find_floor(seen: &[&Stored], budget: i64) -> Option<i64> {
    let floors = seen.iter().filter_map(|object| {
        let reached = reached(object)?.min(view::number(object, "/spec/replicas"));
        let minimum = view::number(object, "/spec/minAvailable");
        let by_budget = reached - budget;
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

/// How many pods of its PodClique may be down. With surge an old pod goes only when as many are up as
/// ran before.
fn find_budget(window: &Window<'_>, pod: &Value, seen: &[&Stored]) -> i64 {
    let sets = job::sets(window, pod);
    let clique = clique_of(pod);
    if !is_surge(window, pod) && awaits_surge(&sets, clique, seen) {
        return 0;
    }
    let minimum = seen.iter().map(|c| minimum(c)).max().unwrap_or(1);
    largest_budget(&sets, clique, minimum)
}

/// The largest number of units of a clique or group that may be down by any of these states of the set.
pub(super) fn largest_budget(sets: &[&Stored], name: &str, minimum: i64) -> i64 {
    let all = sets.iter().map(|set| max_unavailable(set, name, minimum));
    all.max().unwrap_or(1)
}

/// Whether surge units replace those that are missing in all states of the set, and in all states of
/// the PodClique or group in which a unit may be deleted. None may be before `reached` is stored, and
/// `surgeFrom` is stored with it.
pub(super) fn awaits_surge(sets: &[&Stored], name: &str, seen: &[&Stored]) -> bool {
    let may_delete = |object: &Stored| reached(object).is_some();
    !sets.is_empty()
        && sets.iter().all(|set| uses_surge(set, name))
        && seen
            .iter()
            .all(|object| !may_delete(object) || is_with_surge(object))
}

/// The clique of a pod, by the name of its PodClique.
fn clique_of(pod: &Value) -> &str {
    let (_, podclique, _) = view::owner(pod).unwrap_or_default();
    podclique.rsplit('-').next().unwrap_or_default()
}

/// `maxUnavailable` of a clique or group with this minimum, which is the least with `Coherent`.
fn max_unavailable(set: &Value, name: &str, minimum: i64) -> i64 {
    let rolling = component(set, name).and_then(|part| part.get("rollingUpdate"));
    let given = rolling.and_then(|rolling| rolling["maxUnavailable"].as_i64());
    let least = if is_coherent(set) { minimum.max(1) } else { 1 };
    given.unwrap_or(least).max(least)
}

/// `minAvailable` of a PodClique, or of a clique in the template.
pub(super) fn minimum(clique: &Value) -> i64 {
    let given = view::at(clique, "/spec/minAvailable").and_then(Value::as_i64);
    given.unwrap_or_else(|| view::number(clique, "/spec/replicas"))
}

fn max_surge(part: &Value) -> i64 {
    view::number(part, "/rollingUpdate/maxSurge")
}

/// Whether surge units of the clique or group replace those that are missing, as the turn has not given
/// surge up. With `Coherent` every part of the update needs enough for a whole version.
fn uses_surge(set: &Value, name: &str) -> bool {
    let without = "/status/updateProgress/currentlyUpdating/0/withoutSurge";
    let has_own = component(set, name).is_some_and(|part| max_surge(part) > 0);
    let suffices = !is_coherent(set) || has_whole_surge(set);
    has_own && suffices && view::text(set, without).is_empty()
}

fn has_whole_surge(set: &Value) -> bool {
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
    let members: Vec<&Value> = groups
        .flat_map(|group| view::list(group, "/cliqueNames"))
        .collect();
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
    let groups = groups.map(|group| {
        let least = group["minAvailable"].as_i64().unwrap_or(1);
        (group, least)
    });
    let cliques = view::list(set, "/spec/template/cliques");
    let cliques = cliques
        .filter(|clique| !members.contains(&&clique["name"]))
        .map(|clique| (clique, minimum(clique)));
    let mut parts = groups
        .chain(cliques)
        .filter(|(part, _)| is_in_scope(set, part));
    parts.all(|(part, least)| max_surge(part) >= least.max(1))
}

/// Whether the update changes this part; any part may be changed before its scope is stored.
fn is_in_scope(set: &Value, part: &Value) -> bool {
    let cliques = view::list(set, "/status/updateProgress/inScopeStandalonePodCliques");
    let groups = view::list(set, "/status/updateProgress/inScopePodCliqueScalingGroups");
    let scope: Vec<&Value> = cliques.chain(groups).collect();
    scope.is_empty() || scope.contains(&&part["name"])
}

/// Whether the PodClique or group updates with surge: `surgeFrom` is stored, it has not given surge up,
/// and it is not below its minimum by its own count.
fn is_with_surge(object: &Value) -> bool {
    surge_from(object).is_some()
        && view::text(object, "/status/updateProgress/withoutSurge").is_empty()
        && view::wants_its_minimum(object)
}

/// The index of the first surge unit, as a PodClique or a group stores it.
pub(super) fn surge_from(object: &Value) -> Option<i64> {
    view::at(object, "/status/updateProgress/surgeFrom")?.as_i64()
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
