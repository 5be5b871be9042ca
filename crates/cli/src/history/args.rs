//! Arguments of `history`.

use clap::Args as ClapArgs;

use crate::format::Format;

/// Arguments of `history`.
#[derive(Clone, Debug, ClapArgs)]
pub struct HistoryArgs {
    /// Name of the PodCliqueSet
    pub name: String,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,
}
