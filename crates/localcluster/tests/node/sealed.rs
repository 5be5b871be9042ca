//! No trace of a cluster with real nodes stays on the machine, however the cluster ends.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;

use crate::checkout::Checkout;
use crate::kubectl::{create, printed, said};
use crate::machine::{Machine, groups_of};
use crate::processes;

const UP: [&str; 2] = ["up", "--node=real"];

/// The output of `up` when the control plane runs and nodes start.
const NODES_START: &str = "real nodes";

#[test]
fn nothing_is_left_after_down() {
    let before = Machine::now();
    let checkout = Checkout::new();
    checkout.last_line(&UP);
    run_pods(&checkout);
    assert!(!groups_of(&checkout.state()).is_empty());
    before.assert_same("up");

    checkout.last_line(&["down"]);
    assert!(!checkout.state().exists());
    assert_eq!(checkout.processes(), processes::NONE);
    before.assert_same("down");
}

/// A pod on each node, and a Service: mounts, links, rules and groups.
fn run_pods(checkout: &Checkout) {
    for node in ["node-1", "node-2"] {
        create(kubectl(checkout), &pod(node));
    }
    let expose = ["expose", "pod", "node-1", "--port=80"];
    printed(kubectl(checkout).args(expose));
    let ready = [
        "wait",
        "--for=condition=Ready",
        "pod",
        "--all",
        "--timeout=60s",
    ];
    printed(kubectl(checkout).args(ready));
    for node in ["node-1", "node-2"] {
        sees_its_own_groups_alone(checkout, node);
    }
}

/// The processes of a node see the node's group as the root of cgroups.
fn sees_its_own_groups_alone(checkout: &Checkout, node: &str) {
    for part in ["containerd", "kubelet", "kube-proxy"] {
        let script = format!("cat /proc/$(cat /run/{part}.pid)/cgroup");
        let groups = printed(&mut checkout.command(&["exec", node, "--", "sh", "-c", &script]));
        assert!(
            groups.lines().all(|group| group.ends_with(":/")),
            "{node}: {groups}"
        );
    }
}

fn pod(node: &str) -> serde_json::Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": node, "labels": {"app": node}},
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "localhost/pause:1"}]},
    })
}

fn kubectl(checkout: &Checkout) -> Command {
    let state = checkout.state();
    let mut kubectl = Command::new(state.join("bin/kubectl"));
    kubectl
        .env("KUBECONFIG", state.join("kubeconfig"))
        .env("KUBECACHEDIR", state.join("kube-cache"));
    kubectl
}

#[test]
fn nothing_is_left_after_an_up_that_is_interrupted_or_killed() {
    let before = Machine::now();
    let checkout = Checkout::new();
    for signal in [Signal::INT, Signal::KILL] {
        let mut up = checkout.half_up(&UP, NODES_START);
        until("a node starts", || !groups_of(&checkout.state()).is_empty());
        kill_process_group(Pid::from_child(&up), signal).unwrap();
        assert!(!up.wait().unwrap().success());
        nothing_is_left(&checkout, &before, &format!("{signal:?}"));
    }
    // The next `up` need not wait for that.
    checkout.last_line(&UP);
    kill(&checkout.state().join("pid"));
    checkout.last_line(&UP);
    checkout.last_line(&["down"]);
    before.assert_same("down");
}

#[test]
fn nothing_is_left_after_supervisors_are_killed() {
    let before = Machine::now();
    let checkout = Checkout::new();
    checkout.last_line(&UP);
    kill(&checkout.state().join("pid"));
    nothing_is_left(&checkout, &before, "the cluster's supervisor was killed");
    let disk = checkout.state().join("nodes/node-1/lib");
    until("images are removed", || !disk.exists());

    checkout.last_line(&UP);
    for pid in ["nodes/node-1/pid", "nodes/node-2/pid", "pid"] {
        kill(&checkout.state().join(pid));
    }
    nothing_is_left(&checkout, &before, "all supervisors were killed");
}

#[test]
fn down_finds_the_groups_of_nodes_whose_janitors_were_killed_as_well() {
    let before = Machine::now();
    let checkout = Checkout::new();
    checkout.last_line(&UP);
    for janitor in janitors(&checkout.state()) {
        kill_process(Pid::from_raw(janitor).unwrap(), Signal::KILL).unwrap();
    }
    for pid in ["nodes/node-1/pid", "nodes/node-2/pid", "pid"] {
        kill(&checkout.state().join(pid));
    }
    until("processes end", || checkout.processes().is_empty());
    assert!(!groups_of(&checkout.state()).is_empty());
    checkout.last_line(&["down"]);
    before.assert_same("down");
}

/// The processes that clear a node's groups, by the groups in their command lines.
fn janitors(state: &Path) -> Vec<i32> {
    let groups = groups_of(state);
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_janitor = |number: &i32| {
        let command = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command);
        command.contains("janitor") && groups.iter().any(|group| command.contains(group))
    };
    numbers.filter(is_janitor).collect()
}

#[test]
fn a_node_that_ends_while_it_starts_is_named_and_nothing_is_left() {
    let before = Machine::now();
    let checkout = Checkout::new();
    let programs = tempfile::tempdir().unwrap();
    let containerd = programs.path().join("containerd");
    fs::write(
        &containerd,
        "#!/bin/sh\necho the disk is full >&2\nexit 3\n",
    )
    .unwrap();
    executable(&containerd);
    let path = format!(
        "{}:{}",
        programs.path().display(),
        env::var("PATH").unwrap()
    );
    let up = checkout.command(&UP).env("PATH", path).output().unwrap();
    assert!(!up.status.success());
    let line = said(&up);
    let line = line.lines().last().unwrap();
    assert!(
        line.contains("ended, for its containerd did (exit code 3): the disk is full; see "),
        "{line}"
    );
    assert_eq!(checkout.processes(), processes::NONE);
    assert_eq!(groups_of(&checkout.state()), Vec::<String>::new());
    before.assert_same("a failed start");
}

fn executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Waits until all processes have ended: a killed command did not wait for them.
fn nothing_is_left(checkout: &Checkout, before: &Machine, after: &str) {
    until("processes end", || checkout.processes().is_empty());
    until("groups are removed", || {
        groups_of(&checkout.state()).is_empty()
    });
    before.assert_same(after);
}

fn kill(file: &Path) {
    let pid = fs::read_to_string(file).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < deadline, "not within a minute: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
