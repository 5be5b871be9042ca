//! I61: the operator's finalizer stays on a ComputeDomain while a pod that has not ended names its
//! template, unless the set is being deleted; and a pod is created only if, as far as the operator could
//! know, its domain has the finalizer and stays, and its template exists.

use serde_json::Value;

use super::window::Window;
use super::{Checked, OPERATOR, demand};
use crate::nvlink::{is_held, template_of};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    if record.actor != OPERATOR {
        return Ok(());
    }
    match (record.id.resource, &record.before, &record.after) {
        (Resource::Pod, None, Some(pod)) => created(window, pod),
        (Resource::ComputeDomain, Some(before), after) => {
            let stays_held = after.as_ref().is_some_and(|domain| is_held(domain));
            if is_held(before) && !stays_held {
                released(window, before)
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

fn created(window: &Window<'_>, pod: &Value) -> Checked {
    let template = template_of(pod);
    if template.is_empty() {
        return Ok(());
    }
    let is_named = |object: &Value| view::name(object) == template && !view::is_terminating(object);
    let is_there = |domain: &Value| is_named(domain) && is_held(domain);
    let domains = window.versions(Resource::ComputeDomain, is_there);
    let templates = window.versions(Resource::ResourceClaimTemplate, is_named);
    demand(!domains.is_empty() && !templates.is_empty(), "I61", || {
        let name = view::name(pod);
        format!("{name} names template {template}, which is not there for it")
    })
}

/// At some moment that the operator may have known no pod that had not ended named the template.
fn released(window: &Window<'_>, domain: &Value) -> Checked {
    let name = view::name(domain);
    let set = view::owner(domain).map_or("", |(_, _, uid)| uid);
    let sets = window.of_uid(Resource::PodCliqueSet, set);
    let goes_with_set = sets.is_empty() || sets.iter().any(|set| view::is_terminating(set));
    let users = window.fewest_pods(|pod| {
        let is_beside = view::namespace(pod) == view::namespace(domain);
        is_beside && !view::is_finished(pod) && template_of(pod) == name
    });
    demand(users == 0 || goes_with_set, "I61", || {
        format!("ComputeDomain {name} loses its finalizer while {users} pods name its template")
    })
}
