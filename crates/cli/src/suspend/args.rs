//! Arguments of `suspend` and `resume`.

use clap::Args as ClapArgs;

use crate::cluster::parse_set_name;
use crate::format::Format;

/// Arguments of `suspend` and `resume`.
#[derive(Clone, Debug, ClapArgs)]
pub struct SuspendArgs {
    /// Name of the PodCliqueSet
    #[arg(value_parser = parse_set_name)]
    pub name: String,

    /// Only print what would change
    #[arg(long)]
    pub dry_run: bool,

    /// Also if Argo CD or Flux manages the set
    #[arg(long)]
    pub force: bool,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,
}
