//! The name of a built tool in the cache: it changes exactly when a build would differ.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// FNV-1a, for it is the same with every compiler and needs no crate. Collisions do not matter:
/// the cache holds the few versions that one developer has built.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The key of the Go module in this folder, computed from its files' names and contents and the
/// settings.
pub(super) fn of(source: &Path, settings: &str) -> Result<String> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.add(settings.as_bytes());
    for path in files(source).with_context(|| format!("cannot list {}", source.display()))? {
        let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if let Some(name) = path.file_name() {
            hash.add(name.as_encoded_bytes());
        }
        hash.add(&content.len().to_le_bytes());
        hash.add(&content);
    }
    Ok(format!("{:016x}", hash.0))
}

/// The files that a build reads, those in folders below as well, in a stable order.
fn files(source: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(source)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else if path
            .extension()
            .is_some_and(|end| ["go", "mod", "sum"].iter().any(|e| end == *e))
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
