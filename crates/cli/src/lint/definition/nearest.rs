//! The field that was probably meant by one that does not exist.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use strsim::osa_distance;

use super::walk::join;
use crate::schema;

/// The remedy for a field of that name in the innermost of these objects.
pub(super) fn remedy(around: &[(String, &JSONSchemaProps)], name: &str) -> String {
    let Some((here, schema)) = around.last() else {
        return "remove it".to_owned();
    };
    if let Some(place) = place_below(here, schema, name).or_else(|| place_above(around, name)) {
        return format!("move it to {place}, which has such a field");
    }
    match nearest(schema, name) {
        Some(meant) => format!("name it {meant}, or remove it"),
        None => "remove it".to_owned(),
    }
}

/// In a child of this object.
fn place_below(here: &str, schema: &JSONSchemaProps, name: &str) -> Option<String> {
    schema
        .properties
        .iter()
        .flatten()
        .find(|(_, field)| has_field(field, name))
        .map(|(field, _)| join(here, field))
}

/// In an ancestor of this object, but not in the outermost one, which has all names of metadata.
fn place_above(around: &[(String, &JSONSchemaProps)], name: &str) -> Option<String> {
    let (_, outer) = around.split_last()?;
    let (path, _) = outer
        .iter()
        .rev()
        .find(|(_, schema)| has_field(schema, name))?;
    (!path.is_empty()).then(|| path.clone())
}

fn has_field(schema: &JSONSchemaProps, name: &str) -> bool {
    let fields = schema.properties.as_ref();
    fields.is_some_and(|fields| fields.contains_key(name)) && schema::of_items(schema).is_none()
}

/// The known name with the most similar spelling, if there is one.
fn nearest<'a>(schema: &'a JSONSchemaProps, name: &str) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let distance = |known: &str| osa_distance(&known.to_lowercase(), &lower);
    let near = schema
        .properties
        .iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .map(|known| (distance(known), known))
        .min()?;
    // A third of the name may differ: with more it would be another word.
    let most = (lower.chars().count() / 3).max(1);
    (near.0 <= most).then_some(near.1)
}
