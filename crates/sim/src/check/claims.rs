//! I57: a pod names claims that, as far as the operator could know, exist, stay, and belong to its
//! PodClique, its scaling group or its set. I58: the operator removes no claim that a pod names.

use std::collections::BTreeSet;

use serde_json::Value;

use super::window::Window;
use super::{Checked, OPERATOR, demand};
use crate::resource::Resource;
use crate::sharing::{claims_of, names};
use crate::store::Record;
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    if record.actor != OPERATOR {
        return Ok(());
    }
    match (record.id.resource, &record.before, &record.after) {
        (Resource::Pod, None, Some(pod)) => created(window, pod),
        (Resource::ResourceClaim, Some(before), after) => {
            let goes = after
                .as_ref()
                .is_none_or(|claim| view::is_terminating(claim));
            if goes && !view::is_terminating(before) {
                removed(window, before)
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

fn created(window: &Window<'_>, pod: &Value) -> Checked {
    let owners = owners(window, pod);
    for name in claims_of(pod) {
        let is_meant = |claim: &Value| {
            let owner = view::owner(claim).map_or("", |(_, _, uid)| uid);
            let is_ours = owners.iter().any(|uid| uid == owner);
            view::name(claim) == name && is_ours && !view::is_terminating(claim)
        };
        let known = window.versions(Resource::ResourceClaim, is_meant);
        demand(!known.is_empty(), "I57", || {
            format!(
                "{} names claim {name}, which is not there for it",
                view::name(pod)
            )
        })?;
    }
    Ok(())
}

/// Uids of the pod's PodClique and of all that controls it, in any version that the operator may have
/// known: a reference that somebody edits may be older in its view.
fn owners(window: &Window<'_>, pod: &Value) -> BTreeSet<String> {
    let mut owners = BTreeSet::new();
    let mut open = vec![pod.clone()];
    while let Some(object) = open.pop() {
        let Some((kind, _, uid)) = view::owner(&object) else {
            continue;
        };
        if owners.insert(uid.to_owned()) {
            let resource = kind.parse().unwrap_or(Resource::Event);
            let versions = window.of_uid(resource, uid);
            open.extend(versions.iter().map(|version| Value::clone(version)));
        }
    }
    owners
}

/// At some moment that the operator may have known no live pod named the claim. With its owner a claim
/// goes once the PodCliques are gone: Kubernetes ends the pods that are left.
fn removed(window: &Window<'_>, claim: &Value) -> Checked {
    let owner = view::owner(claim).and_then(|(_, _, uid)| window.store.by_uid(uid));
    if owner.is_none_or(|(_, owner)| view::is_terminating(owner)) {
        return Ok(());
    }
    let name = view::name(claim);
    let users = window.fewest_pods(|pod| {
        let is_beside = view::namespace(pod) == view::namespace(claim);
        is_beside && view::is_live(pod) && names(pod, name)
    });
    demand(users == 0, "I58", || {
        format!("claim {name} is removed while {users} pods name it")
    })
}
