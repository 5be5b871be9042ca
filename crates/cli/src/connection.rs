//! The cluster of a command, for all commands.

use std::path::PathBuf;

use clap::Args;

/// The cluster, and its namespace.
#[derive(Clone, Debug, Default, Args)]
pub struct ConnectionArgs {
    /// Kubeconfig file; default $KUBECONFIG, ~/.kube/config, or the pod's own account
    #[arg(long, value_name = "FILE", global = true)]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig; default its current one
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,

    /// Namespace; default that of the context
    #[arg(short, long, value_name = "NAME", global = true)]
    pub namespace: Option<String>,
}
