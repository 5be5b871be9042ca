//! The binaries under test.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context as _, Result, bail};

use super::super::control_plane::CHECKOUT;

/// Names a built operator to test instead of the one of this checkout; kubectl-grove is taken from
/// the same folder.
const VARIABLE: &str = "GROVE_E2E_OPERATOR";

/// The variables that cargo sets for a test of its package; a build must not inherit them, or build
/// scripts that read such variables run again each time.
const OF_THIS_PACKAGE: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

static BUILT: LazyLock<Result<PathBuf>> = LazyLock::new(|| match env::var_os(VARIABLE) {
    Some(given) => Ok(given.into()),
    None => build(),
});

/// The operator of this checkout, built on first use.
pub fn binary() -> &'static Path {
    match &*BUILT {
        Ok(binary) => binary,
        Err(error) => panic!("{error:#}"),
    }
}

/// kubectl-grove, built together with it.
pub fn plugin() -> PathBuf {
    binary().with_file_name("kubectl-grove")
}

fn build() -> Result<PathBuf> {
    // target/<profile>/deps/it-<hash>
    let test = env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (key, _) in env::vars_os() {
        let is_ours = |prefix: &&str| key.to_string_lossy().starts_with(*prefix);
        if OF_THIS_PACKAGE.iter().any(is_ours) {
            cargo.env_remove(key);
        }
    }
    cargo
        .current_dir(&*CHECKOUT)
        .args(["build", "--quiet", "--workspace"]);
    cargo.args(["--bin=grove-operator", "--bin=kubectl-grove"]);
    cargo.arg("--target-dir").arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    // The output of cargo goes to stderr.
    if !cargo.status().context("cannot run cargo")?.success() {
        bail!("the binaries cannot be built; cargo says why, above");
    }
    Ok(profile.join("grove-operator"))
}
