//! Arguments of `lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::rules;
use crate::exit::Failure;
use crate::format::Format;

/// Arguments of `lint`.
#[derive(Clone, Debug, Default, Args)]
pub struct LintArgs {
    /// Manifests in YAML or JSON, folders of them, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: LintFormat,

    /// Manifests as they are stored; an object of FILE that is also here is checked as an update
    #[arg(long, value_name = "FILE")]
    pub old: Vec<PathBuf>,

    /// Check also in the cluster that objects named by the sets exist and that quotas have room
    #[arg(long)]
    pub cluster: bool,

    /// The operator's configuration, by which its webhook judges; built-in defaults without it
    #[arg(long, value_name = "FILE")]
    pub operator_config: Option<PathBuf>,

    /// Exit with 1 on warnings, too
    #[arg(long)]
    pub strict: bool,

    /// Leave out the warnings of this rule, such as no-requests
    #[arg(long, value_name = "RULE")]
    pub ignore: Vec<String>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For people, and for programs that read `file:line:column:`.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For programs and people.
    Yaml,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
}

impl LintFormat {
    /// The format that other commands have too.
    pub(super) fn common(self) -> Option<Format> {
        match self {
            Self::Text => Some(Format::Text),
            Self::Json => Some(Format::Json),
            Self::Yaml => Some(Format::Yaml),
            Self::Sarif => None,
        }
    }
}

impl LintArgs {
    /// Errors cannot be ignored: the API server refuses the object anyway.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let unknown = |id: &&String| rules::warning(id).is_none();
        match self.ignore.iter().find(unknown) {
            None => Ok(()),
            Some(id) => Err(Failure::BadInput(format!(
                "--ignore {id}: no such warning; choose from {}",
                rules::warning_ids().join(", ")
            ))),
        }
    }
}
