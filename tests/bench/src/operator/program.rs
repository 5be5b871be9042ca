//! What runs as an operator.

use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// An operator as it is built, and who it is for the API server.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub binary: PathBuf,
    /// The kubeconfig of its account.
    pub kubeconfig: PathBuf,
}

impl Program {
    /// The one that was built beside this program.
    pub fn beside(kubeconfig: &Path) -> Result<Self> {
        let binary = env::current_exe()?.with_file_name("grove-operator");
        if !binary.is_file() {
            bail!("{} is not built: use `make bench`", binary.display());
        }
        Ok(Self {
            binary,
            kubeconfig: kubeconfig.to_owned(),
        })
    }
}

/// What it is told, with its listeners at this address.
pub(super) fn configuration(address: SocketAddr, more: &str) -> String {
    let listener = format!(
        "{{bindAddress: {}, port: {}}}",
        address.ip(),
        address.port()
    );
    format!(
        "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n\
         server:\n  healthProbes: {listener}\n  metrics: {listener}\n{more}"
    )
}
