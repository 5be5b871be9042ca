//! Where something is wrong, and how it is reported.

use std::fmt;

use serde::Serialize;

use domain::object::text::cut_text;

/// Longer values are cut: the path says where to look.
pub(crate) const MAX_SHOWN_CHARS: usize = 60;
/// Longer words are cut: they may have a name of a megabyte in them, and go into a status.
const MAX_TEXT: usize = 400;
/// Offered names have less room, so that the rest of the remedy fits.
const MAX_OFFERED: usize = 250;

/// An error of a field, and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, thiserror::Error)]
#[error("{path}: {}: {problem}; {remedy}", shown(.value))]
pub struct FieldError {
    /// JSON path of the field, e.g. `spec.template.cliques[1].spec.minAvailable`.
    pub path: String,
    /// Its value as JSON, cut if it is long; empty if the field is not set.
    pub value: String,
    /// The problem.
    pub problem: String,
    /// The remedy.
    pub remedy: String,
    /// The counted resource of an error about a limit.
    #[serde(skip)]
    pub(crate) counted: Option<Counted>,
}

/// How much there is of something that has a limit: in an update, less of it is better than before,
/// though it may still be too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counted {
    pub(crate) what: &'static str,
    pub(crate) count: i128,
}

impl FieldError {
    pub(crate) fn counting(self, what: &'static str, count: impl TryInto<i128>) -> Self {
        let count = count.try_into().unwrap_or(i128::MAX);
        Self {
            counted: Some(Counted { what, count }),
            ..self
        }
    }
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
            path: cut(self.0.clone()),
            value: json(value),
            problem: cut(problem.into()),
            remedy: cut(remedy.into()),
            counted: None,
        }
    }

    /// The field has no value, or an empty one, where one is needed.
    pub(crate) fn missing(
        &self,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> FieldError {
        FieldError {
            path: cut(self.0.clone()),
            value: String::new(),
            problem: cut(problem.into()),
            remedy: cut(remedy.into()),
            counted: None,
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Most texts are short and are not copied: there may be a hundred thousand.
fn cut(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    cut_text(&text, MAX_TEXT)
}

pub(crate) fn json(value: impl Serialize) -> String {
    let text = serde_json::to_string(&value).unwrap_or_default();
    cut_text(&text, MAX_SHOWN_CHARS)
}

/// A remedy that offers names, as many as there is room for, and something else to do.
pub(crate) fn choose<'a>(names: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    let offered = join_names(names);
    if offered.is_empty() {
        return otherwise.to_owned();
    }
    format!("choose from {offered}, or {otherwise}")
}

/// Names for a remedy, as many as there is room for; empty without any.
pub(crate) fn join_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for name in names {
        let separator = if joined.is_empty() { "" } else { ", " };
        if joined.len().saturating_add(name.len()) > MAX_OFFERED {
            joined = format!("{joined}{separator}…");
            break;
        }
        joined.push_str(separator);
        joined.push_str(name);
    }
    joined
}
