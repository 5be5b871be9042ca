//! The built `grove-operator` as a process.

mod binary;
mod process;

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::address::free_address;
use super::installation::{Installation, SYSTEM};
use super::wait;
pub use binary::{binary, plugin};
use process::Process;

/// An operator for one control plane. It ends with this process in every case.
#[derive(Debug)]
pub struct Operator {
    kubeconfig: PathBuf,
    args: Vec<String>,
    variables: Vec<(String, String)>,
    log: PathBuf,
    /// Name of the pod that it stands for.
    name: String,
    address: SocketAddr,
    /// Limit of its address space, in KiB.
    limit: Option<u32>,
    process: Mutex<Option<Process>>,
}

impl Operator {
    /// Starts it as installed, with its files and log in `dir`.
    pub fn start(installation: &Installation, dir: &Path) -> Result<Self> {
        Self::start_with(installation, dir, "")
    }

    /// The same, with more lines of configuration.
    pub fn start_with(installation: &Installation, dir: &Path, more: &str) -> Result<Self> {
        Self::start_limited(installation, dir, more, None)
    }

    /// The same, with that many KiB of address space: an operator that needs more ends.
    pub fn start_within(
        installation: &Installation,
        dir: &Path,
        more: &str,
        kibibytes: u32,
    ) -> Result<Self> {
        Self::start_limited(installation, dir, more, Some(kibibytes))
    }

    fn start_limited(
        installation: &Installation,
        dir: &Path,
        more: &str,
        limit: Option<u32>,
    ) -> Result<Self> {
        let address = free_address()?;
        installation.write_files(dir, address, more);
        let log = dir.join("operator.log");
        fs::write(&log, "").context("operator's log")?;
        let operator = Self {
            kubeconfig: installation.kubeconfig().to_owned(),
            args: installation.args(dir),
            variables: installation.variables(),
            log,
            name: dir.file_name().unwrap().to_str().unwrap().to_owned(),
            address,
            limit,
            process: Mutex::default(),
        };
        operator.start_again()?;
        Ok(operator)
    }

    /// Starts it again after it ended.
    pub fn start_again(&self) -> Result<()> {
        self.spawn(None)
    }

    /// Starts it again after it ended; it ends by itself right after that many writes.
    pub fn start_for_writes(&self, count: usize) -> Result<()> {
        self.spawn(Some(count))
    }

    fn spawn(&self, writes: Option<usize>) -> Result<()> {
        let log = OpenOptions::new().append(true).open(&self.log)?;
        let mut command = match self.limit {
            Some(kibibytes) => process::limited(binary(), kibibytes),
            None => process::command(binary()),
        };
        command.args(&self.args).env("POD_NAMESPACE", SYSTEM);
        // As in a pod whose container restarts.
        command.env("POD_NAME", &self.name);
        command.env("POD_UID", self.address.port().to_string());
        command.envs(self.variables.clone());
        command.env("KUBECONFIG", &self.kubeconfig).stderr(log);
        if let Some(writes) = writes {
            command.env("GROVE_EXIT_AFTER_WRITE", writes.to_string());
        }
        *self.process.lock().unwrap() = Some(Process::start(command)?);
        Ok(())
    }

    /// Its exit status, if it ended by itself; after that no process is left.
    pub fn ended(&self) -> Option<ExitStatus> {
        let mut process = self.process.lock().unwrap();
        let ended = process.take_if(|process| process.has_ended());
        ended.map(Process::wait)
    }

    /// Its process id: it differs from process to process.
    pub fn id(&self) -> Option<i32> {
        let process = self.process.lock().unwrap();
        process.as_ref().map(Process::id)
    }

    /// Its identity for other operators and in audit logs.
    pub fn identity(&self) -> String {
        format!("{}_{}", self.name, self.address.port())
    }

    /// Whether it reports that it leads.
    pub fn leads(&self) -> bool {
        let metrics = self.get("/metrics").map(|(_, text)| text);
        metrics.is_ok_and(|text| text.contains("\ngrove_leader 1\n"))
    }

    /// Stops it, or lets it continue (`SIGSTOP`, `SIGCONT`).
    pub fn pause(&self, is_paused: bool) {
        let process = self.process.lock().unwrap();
        process
            .as_ref()
            .expect("the operator runs")
            .pause(is_paused);
    }

    /// `kill -9`; returns when it is gone.
    pub fn kill(&self) {
        let process = self.process.lock().unwrap().take();
        process.expect("the operator runs").kill();
    }

    /// `kill`; returns its exit status.
    pub fn terminate(&self) -> ExitStatus {
        let process = self.process.lock().unwrap().take();
        process.expect("the operator runs").terminate()
    }

    /// The response of the operator's server: status and body.
    pub fn get(&self, path: &str) -> io::Result<(u16, String)> {
        let limit = Duration::from_secs(5);
        let mut stream = TcpStream::connect_timeout(&self.address, limit)?;
        stream.set_read_timeout(Some(limit))?;
        write!(
            stream,
            "GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n",
            self.address
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .ok_or(io::ErrorKind::InvalidData)?;
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok((status.ok_or(io::ErrorKind::InvalidData)?, body.to_owned()))
    }

    /// Waits until it reports that it is ready.
    pub fn wait_until_ready(&self) -> Result<(), String> {
        wait::until(|| match self.get("/readyz") {
            Ok((200, _)) => Ok(()),
            other => Err(format!(
                "the operator is not ready: {other:?}\n{}",
                self.log_end(&[])
            )),
        })
    }

    /// Waits until it reports that it leads.
    pub fn wait_until_leads(&self) {
        let leads = wait::until(|| {
            let log = || format!("it does not lead\n{}", self.log_end(&[]));
            self.leads().then_some(()).ok_or_else(log)
        });
        leads.unwrap();
    }

    /// The last lines of its log that contain all of these words.
    pub fn log_end(&self, words: &[&str]) -> String {
        const LINES: usize = 40;
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let has_all = |line: &&str| words.iter().all(|word| line.contains(word));
        let lines: Vec<&str> = log.lines().filter(has_all).collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let process = self
            .process
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = process.take() {
            process.kill();
        }
    }
}
