//! One headless Service per replica, and none for replicas that are scaled in.

use std::collections::HashMap;
use std::sync::Arc;

use api::names;
use domain::object::ownership;
use domain::plan::{Action, Purpose, Target, first_portion};
use domain::workload::clique;
use domain::workload::layout::Layout;
use k8s_openapi::api::core::v1::Service;
use serde_json::{Value, json};

use crate::desired::service;
use crate::observe::{Snapshot, is_owned};

/// Deletes the Services of replicas that are scaled in.
pub(super) fn plan_deletions(snapshot: &Snapshot) -> Vec<Action> {
    let is_wanted = |name: &str| {
        let replica = names::replica_of_headless_service(snapshot.name(), name);
        replica.is_some_and(|i| i < snapshot.replicas())
    };
    let surplus = snapshot.services.iter().filter(|s| {
        !is_wanted(ownership::name(&s.metadata))
            && is_owned(&s.metadata)
            && !ownership::is_terminating(&s.metadata)
    });
    let delete = |s: &Arc<Service>| Action::delete::<Service>(&s.metadata, Purpose::ScaleInReplica);
    surplus.map(delete).collect()
}

/// Creates missing Services and corrects the others.
pub(super) fn plan_services(snapshot: &Snapshot, layout: &Layout<'_>) -> Vec<Action> {
    let set = &snapshot.validated.set;
    let services = snapshot.services.iter();
    let existing: HashMap<_, _> = services.map(|s| (&s.metadata.name, s)).collect();
    let replicas = layout.replicas.iter();
    let desired = replicas.map(|replica| service::headless(set, replica.index));
    first_portion(desired.filter_map(|desired| {
        let found = existing.get(&desired.metadata.name).copied();
        if found.is_some_and(|found| service::is_right(found, &desired)) {
            return None;
        }
        keep_service(found, desired)
    }))
}

/// Creates the object if it is missing and patches what differs otherwise. The API server fills
/// in fields of this kind, so what we do not set is left alone, owners that others added too.
fn keep_service(existing: Option<&Arc<Service>>, mut desired: Service) -> Option<Action> {
    let Some(found) = existing else {
        return Some(Action::create(desired));
    };
    if ownership::is_terminating(&found.metadata) {
        return None;
    }
    let mut meta = found.metadata.clone();
    clique::add_owner(&mut meta, &desired.metadata);
    desired.metadata.owner_references = meta.owner_references;
    let (is, should) = (json!(**found), json!(desired));
    let mut patch = difference(&is, &should)?;
    if let Some(Value::Object(meta)) = patch.get_mut("metadata")
        && meta.contains_key("ownerReferences")
    {
        // A merge patch replaces the whole list: it names the version that the list is of.
        let version = json!(found.metadata.resource_version);
        meta.insert("resourceVersion".to_owned(), version);
    }
    Some(Action::Merge {
        target: Target::of::<Service>(&found.metadata),
        patch,
    })
}

/// The merge patch that makes `is` agree with `should` in everything that `should` sets.
fn difference(is: &Value, should: &Value) -> Option<Value> {
    let Value::Object(fields) = should else {
        return (is != should && !(is.is_null() && is_void(should))).then(|| should.clone());
    };
    let changed: serde_json::Map<String, Value> = fields
        .iter()
        .filter_map(|(key, value)| {
            let patch = difference(is.get(key).unwrap_or(&Value::Null), value)?;
            Some((key.clone(), patch))
        })
        .collect();
    (!changed.is_empty()).then_some(Value::Object(changed))
}

/// What the API server does not store: it leaves out false, empty and zero.
fn is_void(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        other => other.is_null(),
    }
}
