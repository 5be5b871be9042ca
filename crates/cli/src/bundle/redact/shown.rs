//! The content that an archive may show.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fields;

/// The content that may be shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Arguments, scripts, messages and annotations, too, except text in them that looks like a
    /// secret.
    pub with_arguments: bool,
    names: BTreeSet<String>,
}

impl Shown {
    /// Only content that is known to be harmless; with arguments, all content that does not look
    /// like a secret.
    pub fn new(with_arguments: bool) -> Self {
        Self {
            with_arguments,
            names: BTreeSet::new(),
        }
    }

    /// Adds the names in these objects: the objects show them, so messages may show them, too.
    #[must_use]
    pub fn with_names<'a>(mut self, objects: impl IntoIterator<Item = &'a Value>) -> Self {
        objects.into_iter().for_each(|object| self.add("", object));
        self
    }

    fn add(&mut self, key: &str, value: &Value) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| self.add(key, value)),
            Value::Array(list) => list.iter().for_each(|item| self.add(key, item)),
            Value::String(text)
                if fields::NAMES_IN_MESSAGES.contains(&key) && fields::is_name(text) =>
            {
                self.names.insert(text.clone());
            }
            _ => (),
        }
    }

    /// Whether it is one of these names.
    pub fn contains(&self, text: &str) -> bool {
        self.names.contains(text)
    }
}
