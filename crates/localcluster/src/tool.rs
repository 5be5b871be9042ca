//! Tools that are built from Go modules of this repository: found in a cache, or built into it.
//!
//! One is the control plane with the parts of real nodes, kubectl and helm, a binary each. Others
//! are promtool, which tests the alerts, actionlint, which checks the workflows, and the name server
//! of real nodes. They are in modules of their own, so that a change of one does not build the others
//! again.

mod build;
mod key;
mod recipe;

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::repository::Repository;
use super::{Options, real};
use recipe::{ACTIONLINT, DNS, LOCALCLUSTER, PROMTOOL, Recipe};

/// The environment variable that names another folder for the built tools.
pub const CACHE_VARIABLE: &str = "GROVE_LOCALCLUSTER_CACHE";

/// The built tool of the local cluster.
#[derive(Clone, Debug)]
pub struct Tool {
    folder: PathBuf,
    name_server: Option<PathBuf>,
}

impl Tool {
    /// The tool of this checkout's `hack/localcluster`, built if the cache does not have it: about
    /// 12 minutes on 2 cores the first time; progress lines on stderr report that.
    ///
    /// The error names the program to install, or the log of the failed build.
    pub fn find_or_build(repository: &Repository) -> Result<Self> {
        let folder = find_or_build(repository, &LOCALCLUSTER)?;
        Ok(Self {
            folder,
            name_server: None,
        })
    }

    /// As [`Self::find_or_build`], and the name server of a cluster with real nodes, from
    /// `hack/dns`: a minute or two the first time.
    pub fn find_or_build_for_real_nodes(repository: &Repository) -> Result<Self> {
        let name_server = find_or_build(repository, &DNS)?.join(DNS.module);
        Ok(Self {
            name_server: Some(name_server),
            ..Self::find_or_build(repository)?
        })
    }

    pub(super) fn find_or_build_for(repository: &Repository, options: &Options) -> Result<Self> {
        if options.real_nodes == 0 {
            return Self::find_or_build(repository);
        }
        real::check()?;
        Self::find_or_build_for_real_nodes(repository)
    }

    /// The folder with `kubectl`, `helm` and the parts of the control plane.
    pub fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    pub(super) fn binary(&self) -> PathBuf {
        self.folder.join(LOCALCLUSTER.module)
    }

    /// The program of the image of a pod's first process.
    pub(super) fn pause(&self) -> PathBuf {
        self.folder.join("pause")
    }

    pub(super) fn name_server(&self) -> Result<&Path> {
        let built = self.name_server.as_deref();
        built.context("the name server is built for real nodes only")
    }
}

/// Prometheus' `promtool` of this checkout's `hack/promtool`, found or built as [`Tool`] is.
pub fn find_or_build_promtool(repository: &Repository) -> Result<PathBuf> {
    let folder = find_or_build(repository, &PROMTOOL)?;
    Ok(folder.join(PROMTOOL.module))
}

/// `actionlint` of this checkout's `hack/actionlint`, found or built as [`Tool`] is.
pub fn find_or_build_actionlint(repository: &Repository) -> Result<PathBuf> {
    let folder = find_or_build(repository, &ACTIONLINT)?;
    Ok(folder.join(ACTIONLINT.module))
}

/// The folder of the built tool.
fn find_or_build(repository: &Repository, recipe: &Recipe) -> Result<PathBuf> {
    let source = repository.source_of(recipe.module);
    let cache = match env::var_os(CACHE_VARIABLE) {
        Some(dir) => PathBuf::from(dir),
        None => repository.local().join("tool"),
    };
    let folder = cache.join(key::of(&source, recipe.settings)?);
    if !folder.is_dir() {
        create_dir(&cache)?;
        let _lock = lock(&cache)?;
        // Another process may have built it while this one waited for the lock.
        if !folder.is_dir() {
            build(recipe, &source, &folder)?;
        }
    }
    Ok(folder)
}

/// Builds beside the final folder and renames: a folder with the final name is complete.
fn build(recipe: &Recipe, source: &Path, folder: &Path) -> Result<()> {
    let unfinished = folder.with_extension("unfinished");
    let log = folder.with_extension("log");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).with_context(|| unfinished.display().to_string())?;
    }
    let bin = unfinished.join("bin");
    create_dir(&bin)?;
    build::go_build(recipe, source, &unfinished, &log)?;
    for (name, binary) in recipe.links {
        symlink(Path::new("..").join(binary), bin.join(name))
            .with_context(|| format!("cannot link {name} in {}", bin.display()))?;
    }
    fs::rename(&unfinished, folder)
        .with_context(|| format!("cannot rename to {}", folder.display()))
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
        say("another process builds a tool: waiting for it");
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
