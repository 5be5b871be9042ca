//! Arguments of `restart`.

use clap::Args as ClapArgs;

use crate::cluster::parse_set_name;

/// Arguments of `restart`.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct RestartArgs {
    /// Name of the PodCliqueSet
    #[arg(value_parser = parse_set_name)]
    pub name: String,

    /// Only this clique of the template; may be repeated
    #[arg(long, value_name = "NAME")]
    pub clique: Vec<String>,

    /// The reason, which `history` and `timeline` show
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// Ask the API server, and store nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Also if Argo CD or Flux manages the set
    #[arg(long)]
    pub force: bool,
}
