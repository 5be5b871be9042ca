//! The program of an operator.

use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// A built operator, with its identity for the API server.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub binary: PathBuf,
    /// The kubeconfig of its account.
    pub kubeconfig: PathBuf,
    /// Its configuration without the listeners; `None`: the defaults.
    pub configuration: Option<Value>,
    /// File for `perf record` of the operator; the last running one is recorded.
    pub profile: Option<PathBuf>,
}

impl Program {
    /// The operator of this build.
    pub fn beside(kubeconfig: &Path) -> Result<Self> {
        let binary = env::current_exe()?.with_file_name("grove-operator");
        if !binary.is_file() {
            bail!("{} is not built: use `make bench`", binary.display());
        }
        Ok(Self {
            binary,
            kubeconfig: kubeconfig.to_owned(),
            configuration: None,
            profile: env::var_os("BENCH_PROFILE").map(PathBuf::from),
        })
    }

    /// Its configuration, with the listeners at this address; the additional lines are used only if
    /// it has no configuration of its own.
    pub(super) fn configuration(&self, address: SocketAddr, more: &str) -> String {
        let Some(own) = &self.configuration else {
            return configuration(address, more);
        };
        let listener = json!({"bindAddress": address.ip(), "port": address.port()});
        let mut own = own.clone();
        if let Some(own) = own.as_object_mut() {
            let server = json!({"healthProbes": listener, "metrics": listener});
            own.insert("server".into(), server);
        }
        // JSON is valid YAML.
        own.to_string()
    }
}

/// By frame pointers, which the build has to keep (`make profile`).
pub(super) fn record(pid: u32, file: &Path) -> Result<Child> {
    let mut perf = Command::new("perf");
    perf.args(["record", "--quiet", "--freq=999", "--call-graph=fp"])
        .arg("--output")
        .arg(file)
        .args(["--pid", &pid.to_string()]);
    let perf = perf.kill_on_drop(true).spawn();
    perf.context("cannot run perf: use `make profile`")
}

fn configuration(address: SocketAddr, more: &str) -> String {
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
