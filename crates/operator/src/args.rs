//! The command line.

use std::path::PathBuf;

use api::labels::operator_env;
use clap::Parser;

use crate::config::InitContainerImage;

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

    /// Image of the init container of pods that start after others; without a tag, that of the
    /// operator's version
    #[arg(
        long,
        value_name = "IMAGE",
        default_value = "grove-initc",
        env = operator_env::INIT_CONTAINER_IMAGE,
        value_parser = InitContainerImage::parse
    )]
    pub init_container_image: InitContainerImage,

    /// Print the version and exit
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,
}
