//! Arguments of `restart`.

use clap::Args as ClapArgs;

use crate::cluster::parse_any_name;

/// Arguments of `restart`.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct RestartArgs {
    /// Name of the PodCliqueSet, or of one replica: SET-INDEX, or any object of the replica
    #[arg(value_parser = parse_any_name)]
    pub name: String,

    /// Only this replica, which ends and starts again as a whole
    #[arg(long, value_name = "INDEX", conflicts_with = "clique")]
    pub replica: Option<i32>,

    /// Only this clique of the template; may be repeated
    #[arg(long, value_name = "NAME")]
    pub clique: Vec<String>,

    /// The reason, which `history` and `timeline` show
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// Ask the API server, and store nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Also if Argo CD or Flux manages the set; instead of a request for another replica that waits
    #[arg(long)]
    pub force: bool,
}
