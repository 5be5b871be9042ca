//! I4, I16, I27, I29: owners, latches, finalizers and foreign objects.

use std::collections::BTreeSet;

use api::labels;
use serde_json::Value;

use super::counts;
use super::late_requests::LateRequests;
use super::window::Window;
use super::{Checked, demand};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// I16: `wasAvailable` never becomes false again.
pub(super) fn latch(record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let is_set = |o: &Value| o.pointer("/status/wasAvailable") == Some(&Value::Bool(true));
    demand(!is_set(before) || is_set(after), "I16", || {
        format!("{}: wasAvailable went back", record.id)
    })
}

/// I4: children are created for owners that, as far as the operator could know, exist and stay.
pub(super) fn owner(window: &Window<'_>, record: &Record) -> Checked {
    let (None, Some(child)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let (kind, name, uid) = view::owner(child).unwrap_or_default();
    let resource = kind.parse().unwrap_or(Resource::Event);
    let versions = window.of_uid(resource, uid);
    demand(
        versions.iter().any(|o| !view::is_terminating(o)),
        "I4",
        || format!("{} created, but {kind} {name} is gone or going", record.id),
    )
}

/// I29: a deletion does not hit an object that did not exist when the request was sent.
pub(super) fn meant(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(sent)) = (&record.before, window.horizon.sent) else {
        return Ok(());
    };
    let is_deletion = !view::is_terminating(before)
        && record
            .after
            .as_ref()
            .is_none_or(|o| view::is_terminating(o));
    let since = window
        .store
        .log
        .get(sent..window.position)
        .unwrap_or_default();
    let is_birth = |r: &Record| r.before.is_none() && view::uid(&r.last) == view::uid(before);
    let is_new = is_deletion && since.iter().any(is_birth);
    demand(!is_new, "I29", || {
        format!("{} deleted, but another one was meant", record.id)
    })
}

/// I27: a PodClique stays until its observed pods are gone.
pub(super) fn finalizer(window: &Window<'_>, record: &Record, late: &LateRequests) -> Checked {
    if record.after.is_some() {
        return Ok(());
    }
    let uid = view::uid(&record.last);
    let is_left = |p: &Value| {
        let is_own = view::owner(p).is_some_and(|o| o.2 == uid);
        is_own && view::is_live(p) && !late.is_unseen(window, p)
    };
    let left = window.all(Resource::Pod).find(|(_, p)| is_left(p));
    demand(left.is_none(), "I27", || {
        let pod = left.map_or("", |(_, p)| view::name(p));
        format!("{} is gone while its pod {pod} runs", record.id)
    })
}

/// One of our kinds controls it, or it has no controller and has our label or our finalizer.
fn is_managed(object: &Value) -> bool {
    let owner = view::owner(object);
    owner.map_or_else(
        || is_marked(object),
        |(kind, ..)| kind.starts_with("PodClique") || kind == "PodGang",
    )
}

fn is_marked(object: &Value) -> bool {
    let mut finalizers = view::list(object, "/metadata/finalizers").filter_map(Value::as_str);
    view::label(object, labels::MANAGED_BY) == labels::MANAGER || finalizers.any(is_own)
}

/// An object of ours that another controller has taken over still gets a status, and loses our
/// finalizer at its end.
fn is_last_write(record: &Record, before: &Value) -> bool {
    let rest = |object: &Value| {
        let mut rest = object.clone();
        rest["status"] = Value::Null;
        for key in ["finalizers", "resourceVersion"] {
            rest["metadata"][key] = Value::Null;
        }
        rest
    };
    is_marked(before) && rest(before) == rest(&record.last)
}

/// Whether the group replica may have been observed as scaled in before its group was deleted.
fn was_scaled_in(window: &Window<'_>, podclique: &Value, group: &str) -> bool {
    let index = view::label(podclique, labels::SCALING_GROUP_REPLICA_INDEX).parse::<i64>();
    let groups = window.of_uid(Resource::PodCliqueScalingGroup, group);
    index.is_ok_and(|index| {
        groups
            .iter()
            .filter(|group| !view::is_terminating(group))
            .any(|g| view::number(g, "/spec/replicas") <= index)
    })
}

