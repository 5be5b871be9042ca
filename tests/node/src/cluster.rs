//! A control plane and two real nodes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// The nodes' names.
pub const NODES: [&str; 2] = ["node-1", "node-2"];

/// A running cluster.
#[derive(Debug)]
pub struct Cluster {
    checkout: PathBuf,
    dir: PathBuf,
    bin: PathBuf,
    plugin: PathBuf,
    prototype: PathBuf,
}

impl Cluster {
    /// Starts it with its state in `dir` and waits until both nodes are Ready.
    pub fn start(checkout: &Path, dir: &Path, plugin: &Path) -> Result<Self> {
        let prototype = PathBuf::from(env::var("NODE_PROTOTYPE")?);
        let cluster = Self {
            checkout: checkout.to_owned(),
            dir: dir.to_owned(),
            bin: PathBuf::from(env::var("NODE_BIN")?),
            plugin: plugin.to_owned(),
            prototype,
        };
        let up = cluster
            .script("up.sh")
            .arg(dir)
            .arg(&cluster.bin)
            .arg(env::var("NODE_TOOLS")?)
            .stdout(Stdio::null())
            .status()?;
        ensure!(up.success(), "the cluster does not start");
        Ok(cluster)
    }

    fn script(&self, name: &str) -> Command {
        Command::new(self.prototype.join(name))
    }

    /// The root of this checkout.
    pub fn checkout(&self) -> &Path {
        &self.checkout
    }

    /// The kubeconfig of its administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        self.dir.join("kubeconfig")
    }

    /// `kubectl` or `helm`, with the plugin where kubectl finds it.
    pub fn tool(&self, name: &str, args: &[&str]) -> Command {
        let mut command = Command::new(self.bin.join(name));
        let cache = self.dir.join("kube-cache");
        let path = format!("{}:/usr/bin:/bin", self.plugin.display());
        command
            .args(args)
            .env("PATH", path)
            .env("TZ", "UTC")
            .env("GOGC", "off")
            .env("KUBECONFIG", self.kubeconfig())
            .env("KUBECACHEDIR", &cache)
            .env("HELM_CACHE_HOME", cache.join("helm"))
            .env("HELM_CONFIG_HOME", cache.join("helm"))
            .env("HELM_DATA_HOME", cache.join("helm"));
        command
    }

    /// Puts the image of that archive onto each node.
    pub fn load(&self, archive: &Path) -> Result<()> {
        for node in NODES {
            self.in_node(
                node,
                &[
                    "ctr",
                    "-n",
                    "k8s.io",
                    "images",
                    "import",
                    &archive.to_string_lossy(),
                ],
            )?;
        }
        Ok(())
    }

    /// Runs a command inside a node.
    pub fn in_node(&self, node: &str, args: &[&str]) -> Result<String> {
        let mut command = self.script("in.sh");
        command.arg(&self.dir).arg(node).args(args);
        crate::release::printed(&mut command)
    }

    /// Stops a process of a node, its kubelet or containerd: it hangs, and what it started runs on.
    pub fn freeze(&self, node: &str, process: &str) -> Result<()> {
        self.signal(node, process, "STOP")
    }

    /// Lets it go on.
    pub fn thaw(&self, node: &str, process: &str) -> Result<()> {
        self.signal(node, process, "CONT")
    }

    fn signal(&self, node: &str, process: &str, signal: &str) -> Result<()> {
        let command = format!("kill -{signal} $(busybox pidof {process})");
        self.in_node(node, &["sh", "-c", &command]).map(|_| ())
    }

    /// Ends a node as a power cut does.
    pub fn cut_power(&self, node: &str) -> Result<()> {
        let pid = std::fs::read_to_string(self.dir.join(node).join("pid"))?;
        let killed = Command::new("kill").args(["-9", pid.trim()]).status()?;
        ensure!(killed.success(), "{node} has no supervisor");
        Ok(())
    }

    /// Starts a node that was ended, with what it had on its disk.
    pub fn power_on(&self, node: &str) -> Result<()> {
        let number = node
            .rsplit('-')
            .next()
            .context("a node's name ends with its number")?;
        let on = self
            .script("join.sh")
            .arg(&self.dir)
            .arg(env::var("NODE_TOOLS")?)
            .arg(number)
            .status()?;
        ensure!(on.success(), "{node} does not start");
        Ok(())
    }

    /// Ends it.
    pub fn stop(&self) -> Result<()> {
        let down = self.script("down.sh").arg(&self.dir).status()?;
        ensure!(down.success(), "the cluster does not end");
        Ok(())
    }
}
