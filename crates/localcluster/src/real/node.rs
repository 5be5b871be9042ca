//! A real node, for tests of failures of machines.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::state;
use crate::supervisor::log_end;

/// A guard against a hang: a node is set up in a second, and gone in one.
const DEADLINE: Duration = Duration::from_secs(30);

const POLL: Duration = Duration::from_millis(20);

/// A node with containerd, a kubelet and kube-proxy, under a supervisor of its own. It ends with
/// the cluster, whatever happens to this value.
///
/// A value that is cloned, or built for a standing cluster, is of the same node.
#[derive(Clone, Debug)]
pub struct Node {
    name: String,
    home: PathBuf,
    /// The local cluster's tool.
    binary: PathBuf,
    /// The exit status of the supervisor that this value started, as soon as it has ended.
    fate: Arc<OnceLock<ExitStatus>>,
}

impl Node {
    pub(super) fn at(home: PathBuf, binary: PathBuf) -> Self {
        let name = home.file_name().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into_owned(),
            home,
            binary,
            fate: Arc::default(),
        }
    }

    /// Its name, as `kubectl get nodes` shows it: `node-1`, `node-2`, ...
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder of its state: `logs/<part>.log` of containerd, kubelet and kube-proxy.
    pub fn dir(&self) -> &Path {
        &self.home
    }

    /// The log of `containerd`, `kubelet` or `kube-proxy`.
    pub fn log(&self, part: &str) -> PathBuf {
        self.home.join("logs").join(format!("{part}.log"))
    }

    /// A command inside the node: with its file system, processes, network and cgroups.
    /// `["ctr", "-n", "k8s.io", "tasks", "ls"]` shows its containers; `/run/<part>.pid` holds the
    /// number of a part's process.
    ///
    /// The error says that the node does not run.
    pub fn exec(&self, command: &[&str]) -> Result<Command> {
        if !self.is_running() {
            bail!("{} does not run", self.name);
        }
        let first = self.home.join("first");
        let first = fs::read_to_string(&first).with_context(|| first.display().to_string())?;
        let mut nsenter = Command::new("nsenter");
        nsenter
            .arg(format!("--target={first}"))
            .args(["--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup"])
            .arg("--")
            .args(command)
            .stdin(Stdio::null());
        Ok(nsenter)
    }

    /// Simulates the loss of the machine: kills all processes of the node at once, and cuts its
    /// link. Its disk stays. Returns when no process runs any more.
    pub fn lose(&self) -> Result<()> {
        let Some(pid) = self.supervisor() else {
            bail!("{} does not run", self.name);
        };
        kill_process(pid, Signal::KILL).with_context(|| format!("cannot kill {}", self.name))?;
        self.wait_until_gone()
    }

    /// Boots the machine again after [`Self::lose`], with its disk. Returns when the node is set
    /// up; it becomes Ready a second later.
    pub fn bring_back(&mut self) -> Result<()> {
        self.start()?;
        self.wait_until_set_up()
    }

    /// Makes the kubelet hang (`SIGSTOP`); containers run on.
    pub fn stop_kubelet(&self) -> Result<()> {
        self.signal_part("kubelet", "STOP")
    }

    /// Lets the kubelet continue after [`Self::stop_kubelet`].
    pub fn continue_kubelet(&self) -> Result<()> {
        self.signal_part("kubelet", "CONT")
    }

    /// Sends a signal, such as `STOP` or `KILL`, to `containerd`, `kubelet` or `kube-proxy`. The
    /// node ends when one of them ends.
    pub fn signal_part(&self, part: &str, signal: &str) -> Result<()> {
        let script = r#"kill -s "$1" "$(cat "/run/$0.pid")""#;
        run(&mut self.exec(&["sh", "-c", script, part, signal])?)
    }

    /// Cuts the node's link: the node and its pods cannot reach the API server and other nodes, nor
    /// the other way round. All processes run on.
    pub fn cut_link(&self) -> Result<()> {
        self.link("cut")
    }

    /// Restores the link after [`Self::cut_link`].
    pub fn mend_link(&self) -> Result<()> {
        self.link("mend")
    }

    fn link(&self, verb: &str) -> Result<()> {
        run(self.tool("node-link").arg(verb))
    }

    /// Whether its supervisor runs and has set up the node.
    pub fn is_running(&self) -> bool {
        self.supervisor().is_some()
    }

    fn supervisor(&self) -> Option<Pid> {
        state::process_in(&self.home, "node")
    }

    fn tool(&self, verb: &str) -> Command {
        let mut tool = Command::new(&self.binary);
        tool.arg(verb).arg(&self.home).stdin(Stdio::null());
        tool
    }

    /// Starts the supervisor.
    pub(super) fn start(&mut self) -> Result<()> {
        let log = self.home.join("supervisor.log");
        let log = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut supervisor = self
            .tool("node")
            // Ctrl-C ends the cluster, and with it the node.
            .process_group(0)
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot run {}", self.binary.display()))?;
        let fate = Arc::new(OnceLock::new());
        self.fate = Arc::clone(&fate);
        thread::spawn(move || supervisor.wait().map(|status| fate.set(status)));
        Ok(())
    }

    /// Fails if the supervisor that [`Self::start`] started has ended.
    pub(crate) fn check(&self) -> Result<()> {
        if self.fate.get().is_none() {
            return Ok(());
        }
        bail!("{}", self.fault())
    }

    /// Why it ended, in a line: from the log of its supervisor, of the first process, or of the
    /// part that ended.
    fn fault(&self) -> String {
        let last = |log: &str| {
            let lines = log_end(&self.home.join(log));
            let line = lines.lines().last().unwrap_or_default();
            let prefix = format!("{}: ", self.name);
            line.strip_prefix(&prefix).unwrap_or(line).to_owned()
        };
        let first = last("logs/node.log");
        let Some((part, fate)) = first.split_once(" ended: ") else {
            let said = if first.is_empty() {
                last("supervisor.log")
            } else {
                first
            };
            return format!("{} ended: {said}", self.name);
        };
        let log = self.log(part);
        let said = last(&format!("logs/{part}.log"));
        format!(
            "{} ended, for its {part} did ({fate}): {said}; see {}",
            self.name,
            log.display()
        )
    }

    pub(super) fn wait_until_set_up(&self) -> Result<()> {
        self.wait("is not set up", || {
            self.check()?;
            Ok(self.is_running())
        })
    }

    /// Waits until only its folder is left.
    pub(super) fn wait_until_gone(&self) -> Result<()> {
        let path = self.home.join("lock");
        if !path.exists() {
            return Ok(());
        }
        let lock = File::open(&path).with_context(|| path.display().to_string())?;
        self.wait("does not end", || Ok(lock.try_lock().is_ok()))
    }

    /// Waits until the node is gone with its cluster, and removes its remains if its supervisor and
    /// its janitor were both killed.
    pub(super) fn end(&self) -> Result<()> {
        self.wait_until_gone()?;
        run(&mut self.tool("node-sweep"))
    }

    fn wait(&self, fault: &str, is_done: impl Fn() -> Result<bool>) -> Result<()> {
        let deadline = Instant::now() + DEADLINE;
        while !is_done()? {
            if Instant::now() > deadline {
                bail!("{} {fault} within {} s", self.name, DEADLINE.as_secs());
            }
            thread::sleep(POLL);
        }
        Ok(())
    }
}

/// Runs a command that must succeed.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} failed ({}): {}", output.status, error.trim());
    }
    Ok(())
}
