//! Traces that a cluster could leave on the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The parts of the machine that must be the same before and after a cluster.
#[derive(Debug, PartialEq, Eq)]
pub struct Machine(BTreeMap<&'static str, BTreeSet<String>>);

/// Settings that count or measure, or that change each time they are read.
const UNSTEADY: [&str; 11] = [
    "fs.dentry-state",
    "fs.file-nr",
    "fs.inode-nr",
    "fs.inode-state",
    "fs.aio-nr",
    "fs.quota",
    "kernel.random",
    "kernel.ns_last_pid",
    "kernel.pty.nr",
    "kernel.perf",
    "net.netfilter.nf_conntrack_count",
];

/// Folders that belong to each node.
const FOLDERS: [&str; 9] = [
    "/run/containerd",
    "/run/netns",
    "/etc/cni",
    "/var/lib/cni",
    "/var/lib/containerd",
    "/var/lib/containers",
    "/var/lib/kubelet",
    "/var/log/containers",
    "/var/log/pods",
];

impl Machine {
    /// The present state.
    pub fn now() -> Self {
        Self(BTreeMap::from([
            ("mounts", mounts()),
            ("links", names("/sys/class/net")),
            (
                "addresses",
                lines("ip", &["-oneline", "address"], |line| {
                    Some(words(line, 1..4))
                }),
            ),
            (
                "routes",
                lines("ip", &["route", "show", "table", "all"], |line| {
                    Some(line.to_owned())
                }),
            ),
            (
                "nftables",
                lines("nft", &["--stateless", "list", "ruleset"], |line| {
                    Some(line.to_owned())
                }),
            ),
            ("settings", lines("sysctl", &["--all"], steady)),
            ("cgroups", groups()),
            (
                "folders",
                FOLDERS
                    .iter()
                    .flat_map(|folder| below(Path::new(folder), 3))
                    .collect(),
            ),
        ]))
    }

    /// Panics with all differences between then and now.
    pub fn assert_same(&self, after: &str) {
        let Self(now) = Self::now();
        for (kind, before) in &self.0 {
            let differ = before.symmetric_difference(&now[kind]);
            let differ: Vec<_> = differ.filter(|one| !is_of_others(kind, one)).collect();
            assert!(differ.is_empty(), "{kind} after {after}: {differ:#?}");
        }
    }
}

/// Whether another service of the machine made or removed it meanwhile: a group with a process is in
/// use, and nodes that have ended have none; a group that is gone was not left behind.
fn is_of_others(kind: &str, one: &str) -> bool {
    kind == "cgroups" && (!Path::new(one).exists() || holds_a_process(one))
}

/// Whether a process is in the control group or in one below it.
fn holds_a_process(group: &str) -> bool {
    let inner = below(Path::new(group), 20);
    std::iter::once(group.to_owned()).chain(inner).any(|group| {
        let processes = fs::read_to_string(format!("{group}/cgroup.procs"));
        processes.is_ok_and(|processes| !processes.is_empty())
    })
}

/// Device, root, target and options of each mount.
fn mounts() -> BTreeSet<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    mounts.lines().map(|line| words(line, 2..6)).collect()
}

/// All control groups except those of other clusters: the number in a node's group is that of its
/// cluster's folder.
fn groups() -> BTreeSet<String> {
    below(Path::new("/sys/fs/cgroup"), 20)
        .filter(|path| !path.contains("/grove-"))
        .collect()
}

/// The control groups of the nodes of the cluster in this folder.
pub fn groups_of(state: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(folder) = fs::metadata(state) else {
        return Vec::new();
    };
    let name = format!("/grove-{}-", folder.ino());
    below(Path::new("/sys/fs/cgroup"), 20)
        .filter(|path| path.contains(&name))
        .collect()
}

fn steady(setting: &str) -> Option<String> {
    let counts = UNSTEADY.iter().any(|name| setting.starts_with(name));
    (!counts).then(|| setting.to_owned())
}

fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(|entry| name(entry.unwrap())).collect()
}

/// Folders below this one, that many levels deep.
fn below(folder: &Path, depth: u32) -> Box<dyn Iterator<Item = String>> {
    if depth == 0 {
        return Box::new(std::iter::empty());
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    Box::new(folders.into_iter().flat_map(move |path| {
        let inner = below(&path, depth - 1);
        std::iter::once(path.display().to_string()).chain(inner)
    }))
}

fn lines(program: &str, args: &[&str], keep: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let output = Command::new(program).args(args).output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    output.lines().filter_map(keep).collect()
}

fn words(line: &str, range: std::ops::Range<usize>) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.get(range).unwrap_or(&words).join(" ")
}
