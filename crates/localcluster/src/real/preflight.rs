//! The requirements of real nodes on a machine.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Programs, and the packages of Debian that have them.
const PROGRAMS: [(&str, &str); 7] = [
    ("containerd", "containerd"),
    ("containerd-shim-runc-v2", "containerd"),
    ("ctr", "containerd"),
    ("runc", "runc"),
    ("nft", "nftables"),
    ("nsenter", "util-linux"),
    ("busybox", "busybox-static"),
];

/// Plugins of the container network.
const PLUGINS: [&str; 3] = ["bridge", "host-local", "loopback"];

/// The folders in which distributions keep them.
const PLUGIN_FOLDERS: [&str; 3] = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];

/// Fails if real nodes cannot run here: one line with the cause and the command that helps.
pub(crate) fn check() -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("real nodes run on Linux only: leave NODE=real away");
    }
    let missing = missing_packages(
        |program| find_program(program).is_some(),
        plugin_folder().is_some(),
    );
    if !missing.is_empty() {
        bail!(
            "real nodes need {}: `apt-get install --no-install-recommends {}` installs it",
            missing.join(", "),
            missing.join(" "),
        );
    }
    if !rustix::process::geteuid().is_root() {
        bail!(
            "real nodes need root, for namespaces, mounts and cgroups: build as yourself with `target/debug/localcluster tool --node=real`, then run `sudo target/debug/localcluster up --node=real`"
        );
    }
    Ok(())
}

/// The packages to install, each once.
fn missing_packages(has: impl Fn(&str) -> bool, has_plugins: bool) -> Vec<&'static str> {
    let absent = PROGRAMS.iter().filter(|(program, _)| !has(program));
    let mut packages: Vec<&str> = absent.map(|(_, package)| *package).collect();
    if !has_plugins {
        packages.push("containernetworking-plugins");
    }
    packages.dedup();
    packages
}

/// The folder of the container network's plugins.
pub(super) fn plugin_folder() -> Option<&'static Path> {
    let mut folders = PLUGIN_FOLDERS.iter().map(Path::new);
    folders.find(|folder| PLUGINS.iter().all(|plugin| folder.join(plugin).is_file()))
}

pub(super) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut candidates = env::split_paths(&path).map(|folder| folder.join(name));
    candidates.find(|candidate| candidate.is_file())
}
