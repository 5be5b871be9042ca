//! I5, I6: owners, labels and finalizers of the operator's writes.

use api::{labels, names};
use serde_json::Value;

use super::job::{LEVELS, owners};
use super::window::Window;
use super::{Checked, demand};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::{nvlink, view};

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match (&record.before, &record.after) {
        (None, Some(child)) => born(window, record.id.resource, child),
        (Some(before), Some(after)) => {
            kept_owner(window, record, before, after)?;
            kept_finalizers(record, before, after)
        }
        _ => Ok(()),
    }
}

/// I5: a child names its owner, and its owner agrees. A claim is in no gang.
fn born(window: &Window<'_>, resource: Resource, child: &Value) -> Checked {
    let owners = owners(window, child);
    let name = view::name(child);
    let roots: Vec<&str> = owners.iter().map(|o| set_of(window, o)).collect();
    let part_of = view::label(child, labels::PART_OF);
    demand(roots.contains(&part_of), "I5", || {
        format!("{name} is part of {part_of:?}, but its owners of {roots:?}")
    })?;
    let is_of_podclique = view::owner(child).is_some_and(|(kind, ..)| kind == "PodClique");
    if !is_of_podclique || resource != Resource::Pod {
        return Ok(());
    }
    let gang = view::label(child, labels::POD_GANG);
    let agrees = owners
        .iter()
        .any(|o| view::label(o, labels::POD_GANG) == gang);
    demand(agrees, "I5", || {
        format!("{name}: its gang is {gang:?}, which its PodClique never had")
    })?;
    in_replica_of(&owners, part_of, child)
}

/// I5: the replica of a pod is the one in the name of its PodClique, as labels can be edited.
fn in_replica_of(owners: &[&Stored], set: &str, pod: &Value) -> Checked {
    let said = view::label(pod, labels::PCS_REPLICA_INDEX);
    let agrees = owners.iter().map(|o| view::name(o)).any(|podclique| {
        let place = names::parts_of_standalone_clique(set, podclique);
        place.is_some_and(|(replica, _)| replica.to_string() == said)
    });
    let name = view::name(pod);
    demand(agrees, "I5", || {
        format!("{name}: its replica is {said:?}, which is not that of its PodClique")
    })
}

/// Name of the PodCliqueSet at the top; empty if there is none.
fn set_of<'a>(window: &Window<'a>, owner: &'a Value) -> &'a str {
    let mut top = owner;
    for _ in 0..LEVELS {
        if view::owner(top).is_none() {
            return view::set_of(top);
        }
        let Some(above) = owners(window, top).first().copied() else {
            return "";
        };
        top = above;
    }
    ""
}

/// I5: the controller of a child does not change, unless it had none; or a set that was deleted
/// with `--cascade=orphan` releases it.
fn kept_owner(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let (was, is) = (view::owner(before), view::owner(after));
    let is_released = || {
        let by_set = was.filter(|(kind, ..)| *kind == Resource::PodCliqueSet.kind());
        by_set.is_some_and(|(_, _, uid)| is_release(window, before, after, uid))
    };
    let is_left = || {
        record.id.resource == Resource::ComputeDomain
            && is.is_none()
            && nvlink::has_stray(
                &record.id.name,
                &window.versions(Resource::PodClique, |_| true),
                &window.versions(Resource::PodCliqueScalingGroup, |_| true),
            )
    };
    demand(
        was.is_none() || was == is || is_released() || is_left(),
        "I5",
        || format!("{}: its owner was {was:?} and is {is:?}", record.id),
    )?;
    let Some((_, owner, _)) = is.filter(|_| was.is_none()) else {
        return Ok(());
    };
    let is_child = record.id.name.starts_with(&format!("{owner}-"));
    demand(is_child, "I5", || {
        format!(
            "{} was adopted by {owner}, which has no such child",
            record.id
        )
    })
}

/// Whether the set releases the child and changes nothing else of it. It has stored before that its
/// children stay, and the garbage collector has made its pass: until then that removes references
/// itself.
fn is_release(window: &Window<'_>, before: &Value, after: &Value, set: &str) -> bool {
    let sets = window.of_uid(Resource::PodCliqueSet, set);
    let may_release = |set: &Value| {
        let is_stored = view::annotation(set, labels::ORPHAN_ASKED) == view::uid(set);
        view::is_terminating(set) && is_stored && !view::is_orphaning(set)
    };
    let rest = |child: &Value| {
        let mut rest = child.clone();
        for key in ["ownerReferences", "resourceVersion", "annotations"] {
            rest["metadata"][key] = Value::Null;
        }
        rest
    };
    view::owner(after).is_none()
        && view::annotation(after, labels::LEFT_BY) == set
        && rest(before) == rest(after)
        && window.was_orphaned(set)
        && sets.iter().any(|set| may_release(set))
}

/// I6: foreign finalizers stay.
fn kept_finalizers(record: &Record, before: &Value, after: &Value) -> Checked {
    let foreign = |object| -> Vec<&Value> {
        let all = view::list(object, "/metadata/finalizers");
        all.filter(|f| !f.as_str().unwrap_or("").starts_with(labels::GROVE_PREFIX))
            .collect()
    };
    let (was, is) = (foreign(before), foreign(after));
    demand(was == is, "I6", || {
        format!("{}: finalizers {was:?} of others became {is:?}", record.id)
    })
}
