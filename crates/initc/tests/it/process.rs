//! The program as a process.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// In a container its name would be the same.
const PROGRAM: &str = env!("CARGO_BIN_EXE_grove-initc");

/// A process that runs until it ends by itself; it is killed with the test.
pub struct Process {
    child: Child,
    out: BufReader<ChildStdout>,
    err: ChildStderr,
}

impl Process {
    pub fn with(args: &[&str]) -> Self {
        let mut command = Command::new(PROGRAM);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.args(args).spawn().unwrap();
        Self {
            out: BufReader::new(child.stdout.take().unwrap()),
            err: child.stderr.take().unwrap(),
            child,
        }
    }

    /// Waits for the values shown in this folder.
    pub fn waiting_for(volume: &Path) -> Self {
        Self::with(&["--volume", volume.to_str().unwrap()])
    }

    /// The next line that it writes.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn terminate(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// Its exit status, the unread rest of its output, and its errors.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let status = self.wait();
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.err.read_to_string(&mut err).unwrap();
        (status, out, err)
    }

    fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
