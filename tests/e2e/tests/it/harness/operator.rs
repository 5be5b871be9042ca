//! The built `grove-operator` as a process.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::control_plane::CHECKOUT;
use super::wait;

/// Names a built operator to be tested instead of the one of this checkout.
const BINARY_VARIABLE: &str = "GROVE_E2E_OPERATOR";

/// The operator of this checkout, built now.
pub static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(given) = env::var_os(BINARY_VARIABLE) {
        return given.into();
    }
    // target/<profile>/deps/it-<hash>
    let profile = env::current_exe()
        .unwrap()
        .ancestors()
        .nth(2)
        .unwrap()
        .to_owned();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(&*CHECKOUT)
        .args(["build", "--quiet", "--package=operator"]);
    cargo
        .args(["--bin=grove-operator", "--target-dir"])
        .arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(
        cargo.status().unwrap().success(),
        "the operator cannot be built"
    );
    profile.join("grove-operator")
});

/// A running operator. It ends with this process, however that ends.
#[derive(Debug)]
pub struct Operator {
    pid: Pid,
    end: Option<JoinHandle<ExitStatus>>,
    address: SocketAddr,
    log: PathBuf,
}

impl Operator {
    /// Starts it with its configuration and log in `dir`.
    pub fn start(kubeconfig: &Path, dir: &Path) -> Result<Self> {
        let address = free_address()?;
        let config = dir.join("operator.yaml");
        fs::write(&config, configuration(address)).context("operator's configuration")?;
        let log = dir.join("operator.log");
        let file = OpenOptions::new().create(true).append(true).open(&log)?;
        let mut command = supervised(&BINARY);
        command
            .arg("--config")
            .arg(config)
            .env("KUBECONFIG", kubeconfig);
        let (pid, end) = spawn(command, file)?;
        Ok(Self {
            pid,
            end: Some(end),
            address,
            log,
        })
    }

    /// The answer of the operator's server: status and body.
    pub fn get(&self, path: &str) -> io::Result<(u16, String)> {
        let mut stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(5))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
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

    /// Waits until it says that it is ready.
    pub fn wait_until_ready(&self) -> Result<(), String> {
        wait::until(|| match self.get("/readyz") {
            Ok((200, _)) => Ok(()),
            other => Err(format!(
                "the operator is not ready: {other:?}\n{}",
                self.log_end("")
            )),
        })
    }

    /// `kill -9`; returns when it is gone.
    pub fn kill(&mut self) {
        if let Some(end) = self.end.take() {
            kill_process(self.pid, Signal::KILL).unwrap();
            end.join().unwrap();
        }
    }

    /// `kill`, then how it ended.
    pub fn terminate(&mut self) -> ExitStatus {
        kill_process(self.pid, Signal::TERM).unwrap();
        self.end.take().unwrap().join().unwrap()
    }

    /// The last lines of its log that contain `word`.
    pub fn log_end(&self, word: &str) -> String {
        const LINES: usize = 40;
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(word)).collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A command that the kernel kills when the thread that started it is gone.
fn supervised(binary: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(binary);
    command
}

/// Starts the command from a thread of its own, which lives as long as it does: the thread of a
/// test is gone earlier.
fn spawn(mut command: Command, log: File) -> Result<(Pid, JoinHandle<ExitStatus>)> {
    let (tell, told) = mpsc::channel();
    let end = thread::spawn(move || {
        let started = command.stdin(Stdio::null()).stderr(log).spawn();
        let (told, child) = match started {
            Ok(child) => (Ok(Pid::from_child(&child)), Some(child)),
            Err(error) => (Err(error), None),
        };
        tell.send(told).unwrap();
        wait_for(child)
    });
    let pid = told
        .recv()?
        .context("cannot start the operator; is setpriv (util-linux) there?")?;
    Ok((pid, end))
}

fn wait_for(child: Option<Child>) -> ExitStatus {
    child.map_or_else(ExitStatus::default, |mut child| child.wait().unwrap())
}

fn configuration(address: SocketAddr) -> String {
    let listener = format!(
        "{{bindAddress: {}, port: {}}}",
        address.ip(),
        address.port()
    );
    format!("logLevel: info\nserver:\n  healthProbes: {listener}\n  metrics: {listener}\n")
}

fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
