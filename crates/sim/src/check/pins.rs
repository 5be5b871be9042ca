//! I55: a pod is pinned to a topology domain only in the write that removes our gate, and only to one
//! that a list of its gang gave.

use api::labels;
use serde_json::{Map, Value};

use super::window::Window;
use super::{Checked, demand};
use crate::resource::Resource;
use crate::topology::scopes::{self, Scope};
use crate::topology::{LEVELS, find_node, pin};
use crate::view;

/// Whether this write removes our gate.
fn opens(before: &Value, after: &Value) -> bool {
    let has_gate = |pod: &Value| view::gates(pod).contains(&labels::POD_GANG_GATE);
    has_gate(before) && !has_gate(after)
}

pub(super) fn check(window: &Window<'_>, before: &Value, after: &Value) -> Checked {
    let Some(pin) = pin(after).filter(|_| opens(before, after)) else {
        return Ok(());
    };
    let (name, index) = (view::name(after), view::index(after));
    let log = window.store.log.get(..window.position).unwrap_or_default();
    let is_gang =
        |id: &crate::Id| id.resource == Resource::PodGang && id.namespace == view::namespace(after);
    let gangs = log.iter().rev().filter(|r| is_gang(&r.id));
    let mut parts = gangs
        .filter_map(|r| r.after.as_ref())
        .flat_map(|gang| view::list(gang, "/spec/podgroups"))
        .filter(|part| super::gangs::references_of(part).any(|listed| listed == name));
    let is_given = |placement: &Value| {
        let mut indexes = view::list(placement, "/indexes");
        let mut labels = pin.as_object().into_iter().flatten();
        indexes.any(|given| given.as_i64() == index)
            && labels.all(|(key, value)| placement["nodeSelector"].get(key) == Some(value))
    };
    let is_listed = parts.any(|part| view::list(part, "/placements").any(is_given));
    demand(is_listed, "I55", || {
        format!("{name} is pinned to {pin}, which no list of its gang gave")
    })
}

/// Whether the operator may delete the pod because it waits for a domain in which, in some observable
/// state, nobody of a scope of it ran.
pub(super) fn may_be_freed(window: &Window<'_>, pod: &Value) -> bool {
    if !view::text(pod, "/spec/nodeName").is_empty() {
        return false;
    }
    let scopes = scopes::of_standing_pod(window.store, pod);
    let pins: Vec<Value> = pin(pod).into_iter().chain(coming(window, pod)).collect();
    let is_left = |scope: &Scope, pin: &Value| {
        let (_, key) = LEVELS[scope.position];
        pin.get(key).is_some() && window.fewest_pods(|p| runs_in(window, p, scope, pin)) == 0
    };
    pins.iter()
        .any(|pin| scopes.iter().any(|scope| is_left(scope, pin)))
}

/// The node labels that the pod gets with the removal of its gate, by any observable list.
fn coming(window: &Window<'_>, pod: &Value) -> Vec<Value> {
    let (name, index) = (view::name(pod), view::index(pod));
    let gangs = window.versions(Resource::PodGang, |gang| super::gangs::lists(gang, name));
    let parts = gangs
        .iter()
        .flat_map(|gang| view::list(gang, "/spec/podgroups"));
    parts
        .filter(|part| super::gangs::references_of(part).any(|listed| listed == name))
        .flat_map(|part| view::list(part, "/placements"))
        .filter(|given| view::list(given, "/indexes").any(|k| k.as_i64() == index))
        .map(|given| given["nodeSelector"].clone())
        .collect()
}

/// Whether the pod is of this scope and runs on a node with these labels.
fn runs_in(window: &Window<'_>, pod: &Value, scope: &Scope, labels: &Value) -> bool {
    let owner = view::owner(pod).map_or("", |(_, name, _)| name);
    let node = find_node(window.store, view::text(pod, "/spec/nodeName"));
    let has_all = |node: &Value| {
        let mut labels = labels.as_object().into_iter().flatten();
        labels.all(|(key, value)| value.as_str() == Some(view::label(node, key)))
    };
    view::is_live(pod)
        && node.is_some_and(|node| has_all(node))
        && scopes::names(owner, pod).contains(&scope.name)
}

/// Removes what the operator may add to a pod together with the removal of our gate: the node labels
/// that it notes in the pod's annotation.
pub(super) fn take_off(before: &Value, after: &mut Value) {
    let pin = pin(after).filter(|_| opens(before, after));
    let Some(Value::Object(pin)) = pin else {
        return;
    };
    let own = view::at(before, "/spec/nodeSelector").and_then(Value::as_object);
    let is_new = |key: &str| own.is_none_or(|own| !own.contains_key(key));
    if let Some(spec) = after["spec"].as_object_mut()
        && let Some(Value::Object(selector)) = spec.get_mut("nodeSelector")
    {
        selector.retain(|key, value| !is_new(key) || pin.get(key) != Some(value));
        if own.is_none() && selector.is_empty() {
            spec.remove("nodeSelector");
        }
    }
    if let Some(meta) = after["metadata"].as_object_mut()
        && let Some(Value::Object(annotations)) = meta.get_mut("annotations")
    {
        annotations.remove(labels::PINNED);
        let is_empty = *annotations == Map::new();
        if is_empty && view::at(before, "/metadata/annotations").is_none() {
            meta.remove("annotations");
        }
    }
}
