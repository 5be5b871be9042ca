//! Arguments of `undo`.

use clap::Args as ClapArgs;

use crate::cluster::parse_set_name;
use crate::format::Format;

/// Arguments of `undo`.
#[derive(Clone, Debug, ClapArgs)]
pub struct UndoArgs {
    /// Name of the PodCliqueSet
    #[arg(value_parser = parse_set_name)]
    pub name: String,

    /// Number of the revision, as `kubectl grove history` prints it; by default the newest one that
    /// differs from the manifest
    #[arg(long, value_name = "REVISION")]
    pub to: Option<i64>,

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
