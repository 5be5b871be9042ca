//! The limits of an update of one clique or group, by a state of its set and one of its own: how many of
//! its units may be missing (docs/semantics.md §14.4, §14.7, §14.9).

use serde_json::Value;

use super::units::{component, is_coherent};
use crate::store::Stored;
use crate::view;

/// The limits of the update of a clique or group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many units may be missing if surge does not replace them. It is 0 only beside `maxSurge`:
    /// then the update waits for surge, also if `withoutSurge` is stored.
    pub(super) max_unavailable: i64,
    /// Whether surge units replace those that are missing.
    has_surge: bool,
}

impl Limits {
    /// Of the clique or group of this name in the set; `object` is its PodClique or its group.
    fn read(set: &Value, name: &str, object: &Value) -> Self {
        let part = component(set, name);
        let max_surge = max_surge_in_force(set, part, object);
        // An update without surge would never end if no unit might be missing.
        let least = i64::from(max_surge == 0);
        Self {
            max_unavailable: max_unavailable_in_force(set, part, object).max(least),
            has_surge: max_surge > 0 && !has_given_surge_up(set, object),
        }
    }

    /// How many units may be missing once an old one that is available is deleted. With surge it goes
    /// only when as many are up as ran before.
    pub(super) fn budget(self) -> i64 {
        if self.has_surge {
            0
        } else {
            self.max_unavailable
        }
    }
}

/// The largest number by any of these states of the set, for this state of the PodClique or group.
pub(super) fn largest(
    sets: &[&Stored],
    name: &str,
    object: &Value,
    number: impl Fn(Limits) -> i64,
) -> i64 {
    let all = sets
        .iter()
        .map(|set| number(Limits::read(set, name, object)));
    all.max().unwrap_or(1)
}

/// `maxUnavailable` as it counts. With `Coherent` it is at least the minimum, but 0 in all parts of the
/// update if it is 0 in one of them and all have surge.
fn max_unavailable_in_force(set: &Value, part: Option<&Value>, object: &Value) -> i64 {
    let given = part.and_then(max_unavailable);
    if !is_coherent(set) {
        return given.unwrap_or(1);
    }
    let mut others = parts_in_scope(set).into_iter();
    if has_whole_surge(set) && others.any(|(part, _)| max_unavailable(part) == Some(0)) {
        return 0;
    }
    let minimum = minimum_of(part, object);
    given.unwrap_or(minimum).max(minimum)
}

fn max_unavailable(part: &Value) -> Option<i64> {
    view::at(part, "/rollingUpdate/maxUnavailable")?.as_i64()
}

/// `maxSurge` as it counts. With `Coherent` every part of the update needs enough for a whole version. A
/// group has none if the first surge replica would belong to its base gang.
fn max_surge_in_force(set: &Value, part: Option<&Value>, object: &Value) -> i64 {
    let desired = view::number(object, "/spec/replicas");
    let first = surge_from(object).unwrap_or(desired).max(desired);
    let is_of_base = is_group(part) && first < minimum_of(part, object);
    if is_of_base || (is_coherent(set) && !has_whole_surge(set)) {
        return 0;
    }
    part.map_or(0, max_surge).min(desired).max(0)
}

/// `maxSurge` of a clique or group in the template.
pub(super) fn max_surge(part: &Value) -> i64 {
    view::number(part, "/rollingUpdate/maxSurge")
}

/// Whether the turn goes on without surge in all its parts, or in this one.
fn has_given_surge_up(set: &Value, object: &Value) -> bool {
    let of_turn = "/status/updateProgress/currentlyUpdating/0/withoutSurge";
    let own = "/status/updateProgress/withoutSurge";
    !view::text(set, of_turn).is_empty() || !view::text(object, own).is_empty()
}

/// The index of the first surge unit, as a PodClique or a group stores it.
pub(super) fn surge_from(object: &Value) -> Option<i64> {
    view::at(object, "/status/updateProgress/surgeFrom")?.as_i64()
}

fn is_group(part: Option<&Value>) -> bool {
    part.is_some_and(|part| part.get("cliqueNames").is_some())
}

/// `minAvailable` of a PodClique or of a group.
fn minimum_of(part: Option<&Value>, object: &Value) -> i64 {
    if !is_group(part) {
        return minimum(object);
    }
    let given = view::at(object, "/spec/minAvailable").and_then(Value::as_i64);
    given.unwrap_or(1)
}

/// `minAvailable` of a PodClique, or of a clique in the template.
pub(super) fn minimum(clique: &Value) -> i64 {
    let given = view::at(clique, "/spec/minAvailable").and_then(Value::as_i64);
    given.unwrap_or_else(|| view::number(clique, "/spec/replicas"))
}

/// Whether every part of the update has surge for a whole version.
fn has_whole_surge(set: &Value) -> bool {
    let mut parts = parts_in_scope(set).into_iter();
    parts.all(|(part, least)| max_surge(part) >= least.max(1))
}

/// The parts of the update in the template, each with its minimum.
fn parts_in_scope(set: &Value) -> Vec<(&Value, i64)> {
    let groups = || view::list(set, "/spec/template/podCliqueScalingGroups");
    let members: Vec<&Value> = groups()
        .flat_map(|group| view::list(group, "/cliqueNames"))
        .collect();
    let cliques = view::list(set, "/spec/template/cliques")
        .filter(|clique| !members.contains(&&clique["name"]))
        .map(|clique| (clique, minimum(clique)));
    groups()
        .map(|group| (group, group["minAvailable"].as_i64().unwrap_or(1)))
        .chain(cliques)
        .filter(|(part, _)| is_in_scope(set, part))
        .collect()
}

/// Whether the update changes this part; any part may be changed before its scope is stored.
fn is_in_scope(set: &Value, part: &Value) -> bool {
    let cliques = view::list(set, "/status/updateProgress/inScopeStandalonePodCliques");
    let groups = view::list(set, "/status/updateProgress/inScopePodCliqueScalingGroups");
    let scope: Vec<&Value> = cliques.chain(groups).collect();
    scope.is_empty() || scope.contains(&&part["name"])
}
