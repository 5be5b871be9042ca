//! Arguments of `plan`.

use std::path::PathBuf;

use clap::Args;

use crate::format::Format;

/// Arguments of `plan`.
#[derive(Clone, Debug, Args)]
pub struct PlanArgs {
    /// Manifest with PodCliqueSets, YAML or JSON; - reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print the changes that applying the file would make in the cluster, in order; only reads
    #[arg(long)]
    pub live: bool,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,

    /// The operator's configuration: defaults, gangScheduling, scheduler.profiles, queueing,
    /// topologyAwareScheduling, resourceSharing and network count; built-in defaults without it
    #[arg(long, value_name = "FILE")]
    pub operator_config: Option<PathBuf>,

    /// Image of the init container of pods with dependencies
    #[arg(
        long,
        value_name = "IMAGE",
        default_value = concat!("grove-initc:", env!("CARGO_PKG_VERSION"))
    )]
    pub init_container_image: String,
}
