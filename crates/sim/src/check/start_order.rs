//! I38: pods start after their dependencies, and wait for all of them.

use api::{labels, start_order};
use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, gangs};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let Some(pod) = &record.after else {
        return Ok(());
    };
    let before = record.before.as_deref();
    if before.is_none() {
        names_all(window, pod)?;
    }
    let has_start_signal =
        |pod: &Value| start_order::is_start(view::annotation(pod, labels::START));
    if let Some(before) = before.filter(|before| has_start_signal(before)) {
        return is_repeated_well(before, pod);
    }
    if !has_start_signal(pod) {
        return Ok(());
    }
    let pairs = view::annotation(pod, labels::STARTS_AFTER);
    for parent in pairs.split(',').filter_map(|pair| pair.split_once(':')) {
        was_up(window, pod, parent.0)?;
    }
    Ok(())
}

/// A release is repeated four times at most, and never withdrawn.
fn is_repeated_well(before: &Value, pod: &Value) -> Checked {
    let count = |pod: &Value| start_order::count_of(view::annotation(pod, labels::START));
    let (was, is) = (count(before), count(pod));
    demand((was..=5).contains(&is), "I38", || {
        let pod = view::name(pod);
        format!("{pod} had {was} start signals, and then {is}")
    })
}

/// Each dependency that the pod names had its minimum of pods Ready or done, or did not have to be
/// waited for.
fn was_up(window: &Window<'_>, pod: &Value, parent: &str) -> Checked {
    let seen = window.versions(Resource::PodClique, |q| view::name(q) == parent);
    if is_needless(window, pod, parent) {
        return Ok(());
    }
    let (most, least) = seen
        .iter()
        .map(|q| view::uid(q))
        .map(|uid| gangs::up(window, uid))
        .max_by_key(|(most, least)| most - least)
        .unwrap_or((0, 1));
    demand(most >= least, "I38", || {
        let pod = view::name(pod);
        format!("{pod} got its start signal, but {parent} had {most} of {least} pods Ready")
    })
}

/// A pod is created with all dependencies, unless they may have been observed at 0 or scaled in.
fn names_all(window: &Window<'_>, pod: &Value) -> Checked {
    let pairs = view::annotation(pod, labels::STARTS_AFTER);
    let named = |name: &str| {
        pairs
            .split(',')
            .filter_map(|pair| pair.split_once(':'))
            .any(|(parent, _)| parent == name)
    };
    let owner = view::owner(pod).map_or("", |(_, _, uid)| uid);
    let own = window.of_uid(Resource::PodClique, owner);
    let every = |name: &str| own.iter().all(|q| starts_after(q).any(|n| n == name));
    for parent in own
        .first()
        .into_iter()
        .flat_map(|q| starts_after(q))
        .filter(|name| every(name))
    {
        let is_right = named(parent) || is_needless(window, pod, parent);
        demand(is_right, "I38", || {
            let pod = view::name(pod);
            format!("{pod} is created to start after {pairs:?}, {parent} is missing")
        })?;
    }
    let waits = view::list(pod, "/spec/initContainers").next();
    let is_held = waits.is_some_and(|c| view::text(c, "/name") == start_order::CONTAINER);
    demand(is_held != pairs.is_empty(), "I38", || {
        format!(
            "{}: its init container and {pairs:?} disagree",
            view::name(pod)
        )
    })
}

fn starts_after(podclique: &Stored) -> impl Iterator<Item = &str> {
    view::list(podclique, "/spec/startsAfter").filter_map(Value::as_str)
}

/// Whether the PodClique may have been observed at 0 or beyond the replicas of its group, or its
/// work as stored.
fn is_needless(window: &Window<'_>, pod: &Value, parent: &str) -> bool {
    let is_idle = |q: &Value| view::name(q) == parent && view::number(q, "/spec/replicas") == 0;
    let replica = view::replica(pod).unwrap_or(-1);
    let sets = window.versions(Resource::PodCliqueSet, |s| {
        view::name(s) == view::set_of(pod)
    });
    let is_done = sets.iter().any(|s| view::is_latched(s, replica, parent));
    let is_beyond = |group: &Value| {
        let rest = parent.strip_prefix(&format!("{}-", view::name(group)));
        let index = rest.and_then(|rest| rest.split('-').next()?.parse::<i64>().ok());
        index.is_some_and(|j| j >= view::number(group, "/spec/replicas"))
    };
    let groups = window.versions(Resource::PodCliqueScalingGroup, is_beyond);
    let idle = window.versions(Resource::PodClique, is_idle);
    is_done || !groups.is_empty() || !idle.is_empty()
}
