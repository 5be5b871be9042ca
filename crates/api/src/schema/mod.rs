//! Additions to the definitions that Rust types cannot express.
//!
//! The derive macros know names and types. This module adds the facts of the Grove API that types
//! do not carry: required fields with defaults, list types, conditions, rules in CEL. Structures of
//! Kubernetes get the markers of Kubernetes' own schema and lose their descriptions, so that each
//! definition stays small enough for plain `kubectl apply`.

mod atomic;
mod grove;
mod kubernetes;
mod limits;
mod rules;
mod walk;

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps,
};

use crate::labels;

/// Completes a derived definition.
pub fn complete(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    let kind = crd.spec.names.kind.clone();
    crd.metadata.labels = Some(build_labels());
    crd.spec.names.list_kind = Some(format!("{kind}List"));
    let schemas = crd
        .spec
        .versions
        .iter_mut()
        .filter_map(|v| v.schema.as_mut()?.open_api_v3_schema.as_mut());
    for schema in schemas {
        complete_schema(&kind, schema);
    }
    crd
}

/// Labels that distinguish the definitions of one version from those of another. The chart adds its
/// own labels.
fn build_labels() -> BTreeMap<String, String> {
    let version = env!("CARGO_PKG_VERSION");
    BTreeMap::from([
        (labels::NAME.into(), labels::MANAGER.into()),
        (labels::VERSION.into(), version.into()),
    ])
}

fn complete_schema(kind: &str, root: &mut JSONSchemaProps) {
    walk::visit(root, "", &mut |path, schema| {
        // Grove's optional fields are absent, never null; the API server drops a null.
        schema.nullable = None;
        tidy_description(schema);
        if kubernetes::is_embedded(path) {
            kubernetes::complete(schema);
        }
    });
    // The derive macro adds a title; Grove's definitions have none.
    root.title = None;
    grove::complete(kind, root);
    atomic::drop_defaults(root);
    limits::complete(kind, root);
    rules::complete(kind, root);
}

/// Removes line breaks and sources from a doc comment: `kubectl explain` wraps by itself, and its
/// readers do not know our sources.
fn tidy_description(schema: &mut JSONSchemaProps) {
    let Some(text) = schema.description.take() else {
        return;
    };
    let text = text.replace("\n\n", "\u{0}").replace('\n', " ");
    let mut text = text.replace('\u{0}', "\n\n");
    while let Some((before, rest)) = text.split_once(" (seed ") {
        let Some((_, after)) = rest.split_once(')') else {
            break;
        };
        text = format!("{before}{after}");
    }
    schema.description = Some(text);
}

/// Every path in the tables of this module that the definition of `kind` does not have: its field
/// was renamed and its fact is lost. Normally empty.
pub fn unmatched_paths(kind: &str, root: &JSONSchemaProps) -> Vec<String> {
    let mut known = std::collections::BTreeSet::new();
    walk::visit(&mut root.clone(), "", &mut |path, _| {
        known.insert(path.to_owned());
    });
    grove::paths(kind)
        .into_iter()
        .chain(limits::paths(kind))
        .chain(rules::paths(kind))
        .filter(|path| !known.contains(path))
        .collect()
}
