//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Kubernetes operator for AI workloads whose parts live and die together.
#[derive(Debug, Parser)]
#[command(name = "grove-operator", version, disable_version_flag = true)]
pub struct Args {
    /// Configuration file (operator.config.grove.io/v1alpha1); built-in defaults without it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Namespace the operator itself runs in
    #[arg(
        long,
        value_name = "NAME",
        default_value = "grove-system",
        env = "POD_NAMESPACE"
    )]
    pub namespace: String,

    /// Print the version and exit
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,
}