/// Whether the PodClique's replica may have been observed as terminated while its set controlled
/// it: the deletion was under way, by uid alone, when its group was deleted. A terminating set
/// terminates no replica, and another set of its name has no influence on it.
fn was_terminated(window: &Window<'_>, podclique: &Value, owner: &Owner<'_>) -> bool {
    let attempt = view::label(podclique, labels::ATTEMPT).parse().unwrap_or(0);
    let sets = sets_in_hand(window, owner);
    let raises =
        |set: &Stored, replica| !view::is_terminating(set) && view::attempt(set, replica) > attempt;
    let replica = view::replica(podclique);
    replica.is_some_and(|i| sets.iter().any(|set| raises(set, i)))
}

/// Kind, name and uid of a controller.
type Owner<'a> = (&'a str, &'a str, &'a str);

/// The states of the controlling set, or of the set that controls the controlling group.
fn sets_in_hand<'a>(window: &Window<'a>, (kind, _, uid): &Owner<'_>) -> Vec<&'a Stored> {
    if *kind == Resource::PodCliqueSet.kind() {
        return window.of_uid(Resource::PodCliqueSet, uid);
    }
    let groups = window.of_uid(Resource::PodCliqueScalingGroup, uid);
    let above: BTreeSet<&str> = groups
        .into_iter()
        .filter_map(|group| view::owner(group))
        .map(|(_, _, set)| set)
        .collect();
    let sets = above.into_iter();
    sets.flat_map(|set| window.of_uid(Resource::PodCliqueSet, set))
        .collect()
}

/// Whether a child without a controller was to outlive the owner that it was observed with, while a
/// deletion by that owner may have been on its way.
fn was_left(window: &Window<'_>, child: &Value, owner: &Owner<'_>) -> bool {
    let (_, _, uid) = *owner;
    window.was_orphaned(uid)
        && !was_scaled_in(window, child, uid)
        && !was_terminated(window, child, owner)
}

/// I29: an object with another controller is left alone, an object without a controller is only
/// adopted, and objects that have to outlive their owner do.
fn ours(window: &Window<'_>, record: &Record, before: &Stored) -> Checked {
    let seen = window.of_uid(record.id.resource, view::uid(before));
    let stays = |o: &Stored| !view::is_terminating(o);
    let is_deletion = stays(before) && !record.after.as_ref().is_some_and(stays);
    if is_deletion {
        let is_kept = match view::owner(before) {
            None => seen
                .iter()
                .filter_map(|o| view::owner(o))
                .any(|owner| was_left(window, before, &owner)),
            Some((kind, _, uid)) => {
                let owners = window.of_uid(kind.parse().unwrap_or(Resource::Event), uid);
                !owners.is_empty() && owners.iter().all(|o| view::is_orphaning(o))
            }
        };
        demand(!is_kept, "I29", || {
            format!("{} deleted, which was to outlive its owner", record.id)
        })?;
    }
    let is_adopted =
        view::owner(before).is_none() && record.after.as_ref().is_some_and(|o| is_managed(o));
    let is_ours = is_adopted
        || seen.into_iter().chain([before]).any(|o| is_managed(o))
        || is_last_write(record, before);
    demand(is_ours, "I29", || format!("{} is not ours", record.id))
}

/// I29: foreign content is left alone.
pub(super) fn damage(window: &Window<'_>, record: &Record) -> Checked {
    let Some(before) = &record.before else {
        return Ok(());
    };
    if record.id.resource != Resource::PodCliqueSet {
        ours(window, record, before)?;
    }
    let Some(after) = &record.after else {
        return Ok(());
    };
    for map in ["labels", "annotations"] {
        let pointer = format!("/metadata/{map}");
        for (key, value) in before
            .pointer(&pointer)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter(|(key, _)| !is_own(key))
        {
            let kept = after.pointer(&pointer).and_then(|m| m.get(key));
            demand(kept == Some(value), "I29", || {
                format!("{}: foreign {map} {key} lost", record.id)
            })?;
        }
    }
    counts::check(window, record, before, after)
}

/// Keys that the operator writes: its own, and the key that templates have here.
fn is_own(key: &str) -> bool {
    key.starts_with(labels::GROVE_PREFIX)
        || key.starts_with("app.kubernetes.io/")
        || key == "example.com/version"
}
