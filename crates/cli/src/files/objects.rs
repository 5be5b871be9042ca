//! The objects of a document.

use super::yaml_node::{Content, YamlNode};

/// The common parts of an object.
#[derive(Clone, Copy, Debug)]
pub struct ManifestObject<'a> {
    /// The whole object.
    pub node: &'a YamlNode,
    /// Its `apiVersion`; empty without one.
    pub api_version: &'a str,
    /// Its `kind`; empty without one.
    pub kind: &'a str,
    /// Its name; empty without one.
    pub name: &'a str,
    /// The namespace that it names.
    pub namespace: Option<&'a str>,
}

/// The objects of a document: itself, or the items of a list or a List; none for an empty document.
pub fn objects_of(document: &YamlNode) -> Vec<ManifestObject<'_>> {
    if document.is_null() {
        return Vec::new();
    }
    if let Content::List(items) = &document.content {
        return items.iter().flat_map(objects_of).collect();
    }
    let is_list = document.text("kind").is_some_and(|k| k.ends_with("List"));
    let items = document.entry("items").filter(|_| is_list);
    match items {
        Some(items) => items.value.items().iter().flat_map(objects_of).collect(),
        None => vec![object(document)],
    }
}

fn object(node: &YamlNode) -> ManifestObject<'_> {
    let meta = node.entry("metadata").map(|entry| &entry.value);
    let of_meta = |key| meta.and_then(|meta| meta.text(key));
    let namespace = of_meta("namespace").filter(|name| !name.is_empty());
    ManifestObject {
        node,
        api_version: node.text("apiVersion").unwrap_or_default(),
        kind: node.text("kind").unwrap_or_default(),
        name: of_meta("name").unwrap_or_default(),
        namespace,
    }
}
