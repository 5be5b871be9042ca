//! The one local cluster of a checkout that outlives the command which started it.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::real::{self, Node};
use super::repository::Repository;
use super::tool::Tool;
use super::{Options, launch, state};

/// Longer than the supervisor needs to end all other processes.
const STOP_DEADLINE: Duration = Duration::from_secs(10);

/// The state of the standing cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its API server reports that it is ready.
    Ready,
    /// Its processes run, its API server does not answer.
    Broken,
    /// No process of it runs.
    Down,
}

/// The path of the standing cluster's kubeconfig, if the cluster runs.
pub fn kubeconfig(repository: &Repository) -> PathBuf {
    launch::kubeconfig(&dir(repository))
}

/// The state of the standing cluster.
pub fn status(repository: &Repository) -> Status {
    let dir = dir(repository);
    if state::supervisor_pid(&dir).is_none() {
        return Status::Down;
    }
    let ready = launch::kubectl(&dir, &dir.join("bin"))
        .args(["get", "--raw=/readyz", "--request-timeout=5s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if ready.is_ok_and(|status| status.success()) {
        Status::Ready
    } else {
        Status::Broken
    }
}

/// Starts the standing cluster unless it is ready already, and calls `report` at each step. It uses
/// [`Options::dir`] of its own.
pub fn up(repository: &Repository, options: &Options, report: &dyn Fn(&str)) -> Result<PathBuf> {
    if options.real_nodes > 0 {
        real::check()?;
    }
    let _lock = lock(repository, report)?;
    let dir = dir(repository);
    match status(repository) {
        Status::Ready => {
            check_kind(&nodes(repository), options)?;
            report("using the local cluster that is running (make cluster-down ends it)");
            return Ok(kubeconfig(repository));
        }
        Status::Broken => {
            report("the local cluster does not answer: starting it again");
            stop(&dir)?;
            real::end(&nodes(repository))?;
        }
        Status::Down => (),
    }
    let tool = Tool::find_or_build_for(repository, options)?;
    let mut launched = launch::launch(&dir, &tool, options, report)
        .with_context(|| format!("local cluster: its logs are in {}/logs", dir.display()))?;
    launched.supervisor.detach()?;
    give_to_caller(&launched.kubeconfig)?;
    Ok(launched.kubeconfig)
}

/// Fails if real nodes are requested and the running cluster has none.
fn check_kind(running: &[Node], options: &Options) -> Result<()> {
    if running.is_empty() && options.real_nodes > 0 {
        bail!(
            "the local cluster that runs has no real nodes: `make cluster-down` ends it, then try again"
        );
    }
    Ok(())
}

/// The real nodes of the standing cluster.
pub fn nodes(repository: &Repository) -> Vec<Node> {
    real::nodes_in(&dir(repository), &binary(repository))
}

/// Makes an image of files on this machine and loads it into all real nodes of the standing cluster,
/// as [`super::Cluster::load_image`] does.
pub fn load_image(
    repository: &Repository,
    name: &str,
    folder: &Path,
    config: &Value,
) -> Result<()> {
    real::load(
        &nodes(repository),
        &binary(repository),
        name,
        folder,
        config,
    )
}

/// Makes an image of a program of this machine and loads it into all real nodes of the standing
/// cluster, as [`super::Cluster::load_program`] does.
pub fn load_program(repository: &Repository, name: &str, program: &Path) -> Result<()> {
    real::load_program(&nodes(repository), &binary(repository), name, program)
}

fn binary(repository: &Repository) -> PathBuf {
    dir(repository).join("bin/localcluster")
}

/// Ends the standing cluster, if it runs, and removes its state. Returns whether it ran.
pub fn down(repository: &Repository, report: &dyn Fn(&str)) -> Result<bool> {
    let dir = dir(repository);
    if !dir.exists() {
        return Ok(false);
    }
    let _lock = lock(repository, report)?;
    let ran = stop(&dir)?;
    real::end(&nodes(repository))?;
    fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
    Ok(ran)
}

fn dir(repository: &Repository) -> PathBuf {
    // Canonical, as the supervisor's command line shows it, also when the folder does not exist.
    let local = repository.local();
    local.canonicalize().unwrap_or(local).join("run")
}

/// Ends the supervisor, and with it the cluster. Returns whether it ran.
fn stop(dir: &Path) -> Result<bool> {
    let Some(pid) = state::supervisor_pid(dir) else {
        return Ok(false);
    };
    for signal in [Signal::TERM, Signal::KILL] {
        // It may have ended meanwhile: only its state now counts.
        let _ = kill_process(pid, signal);
        if is_gone(dir, pid) {
            return Ok(true);
        }
    }
    bail!("process {pid:?}, the local cluster's supervisor, does not end: kill it by hand")
}

fn is_gone(dir: &Path, pid: Pid) -> bool {
    let deadline = Instant::now() + STOP_DEADLINE;
    while state::supervisor_pid(dir) == Some(pid) {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Under sudo, files that stay in the checkout or that other users need are given to the caller.
fn give_to_caller(path: &Path) -> Result<()> {
    let number = |name| env::var(name).ok()?.parse().ok();
    let (Some(user), Some(group)) = (number("SUDO_UID"), number("SUDO_GID")) else {
        return Ok(());
    };
    chown(path, Some(user), Some(group))
        .with_context(|| format!("cannot give {} to its user", path.display()))
}

/// Two commands at once would start two clusters in one folder.
fn lock(repository: &Repository, report: &dyn Fn(&str)) -> Result<File> {
    let local = repository.local();
    fs::create_dir_all(&local).with_context(|| format!("cannot create {}", local.display()))?;
    let path = local.join("run.lock");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    give_to_caller(&local)?;
    give_to_caller(&path)?;
    if file.try_lock().is_err() {
        report("another command starts or stops the local cluster: waiting for it");
        file.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}
