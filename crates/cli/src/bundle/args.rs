//! Arguments of `bundle`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::cluster::parse_set_name;

/// Arguments of `bundle`.
#[derive(Clone, Debug, ClapArgs)]
pub struct BundleArgs {
    /// Name of the PodCliqueSet
    #[arg(value_parser = parse_set_name)]
    pub name: String,

    /// Output file; default grove-bundle-NAMESPACE-NAME-TIME.tar.gz in this folder
    #[arg(short, long, value_name = "OUT.tar.gz")]
    pub file: Option<PathBuf>,

    /// Keep arguments, commands, scripts, messages and annotations; hide only text that looks like
    /// a secret
    #[arg(long)]
    pub with_arguments: bool,

    /// Namespace of the operator; by default all namespaces are searched for its pods
    #[arg(long, value_name = "NAME")]
    pub operator_namespace: Option<String>,
}
