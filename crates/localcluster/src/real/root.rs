//! The file system of an image that is built from a program of this machine.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use super::preflight::find_program;

/// A folder that becomes the root of an image, and is removed with this value.
#[derive(Debug)]
pub struct Root(TempDir);

impl Root {
    /// The files of a program of this machine: the program at `/NAME`, its loader and its libraries
    /// at their places.
    pub(super) fn of_program(program: &Path) -> Result<Self> {
        let root = Self::empty()?;
        let name = program.file_name().unwrap_or_default();
        root.put(program, Path::new(name))?;
        root.put_libraries(program)?;
        Ok(root)
    }

    /// The busybox of this machine, with a link for each of its programs in `/bin`.
    pub(super) fn of_busybox() -> Result<Self> {
        let busybox = find_program("busybox").context("busybox is gone")?;
        let root = Self::empty()?;
        root.put(&busybox, Path::new("bin/busybox"))?;
        root.put_libraries(&busybox)?;
        for applet in printed(Command::new(&busybox).arg("--list"))?.lines() {
            let link = root.folder().join("bin").join(applet);
            if !link.exists() {
                symlink("busybox", &link).with_context(|| link.display().to_string())?;
            }
        }
        // Programs that run as any user write here.
        let tmp = root.folder().join("tmp");
        fs::create_dir(&tmp)?;
        fs::set_permissions(&tmp, fs::Permissions::from_mode(0o1777))?;
        Ok(root)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// An empty folder.
    pub fn empty() -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        Ok(Self(folder))
    }

    /// Copies the loader and the libraries of a program, or of a library, to their own places.
    ///
    /// A line of `ldd` is `name => file (address)`, or `file (address)` of the loader. It fails for
    /// a program that loads nothing.
    pub fn put_libraries(&self, program: &Path) -> Result<()> {
        let listed = Command::new("ldd").arg(program).output();
        let listed = listed.context("cannot run ldd")?;
        if !listed.status.success() {
            return Ok(());
        }
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let file = |line: &str| {
            let mut words = line.split_whitespace();
            words.find(|word| word.starts_with('/')).map(str::to_owned)
        };
        for file in listed.lines().filter_map(file) {
            self.put(Path::new(&file), Path::new(&file))?;
        }
        Ok(())
    }

    /// Copies a file to that place below the root; a path of the image may begin with a slash.
    pub fn put(&self, file: &Path, place: &Path) -> Result<()> {
        let target = self.folder().join(place.strip_prefix("/").unwrap_or(place));
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(file, &target)
            .map(|_| ())
            .with_context(|| format!("cannot copy {} to {}", file.display(), target.display()))
    }
}

fn printed(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed ({})", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
