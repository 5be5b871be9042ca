//! Objects as they are stored, to judge updates of them (`--old`).

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::exit::Failure;
use crate::files::{ManifestObject, Source, objects_of, read_documents, read_sources};

/// Objects by kind and name, with their namespaces.
#[derive(Clone, Debug, Default)]
pub struct StoredObjects(HashMap<Key, Vec<Version>>);

type Key = (String, String);

/// A stored object, and the namespace that it names.
type Version = (Option<String>, Value);

impl StoredObjects {
    /// Reads them.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        Self::of(&read_sources(paths)?)
    }

    /// The objects of these files.
    pub fn of(sources: &[Source]) -> Result<Self, Failure> {
        let mut stored = Self::default();
        for source in sources {
            let documents = read_documents(source)?;
            for object in documents.iter().flat_map(objects_of) {
                let version = (object.namespace.map(str::to_owned), object.node.value());
                stored.0.entry(key(&object)).or_default().push(version);
            }
        }
        Ok(stored)
    }

    /// The stored version of an object. Manifests often name no namespace, but kubectl always
    /// prints one: then the name is enough, if it is unique.
    pub(super) fn version_of(&self, object: &ManifestObject<'_>) -> Option<&Value> {
        let versions = self.0.get(&key(object))?;
        if let Some((_, value)) = versions
            .iter()
            .rfind(|(n, _)| n.as_deref() == object.namespace)
        {
            return Some(value);
        }
        match versions.as_slice() {
            [(of_stored, value)] if of_stored.is_none() || object.namespace.is_none() => {
                Some(value)
            }
            _ => None,
        }
    }
}

fn key(object: &ManifestObject<'_>) -> Key {
    (object.kind.to_owned(), object.name.to_owned())
}
