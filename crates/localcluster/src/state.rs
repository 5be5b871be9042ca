//! The folder of a cluster's state, and whether a supervisor still works in it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context as _, Result, bail};
use rustix::process::Pid;

/// Everything that a start writes into the folder; a next start removes exactly this.
const FOLDERS: [&str; 5] = ["etcd", "kube-cache", "logs", "nodes", "pki"];
const FILES: [&str; 12] = [
    "Corefile",
    "bin",
    "egress.sock",
    "egress.yaml",
    "ended",
    "etcd-peer.sock:0",
    "etcd.sock:0",
    "kubeconfig",
    "pid",
    "stages.yaml",
    "supervise.log",
    "switch",
];

/// Creates the folder, and returns its path. It fails if a cluster is running there.
pub(super) fn claim(dir: &Path) -> Result<PathBuf> {
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    // The supervisor's command line shows the absolute path, by which it is recognized.
    let dir = dir
        .canonicalize()
        .with_context(|| dir.display().to_string())?;
    if let Some(pid) = supervisor_pid(&dir) {
        bail!(
            "a cluster is already running in {} (process {pid:?}): stop it",
            dir.display()
        );
    }
    Ok(dir)
}

/// Prepares the folder for a start.
pub(super) fn prepare(dir: &Path) -> Result<()> {
    clear(dir)?;
    let logs = dir.join("logs");
    fs::create_dir(&logs).with_context(|| format!("cannot create {}", logs.display()))
}

/// Removes the files of an earlier start from the folder, and nothing else.
fn clear(dir: &Path) -> Result<()> {
    let folders = FOLDERS
        .iter()
        .map(|name| (name, fs::remove_dir_all(dir.join(name))));
    let files = FILES
        .iter()
        .map(|name| (name, fs::remove_file(dir.join(name))));
    for (name, removed) in folders.chain(files) {
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error)
                    .with_context(|| format!("cannot remove {}", dir.join(name).display()));
            }
            _ => (),
        }
    }
    Ok(())
}

/// The supervisor of the cluster in this folder, if it is running.
pub(super) fn supervisor_pid(dir: &Path) -> Option<Pid> {
    process_in(dir, "supervise")
}

/// The process that was started with this folder and this word, if it is running.
///
/// The number in the file alone proves nothing: the process may be gone and its number be used
/// again. So the process must also be one that was started for this folder.
pub(super) fn process_in(dir: &Path, word: &str) -> Option<Pid> {
    let number: u32 = fs::read_to_string(dir.join("pid"))
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let command = fs::read(format!("/proc/{number}/cmdline")).ok()?;
    let mut words = command.split(|byte| *byte == 0);
    let ours = words.any(|given| given == word.as_bytes())
        && words.next() == Some(dir.as_os_str().as_encoded_bytes());
    let pid = Pid::from_raw(i32::try_from(number).ok()?)?;
    (ours && number != process::id()).then_some(pid)
}
