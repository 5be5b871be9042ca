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
    let budget = find_budget(window, pod, &seen);
    let floors = seen.iter().filter_map(|c| {
        let reached = c.pointer("/status/updateProgress/reached")?.as_i64()?;
        let reached = reached.min(view::number(c, "/spec/replicas"));
        let minimum = view::number(c, "/spec/minAvailable");
        let by_budget = reached - budget;
        Some(if reached > minimum {
            by_budget.max(minimum)
        } else {
            by_budget
        })
    });
    let Some(floor) = floors.min() else {
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

/// How many pods of its PodClique may be down. With surge an old pod goes only when as many are up as
/// ran before.
fn find_budget(window: &Window<'_>, pod: &Value, seen: &[&Stored]) -> i64 {
    let sets = job::sets(window, pod);
    let clique = clique_of(pod);
    let uses_surge = !sets.is_empty()
        && sets.iter().all(|set| uses_surge(set, clique))
        && seen.iter().all(|c| is_with_surge(c));
    if uses_surge && !is_surge(window, pod) {
        return 0;
    }
    let minimum = seen.iter().map(|c| minimum(c)).max().unwrap_or(1);
    let all = sets.iter().map(|set| max_unavailable(set, clique, minimum));
    all.max().unwrap_or(1)
}

/// The clique of a pod, by the name of its PodClique.
fn clique_of(pod: &Value) -> &str {
    let (_, podclique, _) = view::owner(pod).unwrap_or_default();
    podclique.rsplit('-').next().unwrap_or_default()
}

/// `maxUnavailable` of a clique with this minimum, which is the default with `Coherent`.
fn max_unavailable(set: &Value, clique: &str, minimum: i64) -> i64 {
    let rolling = component(set, clique).and_then(|part| part.get("rollingUpdate"));
    let given = rolling.and_then(|rolling| rolling["maxUnavailable"].as_i64());
    let default = if is_coherent(set) { minimum } else { 1 };
    given.unwrap_or(default).max(1)
}

/// `minAvailable` of a PodClique, or of a clique in the template.
pub(super) fn minimum(clique: &Value) -> i64 {
    let given = view::at(clique, "/spec/minAvailable").and_then(Value::as_i64);
    given.unwrap_or_else(|| view::number(clique, "/spec/replicas"))
}

fn max_surge(part: &Value) -> i64 {
    view::number(part, "/rollingUpdate/maxSurge")
}

/// Whether surge units of the clique replace those that are missing. With `Coherent` every part of the
/// update needs enough for a whole version, and no part may have given it up.
fn uses_surge(set: &Value, clique: &str) -> bool {
    let has_own = component(set, clique).is_some_and(|part| max_surge(part) > 0);
    if !is_coherent(set) {
        return has_own;
    }
    let without = "/status/updateProgress/currentlyUpdating/0/withoutSurge";
    has_own && view::text(set, without).is_empty() && has_whole_surge(set)
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

/// Whether the PodClique updates with surge: `surgeFrom` is stored, it has not given surge up, and
/// it is not below its minimum by its own count.
fn is_with_surge(podclique: &Value) -> bool {
    let progress = "/status/updateProgress";
    let minimum = view::number(podclique, "/spec/minAvailable");
    surge_from(podclique).is_some()
        && view::text(podclique, &format!("{progress}/withoutSurge")).is_empty()
        && view::number(podclique, "/spec/replicas") >= minimum
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
