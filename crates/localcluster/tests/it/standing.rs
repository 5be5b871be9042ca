//! The cluster of `up` and `down`, in a checkout of its own: the developer's is left alone.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use localcluster::Repository;
use localcluster::tool::{CACHE_VARIABLE, Tool};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use crate::processes;

struct Checkout {
    root: TempDir,
    cache: PathBuf,
}

impl Checkout {
    /// A checkout whose tool is the one that the real checkout has built.
    fn new() -> Self {
        let tool = Tool::find_or_build(&Repository::find().unwrap()).unwrap();
        let cache = tool
            .bin()
            .ancestors()
            .nth(2)
            .unwrap()
            .canonicalize()
            .unwrap();
        let root = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/localcluster");
        fs::create_dir(root.path().join("hack")).unwrap();
        symlink(
            source.canonicalize().unwrap(),
            root.path().join("hack/localcluster"),
        )
        .unwrap();
        Self { root, cache }
    }

    fn command(&self, args: &[&str]) -> Command {
        // Who runs the tests in the background of a script has told them to ignore Ctrl-C.
        let mut command = Command::new("env");
        command
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_localcluster")])
            .args(args)
            .current_dir(&self.root)
            .env(CACHE_VARIABLE, &self.cache)
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("KUBECONFIG")
            .env_remove("NODES");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn last_line(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    }

    /// An `up` in a process group of its own, as a shell starts it, that has not finished: its
    /// control plane is starting.
    fn half_up(&self) -> Child {
        let mut up = self
            .command(&["up"])
            .process_group(0)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let progress = BufReader::new(up.stderr.take().unwrap()).lines();
        let seen = progress
            .map(Result::unwrap)
            .find(|line| line.contains("kube-scheduler"));
        assert!(seen.is_some(), "up ended early");
        up
    }

    fn processes(&self) -> Vec<u32> {
        processes::mentioning(&self.root.path().join(".localcluster/run"))
    }
}

#[test]
fn up_starts_it_once_and_down_ends_it() {
    let checkout = Checkout::new();
    let line = checkout.last_line(&["up", "--nodes=1"]);
    let kubeconfig = checkout.root.path().join(".localcluster/run/kubeconfig");
    assert_eq!(line, format!("KUBECONFIG={}", kubeconfig.display()));
    let processes = checkout.processes();
    assert_eq!(
        processes.len(),
        6,
        "the supervisor and five parts outlive `up`"
    );

    assert_eq!(checkout.last_line(&["up", "--nodes=1"]), line);
    assert_eq!(checkout.processes(), processes, "the same cluster");
    assert_eq!(checkout.last_line(&["status"]), line);

    checkout.last_line(&["down"]);
    assert_eq!(checkout.processes(), processes::NONE);
    assert!(!kubeconfig.exists());
    checkout.last_line(&["down"]);
    assert!(!checkout.run(&["status"]).status.success());
}

#[test]
fn nothing_outlives_an_up_that_is_interrupted_or_killed() {
    let checkout = Checkout::new();
    for signal in [Signal::INT, Signal::KILL] {
        let mut up = checkout.half_up();
        let processes = checkout.processes();
        assert!(processes.len() >= 3, "{processes:?}");
        // To the whole group, as a terminal does with Ctrl-C.
        kill_process_group(Pid::from_child(&up), signal).unwrap();
        up.wait().unwrap();
        processes::wait_for_end(&processes);
        assert_eq!(checkout.processes(), processes::NONE, "after {signal:?}");
    }
}

#[test]
fn nothing_outlives_a_supervisor_that_is_killed() {
    let checkout = Checkout::new();
    let mut up = checkout.half_up();
    let processes = checkout.processes();
    let pid = fs::read_to_string(checkout.root.path().join(".localcluster/run/pid")).unwrap();
    kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    processes::wait_for_end(&processes);
    assert!(!up.wait().unwrap().success());
    assert_eq!(checkout.processes(), processes::NONE);
}

#[test]
fn the_users_kubeconfig_wins() {
    let checkout = Checkout::new();
    let users = checkout.root.path().join("mine.yaml");
    let missing = checkout
        .command(&["up"])
        .env("KUBECONFIG", &users)
        .output()
        .unwrap();
    assert!(!missing.status.success());

    fs::write(&users, "").unwrap();
    let up = checkout
        .command(&["up"])
        .env("KUBECONFIG", &users)
        .output()
        .unwrap();
    let stdout = String::from_utf8(up.stdout).unwrap();
    assert_eq!(stdout, format!("KUBECONFIG={}\n", users.display()));
    assert_eq!(checkout.processes(), processes::NONE);
}
