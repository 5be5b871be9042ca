//! The downwardAPI volume of the pod: two annotations, each in a file.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::PathBuf;

/// File that shows annotation `grove.io/start`.
const START: &str = "start";
/// File that shows annotation `grove.io/starts-after`.
const STARTS_AFTER: &str = "starts-after";
/// Content of `start` once the pod may start; a number above 0, the count of start signals, means
/// the same.
const NOW: &str = "now";

/// The volume.
pub struct Volume {
    directory: PathBuf,
}

/// The content of the volume. An annotation that the pod does not have is an empty file.
#[derive(PartialEq, Eq)]
pub struct VolumeContent {
    /// Annotation `grove.io/start`.
    pub start: String,
    /// Annotation `grove.io/starts-after`.
    pub starts_after: String,
}

impl VolumeContent {
    /// Whether the pod may start.
    pub fn may_start(&self) -> bool {
        let is_signal = |count: u32| count > 0;
        self.start == NOW || self.start.parse().is_ok_and(is_signal)
    }
}

/// Why the volume cannot be read.
pub enum Problem {
    /// There is no such folder.
    Missing(PathBuf),
    /// A file cannot be read.
    Unreadable(PathBuf, Error),
}

impl Problem {
    /// Path, problem, and remedy.
    pub fn text(&self) -> String {
        match self {
            Self::Missing(path) => format!(
                "{}: there is no such folder: grove-operator gives the pod a downwardAPI volume \
                 that is mounted here; check that no webhook removes volume \"grove-start-order\" or \
                 its mount from the pod, or name another folder with --volume",
                path.display()
            ),
            Self::Unreadable(path, error) => format!(
                "{}: {error}: it has to be readable by the user that this container runs as; check \
                 that no webhook changes the mode of volume \"grove-start-order\"",
                path.display()
            ),
        }
    }
}

impl Volume {
    /// The volume that is mounted there.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Reads the current content.
    pub fn read(&self) -> Result<VolumeContent, Problem> {
        if !self.directory.is_dir() {
            return Err(Problem::Missing(self.directory.clone()));
        }
        Ok(VolumeContent {
            start: self.file(START)?,
            starts_after: self.file(STARTS_AFTER)?,
        })
    }

    /// A missing file counts as empty: between two steps of the kubelet a link may lead into a
    /// folder that was just removed.
    fn file(&self, name: &str) -> Result<String, Problem> {
        let path = self.directory.join(name);
        match fs::read(&path) {
            Ok(content) => Ok(String::from_utf8_lossy(&content).trim().to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(Problem::Unreadable(path, error)),
        }
    }
}
