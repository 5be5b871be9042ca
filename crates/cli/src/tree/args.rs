//! Arguments of `tree`.

use clap::Args;

use crate::format::Format;

/// Arguments of `tree`.
#[derive(Clone, Debug, Args)]
pub struct TreeArgs {
    /// Name of the PodCliqueSet, or of an object of it, or TYPE/NAME; without it, one line for each set
    pub name: Option<String>,

    /// Of all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["name", "namespace"])]
    pub all_namespaces: bool,

    /// Only sets with these labels, such as team=nlp
    #[arg(short = 'l', long, value_name = "LABELS", conflicts_with = "name")]
    pub selector: Option<String>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,

    /// Only sets that are not ready
    #[arg(long, conflicts_with = "name")]
    pub not_ready: bool,

    /// Redraw after each change, until Ctrl-C
    #[arg(short, long, conflicts_with = "output")]
    pub watch: bool,
}
