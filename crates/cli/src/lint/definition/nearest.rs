//! The field that was probably meant by one that does not exist.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use strsim::osa_distance;

use super::foreign;
use super::walk::join;
use crate::schema;

/// The field of a clique's spec with the spec of its pods.
const POD_SPEC: &str = "podSpec";

/// The fields around the spec of pods in other kinds.
const AROUND_PODS: [&str; 2] = ["template", "spec"];

/// The remedy for a field of that name in the innermost of these objects.
pub(super) fn remedy(around: &[(String, &JSONSchemaProps)], name: &str) -> String {
    let Some((here, schema)) = around.last() else {
        return "remove it".to_owned();
    };
    if let Some(ours) = foreign::remedy(here, name) {
        return ours.to_owned();
    }
    if let Some(place) = place_of_pod(here, schema, name) {
        return format!("move the fields of the pods' spec in it to {place}");
    }
    if let Some(place) = place_below(here, schema, name).or_else(|| place_above(around, name)) {
        return format!("move it to {place}, which has such a field");
    }
    match nearest(schema, name) {
        Some(meant) => format!("name it {meant}, or remove it"),
        None => "remove it".to_owned(),
    }
}

/// The place of the fields that a Deployment has in `template.spec`, and a pod in `spec`.
fn place_of_pod(here: &str, schema: &JSONSchemaProps, name: &str) -> Option<String> {
    if !AROUND_PODS.contains(&name) {
        return None;
    }
    let is_pod = has_field(schema, "containers") && here.ends_with(POD_SPEC);
    if is_pod {
        return Some(here.to_owned());
    }
    if has_field(schema, POD_SPEC) {
        return Some(join(here, POD_SPEC));
    }
    let spec = schema::of_field(schema, "spec")?;
    has_field(spec, POD_SPEC).then(|| join(&join(here, "spec"), POD_SPEC))
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
    // All objects have these, and mean others by them.
    let (_, outer) = around
        .split_last()
        .filter(|_| !AROUND_PODS.contains(&name))?;
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
