//! A downwardAPI volume, written as the kubelet writes it: the files are links into folder
//! `..data`, itself a link to a folder of its own for each version, which is swapped by a rename.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub struct Volume {
    folder: TempDir,
    versions: u32,
}

impl Volume {
    /// The volume of a new pod: without a start signal.
    pub fn new(starts_after: &str) -> Self {
        let mut volume = Self {
            folder: tempfile::tempdir().unwrap(),
            versions: 0,
        };
        volume.show("", starts_after);
        for file in ["start", "starts-after"] {
            symlink(Path::new("..data").join(file), volume.path().join(file)).unwrap();
        }
        volume
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The annotations changed.
    pub fn show(&mut self, start: &str, starts_after: &str) {
        let old = self.version();
        self.versions += 1;
        let new = self.version();
        fs::create_dir(&new).unwrap();
        fs::write(new.join("start"), start).unwrap();
        fs::write(new.join("starts-after"), starts_after).unwrap();
        let link = self.path().join("..data_tmp");
        symlink(new.file_name().unwrap(), &link).unwrap();
        fs::rename(&link, self.path().join("..data")).unwrap();
        if self.versions > 1 {
            fs::remove_dir_all(old).unwrap();
        }
    }

    fn version(&self) -> PathBuf {
        self.path()
            .join(format!("..2026_11_22_10_00_00.{}", self.versions))
    }
}
