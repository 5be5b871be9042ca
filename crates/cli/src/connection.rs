//! Which cluster a command asks, for all commands.

use std::path::PathBuf;

use clap::Args;

/// Which cluster, and which namespace of it.
#[derive(Clone, Debug, Default, Args)]
pub struct ConnectionArgs {
    /// Kubeconfig file; otherwise $KUBECONFIG, ~/.kube/config, or the pod's own account
    #[arg(long, value_name = "FILE", global = true)]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig; otherwise its current one
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,

    /// Namespace; otherwise that of the context
    #[arg(short, long, value_name = "NAME", global = true)]
    pub namespace: Option<String>,
}
