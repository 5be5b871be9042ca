//! Arguments of `status`.

use clap::Args as ClapArgs;

use crate::format::Format;

/// Arguments of `status`.
#[derive(Clone, Debug, ClapArgs)]
pub struct StatusArgs {
    /// Namespace of the operator; default all namespaces are searched for it
    #[arg(long, value_name = "NAME")]
    pub operator_namespace: Option<String>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,
}
