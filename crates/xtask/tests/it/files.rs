//! The files of a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// The files below this folder of the workspace that have one of these extensions.
pub fn find_files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|ext| ext.to_str());
        if path.is_dir() {
            found.extend(find_files(&path, extensions));
        } else if extension.is_some_and(|ext| extensions.contains(&ext)) {
            found.push(path);
        }
    }
    found
}
