//! The CEL rules of our definitions, evaluated by kube's own CEL: an API server refuses objects
//! that break them without a call to a webhook.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use kube_cel::{
    CompiledSchema, ErrorKind, ValidationError, ValidationErrors, Validator, compile_schema,
};
use serde_json::Value;

/// The compiled rules of each kind.
static COMPILED: LazyLock<BTreeMap<String, CompiledSchema>> = LazyLock::new(|| {
    let definitions = api::crds::all().iter();
    let compiled = definitions.map(|definition| {
        let kind = definition.spec.names.kind.clone();
        let mut definition = serde_json::to_value(definition).unwrap_or_default();
        leave_out_optional(&mut definition);
        let schema = definition.pointer("/spec/versions/0/schema/openAPIV3Schema");
        (kind, compile_schema(schema.unwrap_or(&Value::Null)))
    });
    compiled.collect()
});

/// Removes rules with an optional `oldSelf`: kube's CEL gives them the value itself. Only an API
/// server shows which objects these rules refuse.
fn leave_out_optional(part: &mut Value) {
    match part {
        Value::Array(items) => {
            items.retain(|item| item.get("optionalOldSelf") != Some(&Value::Bool(true)));
            items.iter_mut().for_each(leave_out_optional);
        }
        Value::Object(fields) => fields.values_mut().for_each(leave_out_optional),
        _ => {}
    }
}

thread_local! {
    static VALIDATOR: Validator = Validator::new();
}

/// The errors of the object by the rules of this kind, as an update of `before` if that is given.
///
/// # Panics
///
/// If a rule cannot be evaluated here: the failure would count as a refusal.
pub fn broken_rules(kind: &str, before: Option<&Value>, object: &Value) -> Vec<ValidationError> {
    let Some(compiled) = COMPILED.get(kind) else {
        return Vec::new();
    };
    let (object, before) = (without_nulls(object), before.map(without_nulls));
    let checked = VALIDATOR.with(|v| v.validate_compiled(compiled, &object, before.as_ref()));
    let broken = checked.err().map(ValidationErrors::into_vec);
    let broken = broken.unwrap_or_default();
    for error in &broken {
        let is_verdict = error.kind == ErrorKind::ValidationFailure;
        assert!(is_verdict, "rule '{}' of {kind}: {error}", error.rule);
    }
    broken
}

/// The value without nulls, as the API server drops them before it evaluates a rule.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(fields) => {
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            let given = given.map(|(name, value)| (name.clone(), without_nulls(value)));
            given.collect()
        }
        plain => plain.clone(),
    }
}

/// All rules of this kind.
pub fn all(kind: &str) -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    if let Some(compiled) = COMPILED.get(kind) {
        collect(compiled, &mut rules);
    }
    rules
}

fn collect(schema: &CompiledSchema, rules: &mut BTreeSet<String>) {
    let own = schema.validations.iter().filter_map(|v| v.as_ref().ok());
    rules.extend(own.map(|compiled| compiled.rule.rule.clone()));
    let below = schema.properties.values();
    let below = below.chain(schema.items.as_deref());
    for schema in below.chain(schema.additional_properties.as_deref()) {
        collect(schema, rules);
    }
}
