//! The start of a cluster, step by step.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::components;
use super::pki::Pki;
use super::readiness::Waiter;
use super::real::{self, Node, Real};
use super::supervisor::{Ended, Supervisor};
use super::tool::Tool;
use super::{Options, nodes, state};

/// How often a start is tried with another port.
const ATTEMPTS: u32 = 3;

/// Stages for pods of KWOK in addition to KWOK's own stages, selected by annotations.
const STAGES: [&str; 2] = [
    include_str!("stages/exits.yaml"),
    include_str!("stages/crash-loops.yaml"),
];

/// A cluster that is ready for use.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) dir: PathBuf,
    pub(super) bin: PathBuf,
    /// The local cluster's tool.
    pub(super) binary: PathBuf,
    pub(super) kubeconfig: PathBuf,
    pub(super) supervisor: Supervisor,
    /// The real nodes.
    pub(super) nodes: Vec<Node>,
}

impl Launched {
    pub(super) fn kubectl(&self) -> Command {
        kubectl(&self.dir, &self.bin)
    }

    /// Ends the cluster: none of its processes runs any more.
    pub(super) fn end(&mut self) -> Result<()> {
        self.supervisor.stop()?;
        real::end(&self.nodes)
    }
}

/// A kubectl for the cluster in `dir`, which keeps its cache there and not in the user's home.
pub(super) fn kubectl(dir: &Path, bin: &Path) -> Command {
    let mut kubectl = Command::new(bin.join("kubectl"));
    kubectl
        .env("KUBECONFIG", kubeconfig(dir))
        .env("KUBECACHEDIR", dir.join("kube-cache"));
    kubectl
}

/// The kubeconfig that people and tests get.
pub(super) fn kubeconfig(dir: &Path) -> PathBuf {
    dir.join("kubeconfig")
}

/// Starts a cluster with its state in `dir`, and calls `report` at each step.
pub(super) fn launch(
    dir: &Path,
    tool: &Tool,
    options: &Options,
    report: &dyn Fn(&str),
) -> Result<Launched> {
    let mut attempt = 1;
    loop {
        let error = match attempt_launch(dir, tool, options, report) {
            Ok(launched) => return Ok(launched),
            Err(error) => error,
        };
        real::end(&real::nodes_in(dir, &tool.binary()))?;
        let retry = error
            .downcast_ref::<Ended>()
            .is_some_and(Ended::port_was_taken);
        if !retry || attempt == ATTEMPTS {
            return Err(error);
        }
        report("the port was taken meanwhile: starting again with another");
        attempt += 1;
    }
}

fn attempt_launch(
    dir: &Path,
    tool: &Tool,
    options: &Options,
    report: &dyn Fn(&str),
) -> Result<Launched> {
    let dir = state::claim(dir)?;
    // Nodes of a cluster that was killed a moment ago may still be ending: their cleanup must not
    // meet the nodes that start.
    real::end(&real::nodes_in(&dir, &tool.binary()))?;
    state::prepare(&dir)?;
    let port = components::choose_port()?;
    let pki = identities(&dir, port)?;
    let stages = dir.join("stages.yaml");
    fs::write(&stages, kwok_stages(tool)?)?;
    // Lets a later command use this cluster's own kubectl, whatever happened to the sources.
    symlink(tool.bin(), dir.join("bin"))?;

    let mut supervisor = Supervisor::spawn(tool, &dir)?;
    let count = options.real_nodes;
    let real = (count > 0)
        .then(|| Real::prepare(&dir, tool, port, count, &pki, &mut supervisor))
        .transpose()?;
    report("starting etcd and kube-apiserver");
    supervisor.start("etcd", &components::etcd(&dir))?;
    supervisor.start(
        "kube-apiserver",
        &components::api_server(&pki, port, options),
    )?;
    let kubectl = || kubectl(&dir, &tool.bin());
    let mut wait = Waiter::new(&mut supervisor);
    wait.listening("kube-apiserver", port)?;
    wait.until("kube-apiserver", || {
        Ok(with(kubectl(), &["get", "--raw=/readyz"]))
    })?;

    report("starting kube-controller-manager, kube-scheduler and KWOK");
    supervisor.start_behind(
        "kube-controller-manager",
        &components::controller_manager(&pki, options),
    )?;
    supervisor.start_behind("kube-scheduler", &components::scheduler(&pki, options))?;
    supervisor.start_behind("kwok", &components::kwok(&pki, &stages, options))?;
    let nodes = match real {
        Some(real) => {
            report(&format!("starting {count} real nodes"));
            real.start(&mut supervisor, &kubectl)?
        }
        None => Vec::new(),
    };
    if options.nodes > 0 {
        report(&format!(
            "waiting for {} KWOK nodes to be Ready",
            options.nodes
        ));
    }
    settle(&mut Waiter::new(&mut supervisor), options, &kubectl)?;

    let kubeconfig = kubeconfig(&dir);
    Ok(Launched {
        dir,
        bin: tool.bin(),
        binary: tool.binary(),
        kubeconfig,
        supervisor,
        nodes,
    })
}

/// Writes the certificates and kubeconfigs of all parts of the cluster.
fn identities(dir: &Path, port: u16) -> Result<Pki> {
    let pki = Pki::create(dir.join("pki"))?;
    let server = format!("https://127.0.0.1:{port}");
    let names = &components::SERVER_NAMES;
    pki.write_server(&pki.path("apiserver"), "kube-apiserver", names)?;
    pki.write_token_key()?;
    pki.write_kubeconfig(&kubeconfig(dir), &server, &components::ADMIN)?;
    for (name, user) in &components::CLIENTS {
        pki.write_kubeconfig(&pki.path(&format!("{name}.kubeconfig")), &server, user)?;
    }
    Ok(pki)
}

/// The config of KWOK: its own stages, and ours.
fn kwok_stages(tool: &Tool) -> Result<Vec<u8>> {
    let output = Command::new(tool.binary()).arg("kwok-stages").output();
    let output = output.with_context(|| format!("cannot run {}", tool.binary().display()))?;
    if !output.status.success() {
        bail!(
            "`{} kwok-stages` failed ({})",
            tool.binary().display(),
            output.status
        );
    }
    let mut stages = output.stdout;
    for own in STAGES {
        stages.extend(b"\n---\n");
        stages.extend(own.as_bytes());
    }
    Ok(stages)
}

/// Creates the nodes and waits until they are Ready and pods can be created.
fn settle(wait: &mut Waiter<'_>, options: &Options, kubectl: &dyn Fn() -> Command) -> Result<()> {
    // Many short waits: a kubectl without its launcher, which was killed, should not stay for long.
    // It requests one node after the other, so the more there are, the longer it takes.
    let timeout = format!("--timeout={}s", 5 + options.nodes / 2);
    let await_in = |args| Ok(with(with(kubectl(), &["wait", &timeout]), args));
    if options.nodes > 0 {
        let mut create = with(kubectl(), &["create", "--validate=false", "-f", "-"]);
        wait.run(
            "kube-apiserver",
            &mut create,
            Some(&nodes::manifest(options.nodes, options.real_nodes > 0)),
        )?;
        wait.until("kwok", || {
            await_in(&["--for=condition=Ready", "nodes", "--all"])
        })?;
    }
    // Pods are refused until their namespace has this account.
    let account = [
        "--for=create",
        "serviceaccount/default",
        "--namespace=default",
    ];
    wait.until("kube-controller-manager", || await_in(&account))
}

fn with(mut command: Command, args: &[&str]) -> Command {
    command.args(args);
    command
}
