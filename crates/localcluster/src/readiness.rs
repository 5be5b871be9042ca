//! Waiting, with a deadline, for what a starting cluster is to become.

use std::io::Write as _;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::supervisor::{Ended, Supervisor, log_end};

/// Ten times what it takes on 2 idle cores: it is a guard against a hang, not a measurement.
const DEADLINE: Duration = Duration::from_mins(2);

const POLL: Duration = Duration::from_millis(50);

/// Waits for one thing after the other, and notices at once if the cluster has ended meanwhile.
pub(super) struct Waiter<'a> {
    supervisor: &'a mut Supervisor,
    deadline: Instant,
}

impl<'a> Waiter<'a> {
    pub(super) fn new(supervisor: &'a mut Supervisor) -> Self {
        Self {
            supervisor,
            deadline: Instant::now() + DEADLINE,
        }
    }

    /// Waits until something listens on this port number of 127.0.0.1. It costs less than asking
    /// with a new kubectl process each time.
    pub(super) fn listening(&mut self, part: &str, number: u16) -> Result<()> {
        while TcpStream::connect(("127.0.0.1", number)).is_err() {
            self.pause(part)?;
        }
        Ok(())
    }

    /// Runs a kubectl until it succeeds once.
    pub(super) fn until(&mut self, part: &str, kubectl: impl Fn() -> Command) -> Result<()> {
        while let Err(error) = self.run(part, &mut kubectl(), None) {
            // Each try is a process that competes with what it waits for.
            thread::sleep(4 * POLL);
            // That a part has ended explains more than what kubectl made of it.
            self.pause(part).map_err(|late| {
                if late.is::<Ended>() {
                    late
                } else {
                    late.context(error)
                }
            })?;
        }
        Ok(())
    }

    /// Runs a kubectl, which must succeed; `part` is blamed if it takes too long.
    pub(super) fn run(
        &mut self,
        part: &str,
        kubectl: &mut Command,
        input: Option<&Value>,
    ) -> Result<()> {
        let mut child = kubectl
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {kubectl:?}"))?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            stdin
                .write_all(input.to_string().as_bytes())
                .context("kubectl's input")?;
        }
        let waited = self.end_of(&mut child, part);
        if waited.is_err() {
            // Ended already is fine.
            let _ = child.kill();
        }
        let output = child.wait_with_output()?;
        waited?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            bail!("{kubectl:?} failed ({}): {}", output.status, error.trim());
        }
        Ok(())
    }

    fn end_of(&mut self, child: &mut Child, part: &str) -> Result<()> {
        while child.try_wait()?.is_none() {
            self.pause(part)?;
        }
        Ok(())
    }

    fn pause(&mut self, part: &str) -> Result<()> {
        self.supervisor.check()?;
        if Instant::now() > self.deadline {
            let log = self.supervisor.log(part);
            bail!(
                "{part} was not ready within {} s; the end of {}:\n{}",
                DEADLINE.as_secs(),
                log.display(),
                log_end(&log)
            );
        }
        thread::sleep(POLL);
        Ok(())
    }
}
