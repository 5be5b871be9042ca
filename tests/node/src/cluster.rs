//! A control plane and two real nodes.

use std::env;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use localcluster::{Cluster as LocalCluster, Node, Options};
use serde_json::Value;

use crate::command::printed;

/// The nodes' names.
pub const NODES: [&str; 2] = ["node-1", "node-2"];

/// A running cluster. It ends with [`Cluster::stop`], and with the process.
#[derive(Debug)]
pub struct Cluster {
    /// `None` once it was stopped.
    local: Mutex<Option<LocalCluster>>,
    nodes: Vec<Node>,
    kubeconfig: PathBuf,
    bin: PathBuf,
    cache: PathBuf,
    programs: PathBuf,
}

impl Cluster {
    /// Starts it with its state in `dir` and waits until both nodes are Ready. The plugin of
    /// kubectl is in `programs`.
    ///
    /// The error is one line: the missing requirement, and the command that installs it.
    pub fn start(dir: &Path, programs: &Path) -> Result<Self> {
        let options = Options {
            nodes: 0,
            real_nodes: 2,
            dir: Some(dir.to_owned()),
            ..Options::default()
        };
        let local = LocalCluster::start(&options)?;
        Ok(Self {
            nodes: local.nodes().to_vec(),
            kubeconfig: local.kubeconfig().to_owned(),
            bin: local.bin().to_owned(),
            cache: local.dir().join("kube-cache"),
            programs: programs.to_owned(),
            local: Mutex::new(Some(local)),
        })
    }

    /// The kubeconfig of its administrator.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// `kubectl` or `helm`, with the plugin where kubectl finds it.
    pub fn tool(&self, name: &str, args: &[&str]) -> Command {
        let mut command = Command::new(self.bin.join(name));
        let path = env::var_os("PATH").unwrap_or_default();
        let path = iter::once(self.programs.clone()).chain(env::split_paths(&path));
        let path = env::join_paths(path).unwrap_or_default();
        command
            .args(args)
            .env("PATH", path)
            .env("TZ", "UTC")
            // It ends before there is much garbage.
            .env("GOGC", "off")
            .env("KUBECONFIG", &self.kubeconfig)
            .env("KUBECACHEDIR", &self.cache)
            .env("HELM_CACHE_HOME", self.cache.join("helm"))
            .env("HELM_CONFIG_HOME", self.cache.join("helm"))
            .env("HELM_DATA_HOME", self.cache.join("helm"));
        command
    }

    /// Makes an image of a program, and loads it into each node.
    pub fn load_program(&self, name: &str, program: &Path) -> Result<()> {
        let local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        let local = local.as_ref().context("the cluster was stopped")?;
        local.load_program(name, program)
    }

    /// Makes an image of a folder, and loads it into each node; `config` is that of an OCI image.
    pub fn load_image(&self, name: &str, folder: &Path, config: &Value) -> Result<()> {
        let local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        let local = local.as_ref().context("the cluster was stopped")?;
        local.load_image(name, folder, config)
    }

    /// Loads the images of an archive into each node.
    pub fn load_archive(&self, archive: &Path) -> Result<()> {
        let local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        let local = local.as_ref().context("the cluster was stopped")?;
        local.load_archive(archive)
    }

    /// The output of a command inside a node; it must succeed.
    pub fn in_node(&self, node: &str, args: &[&str]) -> Result<String> {
        printed(&mut self.node(node)?.exec(args)?)
    }

    /// Stops `kubelet` or `containerd` of a node: it hangs, and its children run on.
    pub fn freeze(&self, node: &str, part: &str) -> Result<()> {
        self.node(node)?.signal_part(part, "STOP")
    }

    /// Lets it continue.
    pub fn thaw(&self, node: &str, part: &str) -> Result<()> {
        self.node(node)?.signal_part(part, "CONT")
    }

    /// Cuts the node's link: everything on it runs on.
    pub fn cut_link(&self, node: &str) -> Result<()> {
        self.node(node)?.cut_link()
    }

    /// Restores the link.
    pub fn mend_link(&self, node: &str) -> Result<()> {
        self.node(node)?.mend_link()
    }

    /// Ends a node as a power cut does.
    pub fn cut_power(&self, node: &str) -> Result<()> {
        self.node(node)?.lose()
    }

    /// Starts an ended node again, with its disk.
    pub fn power_on(&self, node: &str) -> Result<()> {
        self.node(node)?.clone().bring_back()
    }

    fn node(&self, name: &str) -> Result<&Node> {
        let mut nodes = self.nodes.iter();
        let found = nodes.find(|node| node.name() == name);
        found.with_context(|| format!("no node {name}"))
    }

    /// Ends it.
    pub fn stop(&self) -> Result<()> {
        let local = self
            .local
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        local.map_or(Ok(()), LocalCluster::stop)
    }
}
