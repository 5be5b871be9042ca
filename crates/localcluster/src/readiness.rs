//! Waits, with a deadline, for the parts of a starting cluster.

use std::io::Write as _;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::real::Node;
use super::supervisor::{Ended, Supervisor, log_end};

/// Ten times the time that a start takes on 2 unused cores: it is a guard against a hang, not a
/// measurement.
const DEADLINE: Duration = Duration::from_mins(2);

const POLL: Duration = Duration::from_millis(50);

/// Waits for one thing after the other, and notices at once if the cluster has ended meanwhile.
pub(super) struct Waiter<'a> {
    supervisor: &'a mut Supervisor,
    nodes: &'a [Node],
    deadline: Instant,
}

impl<'a> Waiter<'a> {
    pub(super) fn new(supervisor: &'a mut Supervisor) -> Self {
        Self::watching(supervisor, &[])
    }

    /// A waiter that also notices if one of these nodes has ended.
    pub(super) fn watching(supervisor: &'a mut Supervisor, nodes: &'a [Node]) -> Self {
        Self {
            supervisor,
            nodes,
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

    /// Runs a command until it succeeds once.
    pub(super) fn until(
        &mut self,
        part: &str,
        command: impl Fn() -> Result<Command>,
    ) -> Result<()> {
        while let Err(error) = command().and_then(|mut command| self.run(part, &mut command, None))
        {
            // Each try is a process that competes with the part that it waits for.
            thread::sleep(4 * POLL);
            // The end of a part explains more than the output of the command.
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

    /// Runs a command, which must succeed; `part` is blamed if it takes too long.
    pub(super) fn run(
        &mut self,
        part: &str,
        command: &mut Command,
        input: Option<&Value>,
    ) -> Result<()> {
        let mut child = command
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {command:?}"))?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            stdin
                .write_all(input.to_string().as_bytes())
                .context("the input of a command")?;
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
            bail!("{command:?} failed ({}): {}", output.status, error.trim());
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
        self.nodes.iter().try_for_each(Node::check)?;
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
