//! `tree -w`.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

use crate::harness::manifest::{held_clique, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, same, wait};

/// A command in the background, which ends with this value at the latest.
struct Follower {
    process: Child,
    output: NamedTempFile,
}

impl Follower {
    fn start(command: &Command) -> Self {
        let output = NamedTempFile::new().unwrap();
        let mut command = interruptible(command);
        let process = command.stdout(output.reopen().unwrap()).spawn().unwrap();
        Self { process, output }
    }

    /// Waits until the PodClique's line of the last tree begins with these columns.
    fn wait_for(&self, columns: &str) {
        let drawn = wait::until(|| {
            let text = fs::read(self.output.path()).map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&text);
            let found = columns_of(&text);
            found
                .starts_with(columns)
                .then_some(())
                .ok_or_else(|| format!("the columns are {found:?}, should be {columns:?}:\n{text}"))
        });
        drawn.unwrap();
    }

    /// Ctrl-C; its exit status.
    fn interrupt(mut self) -> ExitStatus {
        kill_process(Pid::from_child(&self.process), Signal::INT).unwrap();
        let ended = wait::until(|| {
            let ended = self.process.try_wait().map_err(|error| error.to_string())?;
            ended.ok_or_else(|| "it does not end".to_owned())
        });
        ended.unwrap()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // Usually it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The same command, which SIGINT ends even where this run ignores it: a shell starts background
/// processes so, and their children inherit it.
fn interruptible(command: &Command) -> Command {
    let mut env = Command::new("env");
    env.arg("--default-signal=INT");
    env.arg(command.get_program()).args(command.get_args());
    let variables = command.get_envs();
    env.envs(variables.filter_map(|(key, value)| Some((key, value?))));
    env
}

/// The columns behind the PodClique's name in the last tree, if any.
fn columns_of(text: &str) -> String {
    let (_, line) = text.rsplit_once("─svc-0-web ").unwrap_or_default();
    let line = line.lines().next().unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The program does not handle SIGINT, so the signal ends it: a shell shows exit code 130.
#[test]
fn a_tree_is_drawn_again_when_a_pod_becomes_ready_until_ctrl_c() {
    let ns = Namespace::new("cli-follow");
    ns.apply(&set("svc", &[held_clique("web", 1)], &[]));
    let pod = ns.until("its pod has a node", |seen| {
        let pods = seen.pods("svc-0-web");
        let pod = pods.first().ok_or("there is no pod")?;
        same("has a node", &pod["spec"]["nodeName"].is_string(), &true)?;
        Ok(name(pod).to_owned())
    });
    let follower = Follower::start(&ns.grove_command(&["tree", "svc", "-w"]));
    follower.wait_for("0/1 ");
    ns.set_pod_ready(&pod);
    follower.wait_for("1/1 AllReady ");
    let status = follower.interrupt();
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
}
