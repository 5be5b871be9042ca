//! I48 for groups: an update deletes a group replica that is available only if `reached` of the group
//! is stored, and at most `maxUnavailable` fewer replicas are available then. A replica that is down
//! costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use api::labels;
use serde_json::Value;

use super::budget::find_floor;
use super::limits::{self, Limits, minimum};
use super::units::Unit;
use super::window::Window;
use super::{Checked, OPERATOR, demand, failures, job};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// An update deletes this PodClique of a group, and no other one of its replica is being deleted.
pub(super) fn check(window: &Window<'_>, podclique: &Value) -> Checked {
    let Some(unit) = Unit::of_podclique(podclique) else {
        return Ok(());
    };
    let groups = job::owners(window, podclique);
    if !was_available(window, podclique, unit.index, &groups) {
        return Ok(());
    }
    let sets = job::sets(window, podclique);
    let budget = |group: &Value| limits::largest(&sets, unit.component, group, Limits::budget);
    let (_, group, _) = view::owner(podclique).unwrap_or_default();
    let Some(floor) = find_floor(&groups, budget) else {
        return demand(false, "I48", || {
            let index = unit.index;
            format!("replica {index} of {group} deleted before reached was stored")
        });
    };
    // `up` counts the replica itself.
    let up = count_available(window, podclique, &groups);
    demand(up > floor, "I48", || {
        let index = unit.index;
        format!(
            "replica {index} of {group} deleted: {up} of its replicas were available, {floor} have to stay"
        )
    })
}

/// The number of PodCliques of a replica, by a state of the group.
fn members(group: &Value) -> usize {
    view::list(group, "/spec/cliqueNames").count()
}

pub(super) fn controller(object: &Value) -> &str {
    view::owner(object).map_or("", |(_, _, uid)| uid)
}

/// Whether the operator cannot have observed the replica as down: all of its PodCliques stayed all the
/// time, with enough pods that were Ready all the time.
fn was_available(window: &Window<'_>, deleted: &Value, index: i64, groups: &[&Stored]) -> bool {
    let (_, group, _) = view::owner(deleted).unwrap_or_default();
    let prefix = format!("{group}-{index}-");
    let is_of_replica = |c: &Value| view::name(c).starts_with(&prefix);
    let mut states = window.versions(Resource::PodClique, is_of_replica);
    // The state after the deletion itself.
    states.retain(|c| view::uid(c) != view::uid(deleted) || !view::is_terminating(c));
    let stays =
        |c: &Value| is_seen(c) && controller(c) == controller(deleted) && !view::is_terminating(c);
    let moved: BTreeSet<&str> = window.born_or_gone(Resource::PodClique).collect();
    let names: BTreeSet<&str> = states.iter().map(|c| view::name(c)).collect();
    groups.iter().all(|group| members(group) == names.len())
        && states.iter().all(|c| {
            let is_steady = stays(c) && !moved.contains(view::uid(c));
            is_steady && has_ready_pods(window, c)
        })
}

/// Whether a watch shows it.
pub(super) fn is_seen(object: &Value) -> bool {
    view::label(object, labels::MANAGED_BY) == labels::MANAGER
}

/// Whether as many pods as this PodClique needs were Ready all the time.
fn has_ready_pods(window: &Window<'_>, podclique: &Value) -> bool {
    let pods = failures::steady_pods(window, view::uid(podclique));
    let is_ready = |pod: &Value| is_seen(pod) && view::is_ready(pod);
    let ready = pods
        .values()
        .filter(|states| states.iter().all(|pod| is_ready(pod)));
    needs_at_most(podclique, ready.count())
}

/// Whether so many Ready pods are enough for this state of a PodClique.
fn needs_at_most(podclique: &Value, ready: usize) -> bool {
    let needed = minimum(podclique).min(view::number(podclique, "/spec/replicas"));
    i64::try_from(ready).unwrap_or(i64::MAX) >= needed
}

/// How many replicas of the group may have been observed as available at most. The operator knows that
/// replicas it deleted itself are down.
fn count_available(window: &Window<'_>, deleted: &Value, groups: &[&Stored]) -> i64 {
    let gone = deleted_by_operator(window);
    let up = find_available(window, controller(deleted), groups, |podclique| {
        !gone.contains(view::uid(podclique))
    });
    i64::try_from(up.len()).unwrap_or(i64::MAX)
}

/// The indexes of the replicas of the group with this uid that may have been observed as available, by
/// those of its PodCliques that count.
pub(super) fn find_available(
    window: &Window<'_>,
    group: &str,
    groups: &[&Stored],
    counts: impl Fn(&Value) -> bool,
) -> BTreeSet<i64> {
    let ready = ready_pods(window);
    let may_be_up = |c: &Value| {
        let count = ready.get(view::uid(c)).map_or(0, BTreeSet::len);
        let stays = !view::is_terminating(c) && counts(c);
        stays && controller(c) == group && needs_at_most(c, count)
    };
    let mut replicas: BTreeMap<i64, BTreeSet<&str>> = BTreeMap::new();
    for podclique in window.versions(Resource::PodClique, may_be_up) {
        if let Some(unit) = Unit::of_podclique(podclique) {
            let names = replicas.entry(unit.index).or_default();
            names.insert(view::name(podclique));
        }
    }
    let wanted = groups.iter().map(|group| members(group)).min().unwrap_or(0);
    replicas.retain(|_, names| names.len() >= wanted);
    replicas.into_keys().collect()
}

/// The pods of each PodClique that may have been observed as Ready, by uids.
fn ready_pods<'a>(window: &Window<'a>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut ready: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for pod in window.versions(Resource::Pod, view::is_ready) {
        let pods = ready.entry(controller(pod)).or_default();
        pods.insert(view::uid(pod));
    }
    ready
}

/// The PodCliques that the operator itself deleted, by uid.
fn deleted_by_operator<'a>(window: &Window<'a>) -> BTreeSet<&'a str> {
    let log = window.store.log.get(..window.position).unwrap_or_default();
    log.iter()
        .filter(|record| is_own_deletion(record))
        .map(|record| view::uid(&record.last))
        .collect()
}

/// Whether the operator deletes a PodClique with this record.
pub(super) fn is_own_deletion(record: &Record) -> bool {
    let stays = |o: &Option<Stored>| o.as_ref().is_some_and(|o| !view::is_terminating(o));
    let is_meant = record.actor == OPERATOR && record.id.resource == Resource::PodClique;
    is_meant && stays(&record.before) && !stays(&record.after)
}
