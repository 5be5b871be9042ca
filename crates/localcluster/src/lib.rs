//! A local Kubernetes control plane on 127.0.0.1, with KWOK in place of kubelets or with real nodes.
//!
//! [`Cluster`] is for tests: private, and gone with the value or with the process that holds it.
//! [`standing`] is the one of `make cluster-up`, which outlives the command.

mod components;
mod launch;
mod nodes;
mod pki;
mod readiness;
mod real;
mod repository;
mod state;
mod supervisor;

pub mod standing;
pub mod tool;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context as _, Result};
use serde_json::Value;
use tempfile::TempDir;

use launch::Launched;
pub use real::{Node, Root};
pub use repository::Repository;

/// The label that makes KWOK leave the status of a pod or node alone (value `true`), so that a
/// test can set it by hand.
pub const MANUAL_STATUS_LABEL: &str = "example.com/manual-status";

/// The options of a cluster.
#[derive(Clone, Debug)]
pub struct Options {
    /// KWOK nodes to create, each with 64 CPU, 256Gi and 8 `nvidia.com/gpu`; 4 share a rack
    /// (`topology.kubernetes.io/rack`), 8 a zone (`topology.kubernetes.io/zone`).
    pub nodes: u32,
    /// Up to 200 nodes with a kubelet of their own, `node-1` and on, each in namespaces of its own.
    /// They need Linux, root and some programs; the error names missing ones. KWOK nodes beside
    /// them are called `kwok-0` and on and have the taint `kwok.x-k8s.io/node`. Their images are
    /// `localhost/pause:1` and `busybox:1.37`, and all loaded ones.
    pub real_nodes: u8,
    /// Serve the gang APIs of Kubernetes 1.37 (alpha, `scheduling.k8s.io`) and schedule by them.
    pub native_gangs: bool,
    /// Controllers of kube-controller-manager that must not run, by the names that its
    /// `--controllers` knows; not those that it runs only on request.
    pub without_controllers: Vec<&'static str>,
    /// More flags of kube-apiserver, each as `--name=value`, for example of an audit policy.
    pub api_server_flags: Vec<String>,
    /// The folder of the cluster's state, left in place with its `logs` at the end. `None`: a
    /// temporary folder, which is removed unless the start fails or the thread panics. Give one
    /// to a cluster in a `static`: that is never dropped, so that its temporary folder would stay
    /// (the processes do not, and `etcd` is always removed).
    pub dir: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nodes: 20,
            real_nodes: 0,
            native_gangs: true,
            without_controllers: Vec::new(),
            api_server_flags: Vec::new(),
            dir: None,
        }
    }
}

/// A running private cluster. It ends when this is dropped, and also when the process ends in any
/// other way, `kill -9` included.
#[derive(Debug)]
pub struct Cluster {
    launched: Launched,
    temporary: Option<TempDir>,
}

impl Cluster {
    /// Starts a cluster and waits until its nodes are Ready and pods can be created: about 10
    /// seconds, and once about 12 minutes more, to build the tool (see [`tool`]).
    ///
    /// The error names the part that failed and shows the end of its log.
    pub fn start(options: &Options) -> Result<Self> {
        let tool = tool::Tool::find_or_build_for(&Repository::find()?, options)?;
        let (dir, temporary) = match &options.dir {
            Some(dir) => (dir.clone(), None),
            None => temporary_dir().map(|dir| (dir.path().to_owned(), Some(dir)))?,
        };
        match launch::launch(&dir, &tool, options, &|_| ()) {
            Ok(launched) => Ok(Self {
                launched,
                temporary,
            }),
            Err(error) => {
                let kept = temporary.map_or(dir, TempDir::keep);
                Err(error.context(format!(
                    "local cluster: its logs are in {}/logs",
                    kept.display()
                )))
            }
        }
    }

    /// The kubeconfig of a user in `system:masters`.
    pub fn kubeconfig(&self) -> &Path {
        &self.launched.kubeconfig
    }

    /// The folder with `kubectl`, `helm` and the parts of the control plane.
    pub fn bin(&self) -> &Path {
        &self.launched.bin
    }

    /// The folder of the state: `logs/<part>.log`, and the keys.
    pub fn dir(&self) -> &Path {
        &self.launched.dir
    }

    /// A `kubectl` with these arguments, as the user of [`Self::kubeconfig`].
    pub fn kubectl(&self, args: &[&str]) -> Command {
        let mut kubectl = self.launched.kubectl();
        kubectl.args(args);
        kubectl
    }

    /// The real nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.launched.nodes
    }

    /// Makes an image of files on this machine and loads it into all real nodes.
    ///
    /// `name` may be short, as `busybox:1.37`. `folder` is the root of its file system; all files
    /// in the image belong to root. `config` has the fields of an OCI image's config: `Entrypoint`,
    /// `Cmd`, `Env`, `User`, `WorkingDir`.
    pub fn load_image(&self, name: &str, folder: &Path, config: &Value) -> Result<()> {
        real::load(self.nodes(), &self.launched.binary, name, folder, config)
    }

    /// Loads the images of an archive into all real nodes: an archive of `docker save`, or of
    /// `buildah push` to `oci-archive:`.
    pub fn load_archive(&self, archive: &Path) -> Result<()> {
        real::load_archive(self.nodes(), archive)
    }

    /// Makes an image of a program of this machine, with the libraries that it loads, and loads it
    /// into all real nodes. Its entry point is the program.
    pub fn load_program(&self, name: &str, program: &Path) -> Result<()> {
        real::load_program(self.nodes(), &self.launched.binary, name, program)
    }

    /// Ends the cluster, as a drop does, and returns the errors.
    pub fn stop(mut self) -> Result<()> {
        self.launched.end()?;
        match self.temporary.take() {
            Some(dir) => dir
                .close()
                .context("local cluster: cannot remove its temporary folder"),
            None => Ok(()),
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The processes first: they write into the folder.
        if let Err(error) = self.launched.end() {
            eprintln!("local cluster: {error:#}");
        }
        if thread::panicking()
            && let Some(dir) = self.temporary.take()
        {
            eprintln!(
                "local cluster: its logs are kept in {}/logs",
                dir.keep().display()
            );
        }
    }
}

/// The user's own cluster: the environment's `KUBECONFIG`, which wins over any local cluster.
///
/// The file of the standing local cluster does not count: it may be set from an earlier
/// `make cluster-up`, and is no reason not to start that cluster again.
pub fn users_kubeconfig(repository: &Repository) -> Option<PathBuf> {
    let set = env::var_os("KUBECONFIG").filter(|value| !value.is_empty())?;
    let path = PathBuf::from(set);
    (path != standing::kubeconfig(repository)).then_some(path)
}

fn temporary_dir() -> Result<TempDir> {
    tempfile::Builder::new()
        .prefix("localcluster-")
        .tempdir()
        .context("local cluster: cannot create a temporary folder; is TMPDIR writable?")
}
