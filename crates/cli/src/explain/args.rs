//! Arguments of `explain`.

use clap::Args as ClapArgs;

use crate::format::Format;

/// Arguments of `explain`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ExplainArgs {
    /// Name of the PodCliqueSet, or of an object of it, or TYPE/NAME
    pub name: String,

    /// Explain this pod of the set
    #[arg(long, value_name = "POD")]
    pub pod: Option<String>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,
}
