//! The start of real nodes, step by step, and their end.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::config::NodeConfig;
use super::node::Node;
use super::{addresses, image, objects, preflight};
use crate::pki::{Pki, User};
use crate::readiness::Waiter;
use crate::supervisor::{Ended, Supervisor};
use crate::tool::Tool;

/// The real nodes of a cluster that starts.
pub(crate) struct Real<'a> {
    dir: &'a Path,
    tool: &'a Tool,
    port: u16,
    nodes: Vec<Node>,
}

impl<'a> Real<'a> {
    /// Creates their network, and writes down their names and addresses.
    pub(crate) fn prepare(
        dir: &'a Path,
        tool: &'a Tool,
        port: u16,
        count: u8,
        pki: &Pki,
        supervisor: &mut Supervisor,
    ) -> Result<Self> {
        let mut real = Self {
            dir,
            tool,
            port,
            nodes: Vec::new(),
        };
        write(&dir.join("egress.yaml"), &objects::egress().to_string())?;
        write(
            &dir.join("Corefile"),
            &objects::corefile(&pki.path("dns.kubeconfig")),
        )?;
        pki.write_client(&pki.path("to-kubelets"), &objects::TO_KUBELETS)?;
        let server = addresses::server_url(port);
        pki.write_kubeconfig(&pki.path("dns.kubeconfig"), &server, &objects::NAME_SERVER)?;
        for number in 1..=count {
            real.add(number, pki)?;
        }
        supervisor.make_switch(&addresses::gateway(), port)?;
        Ok(real)
    }

    fn add(&mut self, number: u8, pki: &Pki) -> Result<()> {
        let name = format!("node-{number}");
        let home = self.dir.join("nodes").join(&name);
        for folder in ["config/cni", "logs"] {
            let folder = home.join(folder);
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        // Beside the logs of the control plane, where users look for them.
        symlink(home.join("logs"), self.dir.join("logs").join(&name))?;
        let config = home.join("config");
        fs::copy(pki.path("ca.crt"), config.join("ca.crt")).context("cannot copy ca.crt")?;
        pki.write_server(
            &config.join("kubelet"),
            &name,
            &[&name, &addresses::of_node(number)],
        )?;
        let server = addresses::server_url(self.port);
        let kubelet = User {
            name: &format!("system:node:{name}"),
            group: Some("system:nodes"),
        };
        pki.write_kubeconfig(&config.join("kubelet.kubeconfig"), &server, &kubelet)?;
        let proxy = User {
            name: "system:kube-proxy",
            group: None,
        };
        pki.write_kubeconfig(&config.join("kube-proxy.kubeconfig"), &server, &proxy)?;
        let node = NodeConfig {
            number,
            name: &name,
            home: &home,
            plugins: preflight::plugin_folder().context("the network plugins are gone")?,
        };
        node.write()?;
        self.nodes.push(Node::at(home, self.tool.binary()));
        Ok(())
    }

    /// Starts the name server and the nodes, and waits until they are Ready.
    pub(crate) fn start(
        mut self,
        supervisor: &mut Supervisor,
        kubectl: &dyn Fn() -> Command,
    ) -> Result<Vec<Node>> {
        let mut create = kubectl();
        create.args(["create", "--validate=false", "-f", "-"]);
        Waiter::new(supervisor).run("kube-apiserver", &mut create, Some(&objects::manifest()))?;
        let corefile = self.dir.join("Corefile").display().to_string();
        supervisor.start_inside("dns", self.tool.name_server()?, &["-conf".into(), corefile])?;
        self.nodes.iter_mut().try_for_each(Node::start)?;
        self.nodes.iter().try_for_each(Node::wait_until_set_up)?;
        let mut wait = Waiter::watching(supervisor, &self.nodes);
        for node in &self.nodes {
            let part = format!("{}/containerd", node.name());
            wait.until(&part, || node.exec(&["ctr", "version"]))?;
        }
        image::load_first(&self.nodes, self.tool)?;
        for node in &self.nodes {
            wait_until_ready(&mut wait, node, kubectl)?;
        }
        Ok(self.nodes)
    }
}

fn wait_until_ready(
    wait: &mut Waiter<'_>,
    node: &Node,
    kubectl: &dyn Fn() -> Command,
) -> Result<()> {
    let ask = |args: &[&str]| {
        let mut kubectl = kubectl();
        kubectl.args(args).arg(format!("node/{}", node.name()));
        kubectl
    };
    let ready = ["wait", "--for=condition=Ready", "--timeout=5s"];
    let Err(error) = wait.until(&format!("{}/kubelet", node.name()), || Ok(ask(&ready))) else {
        return Ok(());
    };
    node.check()?;
    if error.is::<Ended>() {
        return Err(error);
    }
    let message = r#"--output=jsonpath={.status.conditions[?(@.type=="Ready")].message}"#;
    let said = ask(&["get", message]).output().map(|said| said.stdout);
    let said = String::from_utf8(said.unwrap_or_default()).unwrap_or_default();
    bail!(
        "{} does not get Ready: {}; see {}",
        node.name(),
        if said.is_empty() {
            "its kubelet does not register it"
        } else {
            &said
        },
        node.log("kubelet").display()
    )
}

/// The real nodes of the cluster in this folder, whichever process started it.
pub(crate) fn nodes_in(dir: &Path, binary: &Path) -> Vec<Node> {
    let entries = fs::read_dir(dir.join("nodes")).into_iter().flatten();
    let mut homes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    homes.sort();
    let nodes = homes
        .into_iter()
        .map(|home| Node::at(home, binary.to_owned()));
    nodes.collect()
}

/// Waits until only the folders of the nodes of a cluster that has ended are left.
pub(crate) fn end(nodes: &[Node]) -> Result<()> {
    nodes.iter().try_for_each(Node::end)
}

fn write(path: &Path, content: &str) -> Result<()> {
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
