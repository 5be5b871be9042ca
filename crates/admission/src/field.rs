//! Where something is wrong, and how it is reported.

use std::fmt;

use serde::Serialize;

use domain::object::text::cut_text;

/// Longer values are cut: the path says where to look.
const MAX_SHOWN_CHARS: usize = 60;
/// Longer words are cut: they may have a name of a megabyte in them, and go into a status.
const MAX_TEXT: usize = 400;

/// One thing that is wrong with an object, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {}: {problem}; {remedy}", shown(.value))]
pub struct FieldError {
    /// JSON path of the field, e.g. `spec.template.cliques[1].spec.minAvailable`.
    pub path: String,
    /// Its value as JSON, cut if it is long; empty if the field is not set.
    pub value: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

fn shown(value: &str) -> &str {
    if value.is_empty() { "not set" } else { value }
}

/// JSON path of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path(String);

impl Path {
    pub(crate) fn new(root: &str) -> Self {
        Self(root.to_owned())
    }

    pub(crate) fn field(&self, name: &str) -> Self {
        Self(format!("{}.{name}", self.0))
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    pub(crate) fn key(&self, key: &str) -> Self {
        Self(format!("{}[{key}]", self.0))
    }

    /// The field has a value that is wrong.
    pub(crate) fn wrong(
        &self,
        value: impl Serialize,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> FieldError {
        FieldError {
            path: cut_text(&self.0, MAX_TEXT),
            value: json(value),
            problem: cut_text(&problem.into(), MAX_TEXT),
            remedy: cut_text(&remedy.into(), MAX_TEXT),
        }
    }

    /// The field has no value, or an empty one, where one is needed.
    pub(crate) fn missing(
        &self,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> FieldError {
        FieldError {
            path: cut_text(&self.0, MAX_TEXT),
            value: String::new(),
            problem: cut_text(&problem.into(), MAX_TEXT),
            remedy: cut_text(&remedy.into(), MAX_TEXT),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn json(value: impl Serialize) -> String {
    let text = serde_json::to_string(&value).unwrap_or_default();
    cut_text(&text, MAX_SHOWN_CHARS)
}

/// A remedy that offers names, and something else to do.
pub(crate) fn choose<'a>(names: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return otherwise.to_owned();
    }
    format!("choose from {}, or {otherwise}", names.join(", "))
}
