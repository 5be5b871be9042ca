//! An object with values in place of those that its definition refuses, so that the rest of it can be
//! judged, too.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use super::blank::{blank_item, blank_value};
use super::convert::{convert_scalar, is_out_of_range, nearest_word};
use super::types;
use super::walk::join;
use crate::lint::parts::is_within;
use crate::schema;

/// The places where a value was guessed.
#[derive(Debug, Default)]
pub(in crate::lint) struct Guesses {
    /// Fields with another value than the written one.
    replaced: Vec<String>,
    /// Fields whose meaning is not known.
    unknown: Vec<String>,
}

/// The object with the intended values where they can be guessed: the allowed word with the nearest
/// spelling, a number without its quotes, a text for a number, a list of one value. Other fields of the
/// wrong type are left out, and required ones are blank. Items of lists stay, as paths count them.
pub(super) fn complete(schema: &JSONSchemaProps, value: &Value) -> (Value, Guesses) {
    let mut guesses = Guesses::default();
    let object = guesses.guess(schema, "", value).unwrap_or(Value::Null);
    (object, guesses)
}

impl Guesses {
    /// Whether the field has another value than the written one.
    pub(in crate::lint) fn is_replaced(&self, path: &str) -> bool {
        self.replaced.iter().any(|at| at == path)
    }

    /// Whether nothing is known about the field, or about one around it: a remark on it would be about
    /// a value that nobody wrote.
    pub(in crate::lint) fn is_unknown(&self, path: &str) -> bool {
        self.unknown.iter().any(|at| is_within(path, at))
    }

    fn guess(&mut self, schema: &JSONSchemaProps, path: &str, value: &Value) -> Option<Value> {
        if types::check(schema, "", value).is_some() || is_out_of_range(schema, value) {
            return self.convert(schema, path, value);
        }
        Some(match value {
            Value::Object(fields) => self.guess_fields(schema, path, fields),
            Value::Array(items) => self.guess_items(schema, path, items),
            Value::String(word) => nearest_word(schema, word),
            other => other.clone(),
        })
    }

    fn guess_fields(
        &mut self,
        schema: &JSONSchemaProps,
        path: &str,
        fields: &Map<String, Value>,
    ) -> Value {
        let mut kept = Map::new();
        for (name, value) in fields {
            let meant = match schema::of_field(schema, name) {
                Some(of_field) => self.guess(of_field, &path_of(schema, path, name), value),
                None => Some(value.clone()),
            };
            kept.extend(meant.map(|meant| (name.clone(), meant)));
        }
        self.fill(schema, path, &mut kept);
        Value::Object(kept)
    }

    /// Adds blank values of the required fields that are missing.
    fn fill(&mut self, schema: &JSONSchemaProps, path: &str, kept: &mut Map<String, Value>) {
        for name in schema.required.iter().flatten() {
            if let Some(of_field) = schema::of_field(schema, name)
                && !kept.contains_key(name)
            {
                self.unknown.push(join(path, name));
                kept.insert(name.clone(), blank_value(of_field));
            }
        }
    }

    fn guess_items(&mut self, schema: &JSONSchemaProps, path: &str, items: &[Value]) -> Value {
        let Some(of_item) = schema::of_items(schema) else {
            return Value::Array(items.to_vec());
        };
        let mut kept = Vec::new();
        for (i, item) in items.iter().enumerate() {
            kept.push(self.guess_item(of_item, &format!("{path}[{i}]"), item));
        }
        Value::Array(kept)
    }

    fn guess_item(&mut self, schema: &JSONSchemaProps, path: &str, item: &Value) -> Value {
        let meant = self.guess(schema, path, item);
        meant.unwrap_or_else(|| blank_item(schema, item))
    }

    /// A value of the wrong type as one of the right type, if there is one that was meant.
    fn convert(&mut self, schema: &JSONSchemaProps, path: &str, value: &Value) -> Option<Value> {
        self.replaced.push(path.to_owned());
        let meant = match schema.type_.as_deref() {
            Some("array") => self.convert_to_list(schema, path, value),
            Some("object") => self.convert_to_object(schema, path, value),
            _ => convert_scalar(schema, value),
        };
        if meant.is_none() {
            self.unknown.push(path.to_owned());
        }
        meant
    }

    /// The only item of a list that was not written as one, or items that were written by their names.
    fn convert_to_list(
        &mut self,
        schema: &JSONSchemaProps,
        path: &str,
        value: &Value,
    ) -> Option<Value> {
        let of_item = schema::of_items(schema)?;
        let known = of_item.properties.as_ref();
        let has_field = |name: &str| known.is_some_and(|known| known.contains_key(name));
        match value {
            Value::Null => None,
            Value::Object(fields) if !fields.keys().any(|name| has_field(name)) => {
                has_field("name").then(|| self.convert_from_names(of_item, path, fields))
            }
            _ => {
                let item = self.guess_item(of_item, &format!("{path}[0]"), value);
                Some(Value::Array(vec![item]))
            }
        }
    }

    /// `{a: {image: x}}` for `[{name: a, image: x}]`. The items have no paths, so nothing is said about
    /// them.
    fn convert_from_names(
        &mut self,
        of_item: &JSONSchemaProps,
        path: &str,
        fields: &Map<String, Value>,
    ) -> Value {
        self.unknown.push(path.to_owned());
        let mut items = Vec::new();
        for (name, value) in fields {
            let mut item = value.as_object().cloned().unwrap_or_default();
            item.insert("name".to_owned(), name.as_str().into());
            items.push(self.guess_item(of_item, path, &Value::Object(item)));
        }
        Value::Array(items)
    }

    /// The only item of a list that should not be one.
    fn convert_to_object(
        &mut self,
        schema: &JSONSchemaProps,
        path: &str,
        value: &Value,
    ) -> Option<Value> {
        match value.as_array()?.as_slice() {
            [item] if item.is_object() => self.guess(schema, path, item),
            _ => None,
        }
    }
}

/// The path of a field, or of the value of a key.
fn path_of(schema: &JSONSchemaProps, path: &str, name: &str) -> String {
    let known = schema.properties.as_ref();
    if known.is_some_and(|known| known.contains_key(name)) {
        join(path, name)
    } else {
        format!("{path}[{name}]")
    }
}
