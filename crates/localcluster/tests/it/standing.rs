//! The cluster of `up` and `down`, in a separate checkout.

use std::fs;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::checkout::Checkout;
use crate::processes;

/// The output of an `up` while the control plane starts.
const STARTING: &str = "kube-scheduler";

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
        let mut up = checkout.half_up(&["up"], STARTING);
        let processes = checkout.processes();
        assert!(processes.len() >= 3, "{processes:?}");
        // To the whole group, as a terminal does with Ctrl-C.
        kill_process_group(Pid::from_child(&up), signal).unwrap();
        up.wait().unwrap();
        wait_for_end(&processes);
        assert_eq!(checkout.processes(), processes::NONE, "after {signal:?}");
    }
}

#[test]
fn nothing_outlives_a_supervisor_that_is_killed() {
    let checkout = Checkout::new();
    let mut up = checkout.half_up(&["up"], STARTING);
    let processes = checkout.processes();
    let pid = fs::read_to_string(checkout.root.path().join(".localcluster/run/pid")).unwrap();
    kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    wait_for_end(&processes);
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

/// Waits until all of these processes have ended; panics after 30 seconds.
fn wait_for_end(numbers: &[u32]) {
    for number in numbers {
        let mut wait = Command::new("timeout");
        wait.args(["30", "tail", "-f", "/dev/null", "-s", "0.1"])
            .arg(format!("--pid={number}"));
        assert!(wait.status().unwrap().success(), "process {number} goes on");
    }
}
