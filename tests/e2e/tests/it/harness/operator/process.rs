//! A process that never outlives this one.

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use anyhow::{Context as _, Result};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

/// A running process, started from [`command`].
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    end: JoinHandle<ExitStatus>,
}

/// A command that the kernel kills when this process ends, `kill -9` included.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// The same, with that many KiB of address space.
pub fn limited(program: &Path, kibibytes: u32) -> Command {
    let mut command = command(Path::new("sh"));
    let script = format!("ulimit -v {kibibytes}; exec \"$@\"");
    command.args(["-c", &script, "sh"]).arg(program);
    command
}

impl Process {
    /// Its process id.
    pub fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Starts the command in the background.
    pub fn start(mut command: Command) -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        // The kernel reacts to the end of the *thread* that started the process, and the thread of
        // a test ends too early.
        let end = thread::spawn(move || {
            let mut child = match command.spawn() {
                Ok(child) => child,
                Err(error) => {
                    sender.send(Err(error)).unwrap();
                    return ExitStatus::default();
                }
            };
            sender.send(Ok(Pid::from_child(&child))).unwrap();
            child.wait().unwrap()
        });
        let pid = receiver
            .recv()?
            .context("cannot run setpriv; it is part of util-linux")?;
        Ok(Self { pid, end })
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&self) -> bool {
        self.end.is_finished()
    }

    /// Waits for its end; returns its exit status.
    pub fn wait(self) -> ExitStatus {
        self.end.join().unwrap()
    }

    /// Stops it, or lets it continue.
    pub fn pause(&self, is_paused: bool) {
        let signal = if is_paused {
            Signal::STOP
        } else {
            Signal::CONT
        };
        kill_process(self.pid, signal).unwrap();
    }

    /// `kill -9`; returns when it is gone.
    pub fn kill(self) {
        // If it has ended by itself, its id may belong to another process.
        if !self.end.is_finished() {
            let killed = kill_process(self.pid, Signal::KILL);
            // It may end by itself at this moment.
            assert!(matches!(killed, Ok(()) | Err(Errno::SRCH)), "{killed:?}");
        }
        self.end.join().unwrap();
    }

    /// `kill`; returns its exit status.
    pub fn terminate(self) -> ExitStatus {
        assert!(!self.end.is_finished(), "it has ended by itself");
        kill_process(self.pid, Signal::TERM).unwrap();
        self.end.join().unwrap()
    }
}
