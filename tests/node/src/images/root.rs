//! What is in an image.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::command::printed;

/// The root folder of an image.
#[derive(Debug)]
pub(super) struct Root {
    folder: PathBuf,
}

impl Root {
    /// A program as this machine runs it: with its loader and its libraries, at their places.
    pub(super) fn of_program(program: &Path, folder: &Path) -> Result<Self> {
        let root = Self::empty(folder)?;
        for file in loaded_by(program)? {
            root.put(Path::new(&file), file.trim_start_matches('/'))?;
        }
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        root.put(program, &name)?;
        Ok(root)
    }

    /// The static busybox of this machine, with a link for each applet.
    pub(super) fn of_busybox(folder: &Path) -> Result<Self> {
        let busybox = Path::new("/usr/bin/busybox");
        let root = Self::empty(folder)?;
        root.put(busybox, "bin/busybox")?;
        for applet in printed(Command::new(busybox).arg("--list"))?.lines() {
            let link = folder.join("bin").join(applet);
            if !link.exists() {
                symlink("busybox", &link).with_context(|| link.display().to_string())?;
            }
        }
        // Programs that run as any user write here.
        let tmp = folder.join("tmp");
        fs::create_dir_all(&tmp)?;
        fs::set_permissions(&tmp, std::os::unix::fs::PermissionsExt::from_mode(0o1777))?;
        Ok(root)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn empty(folder: &Path) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// Copies a file to that place.
    fn put(&self, file: &Path, place: &str) -> Result<()> {
        let target = self.folder.join(place);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(file, &target)
            .map(|_| ())
            .with_context(|| format!("cannot copy {} to {}", file.display(), target.display()))
    }
}

/// The files that a dynamically linked program loads. A line of `ldd` is `name => file (address)`, or
/// `file (address)` of the loader.
fn loaded_by(program: &Path) -> Result<Vec<String>> {
    let listed = printed(Command::new("ldd").arg(program))?;
    let file = |line: &str| {
        let words = line.split_whitespace();
        words
            .into_iter()
            .find(|word| word.starts_with('/'))
            .map(str::to_owned)
    };
    Ok(listed.lines().filter_map(file).collect())
}
