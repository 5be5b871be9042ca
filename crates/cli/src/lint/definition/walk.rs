//! An object beside its schema.

use admission::unknown_fields;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrBool,
};
use serde_json::{Map, Value};

use super::{keys, limits, nearest, types};
use crate::lint::remark::{NOT_SET, Remark};
use crate::lint::rules::admitted;
use crate::schema;

/// The key of `{...}` in examples.
const OMITTED: &str = "...";

/// Remarks so far, and the ancestors of the current value.
#[derive(Default)]
pub(super) struct Walk<'a> {
    pub(super) remarks: Vec<Remark>,
    /// The objects around it, outermost first, with their paths.
    around: Vec<(String, &'a JSONSchemaProps)>,
}

impl<'a> Walk<'a> {
    /// Checks a value and all of its children.
    pub(super) fn look(&mut self, schema: &'a JSONSchemaProps, path: &str, value: &Value) {
        if let Some(remark) = types::check(schema, path, value) {
            self.remarks.push(remark);
            return;
        }
        self.remarks.extend(limits::check(schema, path, value));
        match value {
            Value::Object(fields) => {
                self.around.push((path.to_owned(), schema));
                self.look_at_fields(schema, path, fields);
                self.around.pop();
            }
            Value::Array(items) => self.look_at_items(schema, path, items),
            _ => {}
        }
    }

    fn look_at_fields(
        &mut self,
        schema: &'a JSONSchemaProps,
        path: &str,
        fields: &Map<String, Value>,
    ) {
        let known = schema.properties.as_ref();
        for (name, value) in fields {
            match known.and_then(|known| known.get(name)) {
                // The API server drops it.
                Some(_) if value.is_null() => {}
                Some(of_field) => self.look(of_field, &join(path, name), value),
                None => self.look_at_other(schema, path, name, value),
            }
        }
        let is_missing = |name: &&String| fields.get(*name).is_none_or(Value::is_null);
        for name in schema.required.iter().flatten().filter(is_missing) {
            self.missing(schema, path, name);
        }
    }

    /// A field that the schema does not name.
    fn look_at_other(
        &mut self,
        schema: &'a JSONSchemaProps,
        path: &str,
        name: &str,
        value: &Value,
    ) {
        let is_open = matches!(
            schema.additional_properties,
            Some(JSONSchemaPropsOrBool::Bool(true))
        );
        if let Some(of_value) = schema::of_values(schema) {
            if value.is_null() {
                return;
            }
            self.look(of_value, &format!("{path}[{name}]"), value);
        } else if !is_open && schema.x_kubernetes_preserve_unknown_fields != Some(true) {
            self.remarks.push(self.unknown(path, name));
        }
    }

    fn unknown(&self, path: &str, name: &str) -> Remark {
        let rule = &admitted::UNKNOWN_FIELD;
        if name == OMITTED {
            let problem = "`...` stands for fields that an example leaves out".to_owned();
            return Remark::new(rule, path, problem).remedy("write your own fields instead");
        }
        let problem = unknown_fields::PROBLEM.to_owned();
        let remedy = nearest::remedy(&self.around, name);
        Remark::new(rule, join(path, name), problem).remedy(remedy)
    }

    fn missing(&mut self, schema: &JSONSchemaProps, path: &str, name: &str) {
        let of_field = schema.properties.as_ref().and_then(|all| all.get(name));
        if of_field.is_some_and(|schema| schema.default.is_some()) {
            return;
        }
        let problem = "is required".to_owned();
        let remark = Remark::new(&admitted::DEFINITION, join(path, name), problem);
        self.remarks.push(remark.value(NOT_SET).remedy("set it"));
    }

    fn look_at_items(&mut self, schema: &'a JSONSchemaProps, path: &str, items: &[Value]) {
        self.remarks.extend(keys::check(schema, path, items));
        let Some(of_item) = schema::of_items(schema) else {
            return;
        };
        for (i, item) in items.iter().enumerate() {
            self.look(of_item, &format!("{path}[{i}]"), item);
        }
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
