//! The process that runs the parts of a cluster and ends them when this process is gone.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::tool::Tool;

/// The supervisor kills all parts that do not end within 2 s: if it takes longer, it is stuck
/// itself.
const STOP_DEADLINE: Duration = Duration::from_secs(10);

/// The nice value of the clients of the API server, so that the API server and etcd, on which all
/// parts wait, do not wait for the processor: beside 10,000 pods that start, watches came 10 s late
/// on 2 cores without it, and 0.2 s with it.
const NICE: i32 = 10;

const LOG_LINES: usize = 30;

/// A part of the control plane ended, and with it the cluster.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub(super) struct Ended {
    fate: String,
    log: PathBuf,
    log_end: String,
}

impl Ended {
    /// A process that is not a part has no log: its fate is the whole message.
    fn message(&self) -> String {
        let Self { fate, log, log_end } = self;
        if log_end.is_empty() {
            return fate.clone();
        }
        format!("{fate}; the end of {}:\n{log_end}", log.display())
    }

    /// Whether another process took a port between choosing and using it.
    pub(super) fn port_was_taken(&self) -> bool {
        self.log_end.contains("address already in use")
    }
}

/// `localcluster supervise`, controlled by lines that we write to its stdin.
#[derive(Debug)]
pub(super) struct Supervisor {
    dir: PathBuf,
    process: Child,
    orders: Option<ChildStdin>,
    detached: bool,
}

impl Supervisor {
    /// Starts the supervisor of the cluster in `dir`, an absolute path.
    pub(super) fn spawn(tool: &Tool, dir: &Path) -> Result<Self> {
        let log = dir.join("supervise.log");
        let log = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut process = Command::new(tool.binary())
            .arg("supervise")
            .arg(dir)
            // A machine that runs all parts of a cluster is short of processors, not of memory.
            .env("GOGC", "300")
            // It must survive the Ctrl-C that ends this process: it has work left to do then.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot run {}", tool.binary().display()))?;
        let orders = process.stdin.take();
        Ok(Self {
            dir: dir.to_owned(),
            process,
            orders,
            detached: false,
        })
    }

    /// Starts a part of the control plane; its output goes to `logs/<name>.log`.
    pub(super) fn start(&mut self, name: &str, args: &[String]) -> Result<()> {
        self.order(&json!({"start": name, "args": args}))
    }

    /// Starts a part that gives way to the others when processors are short.
    pub(super) fn start_behind(&mut self, name: &str, args: &[String]) -> Result<()> {
        self.order(&json!({"start": name, "args": args, "nice": NICE}))
    }

    /// Starts a program in the network of the real nodes.
    pub(super) fn start_inside(
        &mut self,
        name: &str,
        program: &Path,
        args: &[String],
    ) -> Result<()> {
        self.order(&json!({"start": name, "program": program, "inside": true, "args": args}))
    }

    /// Creates the network of the real nodes, in which `gateway` (an address with its bits) is the
    /// API server's at this port.
    pub(super) fn make_switch(&mut self, gateway: &str, port: u16) -> Result<()> {
        self.order(&json!({"switch": {"gateway": gateway, "port": port}}))
    }

    /// Lets the cluster outlive this process.
    pub(super) fn detach(&mut self) -> Result<()> {
        self.order(&json!({"detach": true}))?;
        self.detached = true;
        Ok(())
    }

    fn order(&mut self, order: &Value) -> Result<()> {
        let sent = self
            .orders
            .as_mut()
            .map(|orders| writeln!(orders, "{order}"));
        if let Some(Err(error)) = sent {
            // It closed its end because it is ending: the reason for that is the better message.
            self.wait_until_ended()?;
            self.check()?;
            return Err(error).context("cannot give an order to the cluster's supervisor");
        }
        Ok(())
    }

    /// Fails with [`Ended`] if the cluster has ended by itself.
    pub(super) fn check(&mut self) -> Result<()> {
        match self.process.try_wait()? {
            None => Ok(()),
            Some(_) => Err(self.ended().into()),
        }
    }

    fn ended(&self) -> Ended {
        let fate = fs::read_to_string(self.dir.join("ended"));
        let log = match fate.as_deref().map(|fate| fate.split(':').next()) {
            Ok(Some(name)) => self.log(name),
            _ => self.dir.join("supervise.log"),
        };
        Ended {
            fate: fate.unwrap_or_else(|_| "the cluster's supervisor ended".to_owned()),
            log_end: log_end(&log),
            log,
        }
    }

    /// The log of a part of the control plane.
    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.dir.join("logs").join(format!("{name}.log"))
    }

    /// Ends the cluster. Its parts get 2 seconds to end by themselves.
    pub(super) fn stop(&mut self) -> Result<()> {
        self.orders = None;
        if !self.wait_until_ended()? {
            // The kernel then kills the parts as well.
            self.process
                .kill()
                .context("cannot kill the cluster's supervisor")?;
            self.process.wait()?;
        }
        Ok(())
    }

    /// Waits until it has ended; returns whether it did so within the deadline.
    fn wait_until_ended(&mut self) -> Result<bool> {
        let deadline = Instant::now() + STOP_DEADLINE;
        while self.process.try_wait()?.is_none() {
            if Instant::now() > deadline {
                return Ok(false);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(true)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if !self.detached {
            // Without our end of the pipe it ends in any case; this waits for it.
            let _ = self.stop();
        }
    }
}

/// The last lines of a log, for an error message.
pub(super) fn log_end(path: &Path) -> String {
    let content = fs::read(path).unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let lines: Vec<&str> = content.lines().rev().take(LOG_LINES).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}
