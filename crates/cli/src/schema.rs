//! The schemas of our definitions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// The schema of an object of that kind.
pub fn of_kind(kind: &str) -> Option<&'static JSONSchemaProps> {
    static SCHEMAS: LazyLock<BTreeMap<&str, &JSONSchemaProps>> = LazyLock::new(|| {
        let definitions = api::crds::all().iter();
        let schemas = definitions.filter_map(|definition| {
            let version = definition.spec.versions.first()?;
            let schema = version.schema.as_ref()?.open_api_v3_schema.as_ref()?;
            Some((definition.spec.names.kind.as_str(), schema))
        });
        schemas.collect()
    });
    SCHEMAS.get(kind).copied()
}

/// The schema of the field, or of the value, of that name.
pub fn of_field<'a>(schema: &'a JSONSchemaProps, name: &str) -> Option<&'a JSONSchemaProps> {
    let known = schema.properties.as_ref().and_then(|all| all.get(name));
    known.or_else(|| of_values(schema))
}

/// The schema of the items of a list.
pub fn of_items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &schema.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => Some(items),
        _ => None,
    }
}

/// The schema of the values of a map.
pub fn of_values(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &schema.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(values)) => Some(values),
        _ => None,
    }
}
