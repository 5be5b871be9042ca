//! The findings of all files.

use serde::Serialize;

use super::remark::{Remark, Severity};
use crate::files::Broken;

/// A remark with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// Kind and name of the object.
    pub object: String,
    /// The remark.
    #[serde(flatten)]
    pub remark: Remark,
}

/// All findings.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Files that were read.
    pub files: usize,
    /// Objects that were checked.
    pub checked: usize,
    /// Objects of other kinds, which were skipped.
    pub skipped: usize,
    /// The findings, in the order of files and lines.
    pub findings: Vec<Finding>,
    /// Files that cannot be read to their end; they have no findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Broken>,
    /// Parts of the sets that were accepted because the operator's configuration is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<&'static str>,
}

impl Report {
    /// Number of errors.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// Number of warnings.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings.filter(|f| f.remark.severity == severity).count()
    }
}
