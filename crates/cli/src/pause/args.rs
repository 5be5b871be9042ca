//! Arguments of `pause` and `unpause`.

use clap::Args as ClapArgs;

use crate::cluster::parse_set_name;

/// Arguments of `pause` and `unpause`.
#[derive(Clone, Debug, ClapArgs)]
pub struct PauseArgs {
    /// Name of the PodCliqueSet
    #[arg(value_parser = parse_set_name)]
    pub name: String,

    /// Ask the API server, and store nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Also if Argo CD or Flux manages the set
    #[arg(long)]
    pub force: bool,
}
