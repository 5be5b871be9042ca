//! Lists with unique keys.

use std::collections::HashMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::Value;

use crate::lint::remark::Remark;
use crate::lint::rules::admitted;
use crate::schema;

/// Items of such a list with the key of another.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, items: &[Value]) -> Vec<Remark> {
    let Some(keys) = &schema.x_kubernetes_list_map_keys else {
        return Vec::new();
    };
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut remarks = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let Some(id) = id_of(schema, keys, item) else {
            continue;
        };
        let other = *first.entry(id.clone()).or_insert(i);
        if other != i {
            let name = keys.first().map_or("", String::as_str);
            let at = format!("{path}[{i}].{name}");
            let problem = format!("is the key of {path}[{other}], too");
            let remark = Remark::new(&admitted::DEFINITION, at, problem);
            remarks.push(remark.value(id).remedy("correct or remove one of the two"));
        }
    }
    remarks
}

/// The values of its keys, with their defaults.
fn id_of(schema: &JSONSchemaProps, keys: &[String], item: &Value) -> Option<String> {
    let fields = schema::of_items(schema).and_then(|item| item.properties.as_ref());
    let values: Option<Vec<_>> = keys
        .iter()
        .map(|key| {
            let default = fields.and_then(|fields| fields.get(key)?.default.as_ref());
            let value = item.get(key).or(default.map(|json| &json.0));
            value.map(Value::to_string)
        })
        .collect();
    values.map(|values| values.join(", "))
}
