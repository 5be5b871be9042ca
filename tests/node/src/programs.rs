//! The programs of this checkout for images and users.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

/// The folder with the programs that `make test` has built: `target/<profile>`.
///
/// The error is a line with the command that builds them.
pub fn folder() -> Result<PathBuf> {
    let this = env::current_exe().context("cannot find this program's own file")?;
    // target/<profile>/deps/node-<hash>
    let profile = this.ancestors().nth(2).unwrap_or(Path::new("."));
    for program in ["grove-operator", "grove-initc", "kubectl-grove"] {
        let file = profile.join(program);
        ensure!(
            file.is_file(),
            "{} does not exist: cargo test --workspace --no-run builds it",
            file.display()
        );
    }
    Ok(profile.to_owned())
}

/// The root of the checkout.
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap_or_default()
}
