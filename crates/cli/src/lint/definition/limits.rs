//! Values that a definition does not allow.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use domain::object::text::cut_text;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use regex::Regex;
use serde_json::Value;

use crate::lint::remark::Remark;
use crate::lint::rules::admitted;

/// Longer values are cut: the path identifies them.
const MAX_SHOWN: usize = 60;

/// The problem of a value of the right type.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, value: &Value) -> Vec<Remark> {
    let found = match value {
        Value::String(text) => [
            length(schema, text),
            pattern(schema, text),
            choice(schema, value),
        ],
        Value::Number(number) => [number.as_f64().and_then(|n| bounds(schema, n)), None, None],
        Value::Array(items) => [
            count(schema.min_items, schema.max_items, items.len()),
            None,
            None,
        ],
        Value::Object(fields) => [
            count(schema.min_properties, schema.max_properties, fields.len()),
            None,
            None,
        ],
        _ => [None, None, None],
    };
    let remark = |(problem, remedy): Finding| {
        let remark = Remark::new(&admitted::DEFINITION, path, problem);
        remark.value(shown(value)).remedy(remedy)
    };
    found.into_iter().flatten().map(remark).collect()
}

/// A problem and its remedy.
type Finding = (String, String);

/// A value as JSON, cut if it is long.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(fields) => format!("an object of {} fields", fields.len()),
        _ => cut_text(&value.to_string(), MAX_SHOWN),
    }
}

fn choice(schema: &JSONSchemaProps, value: &Value) -> Option<Finding> {
    let allowed = schema.enum_.as_ref()?;
    if allowed.iter().any(|one| one.0 == *value) {
        return None;
    }
    let names: Vec<_> = allowed.iter().filter_map(|one| one.0.as_str()).collect();
    let problem = "is not an allowed value".to_owned();
    Some((problem, format!("use one of {}", names.join(", "))))
}

fn length(schema: &JSONSchemaProps, text: &str) -> Option<Finding> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let (least, most) = (schema.min_length, schema.max_length);
    between(
        length,
        least.unwrap_or(0),
        most.unwrap_or(i64::MAX),
        "characters",
    )
}

fn count(least: Option<i64>, most: Option<i64>, count: usize) -> Option<Finding> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    between(
        count,
        least.unwrap_or(0),
        most.unwrap_or(i64::MAX),
        "entries",
    )
}

fn between(count: i64, least: i64, most: i64, what: &str) -> Option<Finding> {
    if count < least {
        let problem = format!("has {count} {what}, but needs at least {least}");
        return Some((problem, "add to it, or remove it".to_owned()));
    }
    let problem = format!("has {count} {what}, but may have at most {most}");
    (count > most).then(|| (problem, "shorten it".to_owned()))
}

fn bounds(schema: &JSONSchemaProps, number: f64) -> Option<Finding> {
    let (lowest, highest) = range_of(schema.format.as_deref());
    let least = schema.minimum.map_or(lowest, |least| least.max(lowest));
    let most = schema.maximum.map_or(highest, |most| most.min(highest));
    if number < least {
        return Some((
            format!("must not be less than {least}"),
            "raise it".to_owned(),
        ));
    }
    (number > most).then(|| {
        (
            format!("must not be greater than {most}"),
            "lower it".to_owned(),
        )
    })
}

fn range_of(format: Option<&str>) -> (f64, f64) {
    match format {
        Some("int32") => (f64::from(i32::MIN), f64::from(i32::MAX)),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

fn pattern(schema: &JSONSchemaProps, text: &str) -> Option<Finding> {
    let pattern = schema.pattern.as_deref()?;
    if matches(pattern, text) {
        return None;
    }
    let problem = format!("does not match {pattern}");
    let is_quantity = schema.x_kubernetes_int_or_string == Some(true);
    if is_quantity {
        let problem = "is not a quantity".to_owned();
        return Some((problem, "write it such as 500m, 4 or 16Gi".to_owned()));
    }
    Some((problem, "change it to match the pattern".to_owned()))
}

/// Patterns are few, and many fields share one. A pattern that cannot be read refuses nothing.
fn matches(pattern: &str, text: &str) -> bool {
    static KNOWN: LazyLock<Mutex<HashMap<String, Option<Regex>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let compiled = known
        .entry(pattern.to_owned())
        .or_insert_with(|| Regex::new(pattern).ok());
    compiled.as_ref().is_none_or(|regex| regex.is_match(text))
}
