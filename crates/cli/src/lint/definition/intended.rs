//! An object with values in place of those that its definition refuses, so that the rest of it can be
//! judged, too.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;
use strsim::osa_distance;

use super::types;
use crate::schema;

/// The object with the intended values where they can be guessed: the allowed word with the nearest
/// spelling, and a number without its quotes. Other fields of the wrong type are left out. Items of
/// lists stay, as paths count them.
pub(super) fn complete(schema: &JSONSchemaProps, value: &Value) -> Value {
    guess(schema, value).unwrap_or(Value::Null)
}

fn guess(schema: &JSONSchemaProps, value: &Value) -> Option<Value> {
    if types::check(schema, "", value).is_some() || is_out_of_range(schema, value) {
        return convert(schema, value);
    }
    Some(match value {
        Value::Object(fields) => {
            let of_field = |(name, value): (&String, &Value)| {
                let kept = match schema::of_field(schema, name) {
                    Some(schema) => guess(schema, value)?,
                    None => value.clone(),
                };
                Some((name.clone(), kept))
            };
            Value::Object(fields.iter().filter_map(of_field).collect())
        }
        Value::Array(items) => {
            let of_item = schema::of_items(schema);
            let guess = |item: &Value| of_item.and_then(|schema| guess(schema, item));
            let kept = items
                .iter()
                .map(|item| guess(item).unwrap_or_else(|| item.clone()));
            kept.collect()
        }
        Value::String(word) => nearest_word(schema, word),
        other => other.clone(),
    })
}

/// A number that its type cannot hold.
fn is_out_of_range(schema: &JSONSchemaProps, value: &Value) -> bool {
    let is_small = schema.format.as_deref() == Some("int32");
    let fits = |number: i64| i32::try_from(number).is_ok();
    is_small && value.is_number() && !value.as_i64().is_some_and(fits)
}

/// A text as the number or switch that was meant.
fn convert(schema: &JSONSchemaProps, value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    match schema.type_.as_deref()? {
        "integer" => text.parse::<i32>().ok().map(Value::from),
        "boolean" => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    }
}

/// The text, or the allowed one that is nearest to it: `Training` for `training`, and
/// `CliqueStartupTypeInOrder` for `InOrder`.
fn nearest_word(schema: &JSONSchemaProps, word: &str) -> Value {
    let allowed = schema
        .enum_
        .iter()
        .flatten()
        .filter_map(|one| one.0.as_str());
    let lower = word.to_lowercase();
    let distance = |allowed: &str| {
        let is_end = allowed.to_lowercase().ends_with(&lower);
        if is_end {
            0
        } else {
            osa_distance(allowed, word)
        }
    };
    let nearest = allowed.min_by_key(|allowed| (*allowed != word, distance(allowed)));
    nearest.unwrap_or(word).into()
}
