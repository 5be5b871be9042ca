//! Paths in the checkout.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// A checkout of the repository: the folder with `hack/localcluster` in it.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The checkout around the package that cargo runs, otherwise around the working directory.
    pub fn find() -> Result<Self> {
        let cwd = env::current_dir()?;
        let start = env::var_os("CARGO_MANIFEST_DIR").map_or(cwd, PathBuf::from);
        match start
            .ancestors()
            .find(|dir| source(dir, "localcluster").join("go.mod").is_file())
        {
            Some(root) => Ok(Self {
                root: root.to_owned(),
            }),
            None => bail!(
                "no folder above {} contains hack/localcluster/go.mod: run this inside a checkout",
                start.display()
            ),
        }
    }

    /// A Go module that a tool is built from.
    pub(super) fn source_of(&self, module: &str) -> PathBuf {
        source(&self.root, module)
    }

    /// The git-ignored folder of everything that the launcher writes.
    pub(super) fn local(&self) -> PathBuf {
        self.root.join(".localcluster")
    }
}

fn source(root: &Path, module: &str) -> PathBuf {
    root.join("hack").join(module)
}
