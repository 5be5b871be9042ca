//! The build of another revision.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::progress::say;
use crate::site::printed;

/// A commit with its built operator.
#[derive(Clone, Debug)]
pub struct Revision {
    commit: String,
    /// The sources.
    pub source: PathBuf,
    /// The operator.
    pub binary: PathBuf,
}

impl Revision {
    /// Builds the revision in release mode, unless that was done before: sources and executable are
    /// kept by the id of the commit; all revisions share the compiler's files.
    pub fn build(revision: &str) -> Result<Self> {
        let asked = format!("{revision}^{{commit}}");
        let commit = git(&["rev-parse", "--verify", "--end-of-options", &asked]);
        let commit = commit.with_context(|| format!("BENCH_BASE={revision} is no commit"))?;
        let commit = commit.trim().to_owned();
        let base = env::current_dir()?.join("target").join("base");
        let built = Self {
            source: base.join(&commit).join("source"),
            binary: base.join(&commit).join("grove-operator"),
            commit,
        };
        if built.binary.is_file() {
            return Ok(built);
        }
        built.check_out()?;
        built.compile(&base.join("target"))?;
        Ok(built)
    }

    /// In git's short form, but always with the same length.
    pub fn short_name(&self) -> &str {
        self.commit.get(..7).unwrap_or(&self.commit)
    }

    fn check_out(&self) -> Result<()> {
        // git still lists worktrees whose folders are gone, for example after `cargo clean`.
        git(&["worktree", "prune"])?;
        if self.source.is_dir() {
            return Ok(());
        }
        let source = self.source.to_str().context("the path is no UTF-8")?;
        git(&["worktree", "add", "--detach", source, &self.commit])?;
        Ok(())
    }

    fn compile(&self, target: &Path) -> Result<()> {
        say(&format!("{} is compiled (once)", self.short_name()));
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        // The whole workspace determines features of dependencies, as for this revision.
        let status = Command::new(cargo)
            .args(["build", "--release", "--locked", "--workspace"])
            .args(["--bin", "grove-operator"])
            .current_dir(&self.source)
            .env("CARGO_TARGET_DIR", target)
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .status()
            .context("cannot run cargo")?;
        if !status.success() {
            bail!("{} does not compile ({status})", self.short_name());
        }
        // Only a complete executable gets the name.
        let partial = self.binary.with_extension("partial");
        fs::copy(target.join("release").join("grove-operator"), &partial)
            .and_then(|_| fs::rename(&partial, &self.binary))
            .with_context(|| self.binary.display().to_string())
    }
}

fn git(args: &[&str]) -> Result<String> {
    printed(Command::new("git").args(args))
}
