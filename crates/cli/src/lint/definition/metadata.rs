//! Metadata, which definitions of custom resources leave out.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::generate::SchemaSettings;

/// The schema of an object's metadata.
pub(super) fn schema() -> JSONSchemaProps {
    let settings = SchemaSettings::openapi3().with(|s| s.inline_subschemas = true);
    let schema = settings
        .into_generator()
        .into_root_schema_for::<ObjectMeta>();
    let schema = serde_json::to_value(schema).ok();
    schema
        .and_then(|schema| serde_json::from_value(schema).ok())
        .unwrap_or_else(super::anything)
}
