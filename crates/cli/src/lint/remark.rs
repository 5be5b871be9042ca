//! A remark on an object.

use std::fmt;

use admission::FieldError;
use serde::{Serialize, Serializer};

/// Its severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The API server refuses the object.
    Error,
    /// The API server accepts the object, but it may not do what its author wants.
    Warning,
}

impl Severity {
    /// The word in the output and in SARIF.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The rule of a remark.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, which never changes: CI configurations contain it.
    pub id: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Its subject in a few words.
    pub about: &'static str,
    /// The reason why that matters.
    pub reason: &'static str,
}

impl Rule {
    pub(super) const fn error(id: &'static str, about: &'static str, reason: &'static str) -> Self {
        Self {
            id,
            severity: Severity::Error,
            about,
            reason,
        }
    }

    pub(super) const fn warning(
        id: &'static str,
        about: &'static str,
        reason: &'static str,
    ) -> Self {
        Self {
            id,
            severity: Severity::Warning,
            about,
            reason,
        }
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

/// A remark on a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remark {
    /// Its severity.
    pub severity: Severity,
    /// Its rule.
    pub rule: &'static Rule,
    /// JSON path of the field.
    pub path: String,
    /// Its value as JSON, cut if it is long, or `not set`; none if the value does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The problem.
    pub problem: String,
    /// The remedy; none if the problem contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Remark {
    /// A remark about a field whatever its value.
    pub(super) fn new(rule: &'static Rule, path: impl Into<String>, problem: String) -> Self {
        Self {
            severity: rule.severity,
            rule,
            path: path.into(),
            value: None,
            problem,
            remedy: None,
        }
    }

    /// Adds the remedy.
    pub(super) fn remedy(self, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { remedy, ..self }
    }

    /// The value, as JSON.
    pub(super) fn value(self, value: impl Into<String>) -> Self {
        let value = Some(value.into());
        Self { value, ..self }
    }

    /// In the words of admission.
    pub(super) fn of_error(rule: &'static Rule, error: FieldError) -> Self {
        let is_set = !error.value.is_empty();
        let value = if is_set { error.value } else { NOT_SET.into() };
        Self::new(rule, error.path, error.problem)
            .value(value)
            .remedy(error.remedy)
    }
}

pub(super) const NOT_SET: &str = "not set";

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        if let Some(value) = &self.value {
            write!(f, "{value}: ")?;
        }
        f.write_str(&self.problem)?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}
