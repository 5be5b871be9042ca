//! Machines on which real nodes cannot run: one line with the cause and the remedy.

use std::fs;
use std::process::{Command, Output};

use crate::checkout::Checkout;
use crate::kubectl::said;
use crate::processes;

const UP: [&str; 2] = ["up", "--node=real"];

#[test]
fn missing_requirements_are_reported_at_once() {
    let checkout = Checkout::new();
    let folder = tempfile::tempdir().unwrap();
    let up = checkout.command(&UP).env("PATH", folder.path()).output();
    let packages = "containerd runc nftables util-linux busybox-static";
    one_line(
        &up.unwrap(),
        &format!("apt-get install --no-install-recommends {packages}"),
    );
    assert_eq!(checkout.processes(), processes::NONE);
}

#[test]
fn other_users_are_shown_the_way() {
    let checkout = Checkout::new();
    let up = wrapped(&checkout, "setpriv", &["--reuid=65534", "--clear-groups"]);
    one_line(&up, "sudo target/debug/localcluster up --node=real");
}

#[test]
fn namespaces_that_cannot_be_made_are_named() {
    let checkout = Checkout::new();
    let up = wrapped(&checkout, "setpriv", &["--bounding-set=-sys_admin"]);
    one_line(
        &up,
        "cannot make a network namespace (operation not permitted)",
    );
    assert_eq!(checkout.processes(), processes::NONE);
}

#[test]
fn cgroups_that_are_not_there_are_named() {
    let checkout = Checkout::new();
    let up = without_cgroups(&checkout, "true");
    one_line(&up, "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
    assert_eq!(checkout.processes(), processes::NONE);
}

#[test]
fn cgroups_without_controllers_are_named() {
    // If the kernel has assigned its controllers to cgroup v1, cgroup v2 has none.
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    if groups.lines().count() < 2 {
        return;
    }
    let checkout = Checkout::new();
    let up = without_cgroups(&checkout, "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
    one_line(
        &up,
        "gives its groups the controllers cpu, cpuset, memory, pids",
    );
    assert_eq!(checkout.processes(), processes::NONE);
}

/// `up` on a machine without mounted cgroups, after this command.
fn without_cgroups(checkout: &Checkout, command: &str) -> Output {
    let script = format!("umount --recursive /sys/fs/cgroup && {command} && exec \"$@\"");
    wrapped(checkout, "unshare", &["--mount", "sh", "-c", &script, "sh"])
}

#[test]
fn a_cluster_without_real_nodes_is_not_taken_for_one() {
    let checkout = Checkout::new();
    checkout.last_line(&["up", "--nodes=0"]);
    one_line(&checkout.run(&UP), "`make cluster-down` ends it");
}

/// All addresses of a cluster are in namespaces: the machine may have the same.
#[test]
fn addresses_of_the_machine_may_be_those_of_the_nodes() {
    let checkout = Checkout::new();
    let script = "ip link set lo up && ip link add br0 type bridge && ip link set br0 up &&
        ip address add 10.2.0.1/24 dev br0 && ip route add 10.1.0.0/16 via 10.2.0.11 && exec \"$@\"";
    let up = wrapped(&checkout, "unshare", &["--net", "sh", "-c", script, "sh"]);
    assert!(up.status.success(), "{}", said(&up));
    checkout.last_line(&["down"]);
}

/// `up`, run by another program.
fn wrapped(checkout: &Checkout, program: &str, args: &[&str]) -> Output {
    let up = checkout.command(&UP);
    let mut command = Command::new(program);
    command.args(args).arg(up.get_program()).args(up.get_args());
    for (name, value) in up.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(checkout.root.path()).output().unwrap()
}

/// The command failed, and its last line is the error, which contains this text.
fn one_line(up: &Output, part: &str) {
    let said = said(up);
    assert!(!up.status.success(), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: ") && last.contains(part), "{said}");
}
