//! A generated file, and where it belongs.

use std::path::{Path, PathBuf};

/// A file that is written by program.
#[derive(Debug)]
pub struct Output {
    /// Where, relative to the root of the workspace.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}

/// The root of this workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
