//! The one binary that is every part of the control plane: found in a cache, or built into it.

mod build;
mod key;

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::repository::Repository;

/// The environment variable that names another folder for the built tools.
pub const CACHE_VARIABLE: &str = "GROVE_LOCALCLUSTER_CACHE";

const BINARY: &str = "localcluster";

/// The names under which the binary is linked into `bin`.
const LINKS: [&str; 7] = [
    "etcd",
    "helm",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
    "kwok",
];

/// The built tool.
#[derive(Clone, Debug)]
pub struct Tool {
    folder: PathBuf,
}

impl Tool {
    /// The tool of this checkout's `hack/localcluster`, built if the cache does not have it: about
    /// 12 minutes on 2 cores the first time, which progress lines on stderr say.
    ///
    /// The error says what to install, or where the log of the failed build is.
    pub fn find_or_build(repository: &Repository) -> Result<Self> {
        let source = repository.tool_source();
        let cache = match env::var_os(CACHE_VARIABLE) {
            Some(dir) => PathBuf::from(dir),
            None => repository.local().join("tool"),
        };
        let tool = Self {
            folder: cache.join(key::of(&source)?),
        };
        if !tool.is_built() {
            create_dir(&cache)?;
            let _lock = lock(&cache)?;
            // Another process may have built it while this one waited for the lock.
            if !tool.is_built() {
                tool.build(&source)?;
            }
        }
        Ok(tool)
    }

    /// The folder with `kubectl`, `helm` and the parts of the control plane.
    pub fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    pub(super) fn binary(&self) -> PathBuf {
        self.folder.join(BINARY)
    }

    fn is_built(&self) -> bool {
        self.folder.is_dir()
    }

    /// Builds beside the final folder and renames: what has the final name is complete.
    fn build(&self, source: &Path) -> Result<()> {
        let unfinished = self.folder.with_extension("unfinished");
        let log = self.folder.with_extension("log");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).with_context(|| unfinished.display().to_string())?;
        }
        let bin = unfinished.join("bin");
        create_dir(&bin)?;
        build::go_build(source, &unfinished.join(BINARY), &log)?;
        for name in LINKS {
            symlink(Path::new("..").join(BINARY), bin.join(name))
                .with_context(|| format!("cannot link {name} in {}", bin.display()))?;
        }
        fs::rename(&unfinished, &self.folder)
            .with_context(|| format!("cannot rename to {}", self.folder.display()))
    }
}

fn create_dir(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).with_context(|| {
        format!(
            "cannot create {}; {CACHE_VARIABLE} names another folder",
            dir.display()
        )
    })
}

/// Waits for other builders; the lock is released when the file is dropped.
fn lock(cache: &Path) -> Result<File> {
    let path = cache.join("lock");
    let file = File::create(&path).with_context(|| path.display().to_string())?;
    if file.try_lock().is_err() {
        say("another process builds the local cluster's tool: waiting for it");
        file.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}

/// Writes past the output capture of tests, so that a build of 12 minutes shows its progress.
fn say(line: &str) {
    // If stderr is closed the line is lost, which does no harm.
    let _ = writeln!(io::stderr(), "{line}");
}
