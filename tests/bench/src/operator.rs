//! The release build of `grove-operator` as a process.

mod program;

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::process;
use crate::requests::Requests;
pub use program::Program;
use program::record;

const START_DEADLINE: Duration = Duration::from_secs(30);
/// Longer than the 5 s that it gives its reconciles.
const STOP_DEADLINE: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// It is at rest if it sends no request for this long: a status waits for 0.5 s at most.
pub const QUIET: Duration = Duration::from_secs(2);
const QUIET_DEADLINE: Duration = Duration::from_mins(1);

/// An operator. It is killed when this is dropped or the process ends, `kill -9` included.
#[derive(Debug)]
pub struct Operator {
    process: Child,
    profiler: Option<Child>,
    pid: u32,
    address: SocketAddr,
    log: PathBuf,
}

/// Its resource usage so far.
#[derive(Clone, Debug)]
pub struct Usage {
    /// CPU seconds.
    pub cpu: f64,
    /// Requests.
    pub requests: Requests,
}

impl Operator {
    /// Starts the operator of this build and waits until it has listed every kind. Its
    /// configuration and log are `<name>.yaml` and `<name>.log` in `dir`.
    pub async fn start(kubeconfig: &Path, dir: &Path, name: &str) -> Result<Self> {
        Self::start_with(kubeconfig, dir, name, "").await
    }

    /// The same, with more lines of configuration.
    pub async fn start_with(kubeconfig: &Path, dir: &Path, name: &str, more: &str) -> Result<Self> {
        Self::start_program(&Program::beside(kubeconfig)?, dir, name, more).await
    }

    /// The same for this program; the additional lines are used only if it has no configuration of
    /// its own.
    pub async fn start_program(
        program: &Program,
        dir: &Path,
        name: &str,
        more: &str,
    ) -> Result<Self> {
        let mut started = Self::spawn(program, dir, name, more)?;
        started.wait_until_ready().await?;
        if let Some(file) = &program.profile {
            started.profiler = Some(record(started.pid, file)?);
        }
        Ok(started)
    }

    /// Starts it without waiting.
    pub fn spawn(program: &Program, dir: &Path, name: &str, more: &str) -> Result<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let (config, log) = (
            dir.join(format!("{name}.yaml")),
            dir.join(format!("{name}.log")),
        );
        let text = program.configuration(address, more);
        fs::write(&config, text).context("the operator's configuration")?;
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(&program.binary);
        command
            .arg("--config")
            .arg(config)
            .env("KUBECONFIG", &program.kubeconfig);
        let written = File::create(&log).context("the operator's log")?;
        command
            .stdout(written.try_clone()?)
            .stderr(written)
            .kill_on_drop(true);
        let process = command
            .spawn()
            .context("cannot run setpriv; it is part of util-linux")?;
        let pid = process.id().context("the operator ended at once")?;
        Ok(Self {
            process,
            profiler: None,
            pid,
            address,
            log,
        })
    }

    /// Waits until it has listed every kind.
    pub async fn wait_until_ready(&self) -> Result<()> {
        let deadline = Instant::now() + START_DEADLINE;
        loop {
            match self.get("/readyz").await {
                Ok(_) => return Ok(()),
                Err(error) if Instant::now() > deadline => {
                    return Err(error.context(format!("not ready: see {}", self.log.display())));
                }
                Err(_) => tokio::time::sleep(BETWEEN_LOOKS).await,
            }
        }
    }

    /// Its resource usage so far.
    pub async fn usage(&self) -> Result<Usage> {
        let requests = Requests::parse(&self.metrics().await?)?;
        Ok(Usage {
            cpu: process::cpu_seconds(self.pid)?,
            requests,
        })
    }

    /// Its metrics as text.
    pub async fn metrics(&self) -> Result<String> {
        self.get("/metrics").await
    }

    /// The peak of its resident memory, in MB.
    pub fn peak_rss(&self) -> Result<f64> {
        process::peak_rss_megabytes(self.pid)
    }

    /// Resets [`Self::peak_rss`] to the present memory.
    pub fn forget_peak(&self) -> Result<()> {
        process::forget_peak_rss(self.pid)
    }

    /// Its resident memory, in MB.
    pub fn rss(&self) -> Result<f64> {
        process::rss_megabytes(self.pid)
    }

    /// Waits until it is at rest.
    pub async fn quiet(&self) -> Result<()> {
        let deadline = Instant::now() + QUIET_DEADLINE;
        let mut last = (self.usage().await?.requests, Instant::now());
        while last.1.elapsed() < QUIET {
            if Instant::now() > deadline {
                bail!(
                    "the operator does not come to rest: see {}",
                    self.log.display()
                );
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
            let requests = self.usage().await?.requests;
            if requests != last.0 {
                last = (requests, Instant::now());
            }
        }
        Ok(())
    }

    /// Whether it reports that it leads.
    pub async fn leads(&self) -> Result<bool> {
        let metrics = self.get("/metrics").await?;
        Ok(metrics.contains("\ngrove_leader 1\n"))
    }

    /// Sends it SIGTERM.
    pub fn tell_to_stop(&self) -> Result<()> {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        kill_process(pid.context("no process")?, Signal::TERM)?;
        Ok(())
    }

    /// Ends it.
    pub async fn stop(mut self) -> Result<()> {
        self.tell_to_stop()?;
        let ended = tokio::time::timeout(STOP_DEADLINE, self.process.wait()).await;
        if let Some(mut profiler) = self.profiler.take() {
            // It ends by itself when it has written everything.
            profiler.wait().await?;
        }
        match ended {
            Ok(status) if status.as_ref().is_ok_and(std::process::ExitStatus::success) => Ok(()),
            ended => bail!(
                "the operator ended badly ({ended:?}): see {}",
                self.log.display()
            ),
        }
    }

    /// The body of the server's response, which must be a success.
    async fn get(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(self.address).await?;
        let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no HTTP")?;
        if head.split(' ').nth(1) != Some("200") {
            bail!("{path}: {body}");
        }
        Ok(body.to_owned())
    }
}
