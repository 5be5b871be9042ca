//! Traversal of a schema. A path looks like `spec.template.cliques[].labels{}`: `[]` stands for the
//! items of a list, `{}` for the values of a map, the empty path for the root.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// Calls `f` with every schema and its path, parents first.
pub(super) fn visit(
    schema: &mut JSONSchemaProps,
    path: &str,
    f: &mut dyn FnMut(&str, &mut JSONSchemaProps),
) {
    f(path, schema);
    for (name, child) in schema.properties.iter_mut().flatten() {
        visit(child, &join(path, name), f);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items {
        visit(items, &format!("{path}[]"), f);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        visit(values, &format!("{path}{{}}"), f);
    }
}

/// Calls `f` with the schema at that path, if there is one.
pub(super) fn at(root: &mut JSONSchemaProps, path: &str, f: &dyn Fn(&mut JSONSchemaProps)) {
    if path.is_empty() {
        return f(root);
    }
    let end = path.find(['.', '[', '{']).unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    let fields = root.properties.as_mut();
    let mut schema = fields.and_then(|fields| fields.get_mut(name));
    let mut rest = rest;
    while let Some(after) = rest.strip_prefix("[]").or(rest.strip_prefix("{}")) {
        schema = schema.and_then(entries_of);
        rest = after;
    }
    if let Some(schema) = schema {
        at(schema, rest.strip_prefix('.').unwrap_or(rest), f);
    }
}

/// The items of a list or the values of a map.
fn entries_of(schema: &mut JSONSchemaProps) -> Option<&mut JSONSchemaProps> {
    match (&mut schema.items, &mut schema.additional_properties) {
        (Some(JSONSchemaPropsOrArray::Schema(items)), _) => Some(items),
        (_, Some(JSONSchemaPropsOrBool::Schema(values))) => Some(values),
        _ => None,
    }
}

/// Whether the path ends with that suffix, at the boundary of a name.
pub(super) fn ends_with(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
