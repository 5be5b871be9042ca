//! ServiceAccount, Role, then RoleBinding: a binding to a Role that is not there yet is refused.

use std::sync::Arc;

use api::PodCliqueSetStatus;
use domain::ownership;
use domain::plan::{Action, Kind, Object, Plan, Target};
use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use crate::build::access;
use crate::observe::Snapshot;

pub(super) fn plan(snapshot: &Snapshot, plan: &mut Plan<PodCliqueSetStatus>) {
    let set = &snapshot.intake.set;
    let account = access::service_account(set);
    let role = access::role(set);
    let binding = access::role_binding(set);
    let account = keep(
        Kind::ServiceAccount,
        named(&snapshot.service_accounts, &account),
        account,
        |o| Object::ServiceAccount(Box::new(o)),
    );
    let role = keep(Kind::Role, named(&snapshot.roles, &role), role, |o| {
        Object::Role(Box::new(o))
    });
    let binding = keep(
        Kind::RoleBinding,
        named(&snapshot.role_bindings, &binding),
        binding,
        |o| Object::RoleBinding(Box::new(o)),
    );
    plan.wave(account.into_iter().chain(role).collect());
    plan.wave(binding.into_iter().collect());
}

fn named<'a, K: Resource>(existing: &'a [Arc<K>], desired: &K) -> Option<&'a Arc<K>> {
    let mut all = existing.iter();
    all.find(|o| o.meta().name == desired.meta().name)
}

/// Creates the object if it is missing and patches what differs otherwise. The API server fills
/// in fields of these kinds, so what we do not set is left alone.
pub(super) fn keep<K>(
    kind: Kind,
    existing: Option<&Arc<K>>,
    desired: K,
    wrap: impl FnOnce(K) -> Object,
) -> Option<Action>
where
    K: Resource + Serialize,
{
    let Some(found) = existing else {
        return Some(Action::Create(wrap(desired)));
    };
    if ownership::is_terminating(found.meta()) {
        return None;
    }
    let (is, should) = (json!(**found), json!(desired));
    let patch = difference(&is, &should)?;
    Some(Action::Merge {
        target: Target::of(kind, found.meta()),
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
