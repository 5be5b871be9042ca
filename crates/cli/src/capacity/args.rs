//! Arguments of `capacity`.

use std::path::PathBuf;

use clap::Args;

use crate::format::Format;

/// Arguments of `capacity`.
#[derive(Clone, Debug, Args)]
pub struct CapacityArgs {
    /// File with PodCliqueSets, YAML or JSON; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Output of `kubectl get nodes,pods -A -o json`, to be used instead of a cluster
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,
}
