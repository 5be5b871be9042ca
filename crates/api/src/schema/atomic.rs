//! A list or object that one writer owns as a whole gets no defaults: server-side apply compares
//! the stored value with the sent one, and the next writer of the same value would find a conflict
//! (decision 122).

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray,
};

/// Removes the defaults below atomic lists and atomic objects. Keys of map lists keep theirs: the
/// API server finds the entries by their keys.
pub(super) fn drop_defaults(schema: &mut JSONSchemaProps) {
    visit(schema, false, &[]);
}

fn visit(schema: &mut JSONSchemaProps, is_inside: bool, keys: &[String]) {
    let is_inside = is_inside || schema.x_kubernetes_map_type.as_deref() == Some("atomic");
    for (name, child) in schema.properties.iter_mut().flatten() {
        if is_inside && !keys.contains(name) {
            child.default = None;
        }
        visit(child, is_inside, &[]);
    }
    let is_map = schema.x_kubernetes_list_type.as_deref() == Some("map");
    let keys = schema.x_kubernetes_list_map_keys.clone();
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items {
        visit(items, is_inside || !is_map, &keys.unwrap_or_default());
    }
}
