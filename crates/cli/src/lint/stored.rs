//! Objects as they are stored, to judge changes of them (`--old`).

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::exit::Failure;
use crate::files::{Object, Source, objects_of, read_documents, read_sources};

/// Objects by kind, namespace and name.
#[derive(Clone, Debug, Default)]
pub struct Stored(HashMap<Key, Value>);

type Key = (String, String, String);

impl Stored {
    /// Reads them.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        Self::of(&read_sources(paths)?)
    }

    /// Those of files that were read.
    pub fn of(sources: &[Source]) -> Result<Self, Failure> {
        let mut stored = Self::default();
        for source in sources {
            let documents = read_documents(source);
            let documents = documents.map_err(|broken| Failure::BadInput(broken.to_string()))?;
            for object in documents.iter().flat_map(objects_of) {
                stored.0.insert(key(&object), object.node.value());
            }
        }
        Ok(stored)
    }

    /// The stored version of an object.
    pub(super) fn version_of(&self, object: &Object<'_>) -> Option<&Value> {
        self.0.get(&key(object))
    }
}

fn key(object: &Object<'_>) -> Key {
    let namespace = object.namespace.unwrap_or_default();
    (
        object.kind.to_owned(),
        namespace.to_owned(),
        object.name.to_owned(),
    )
}
