//! Files that a person can read in one go.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::output;

/// Lines of a file of code, tests included.
const MOST: usize = 400;

fn find_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_is_longer_than_400_lines() {
    let mut sources = Vec::new();
    for folder in ["crates", "tests"] {
        find_sources(&output::root().join(folder), &mut sources);
    }
    assert!(sources.len() > 1000, "{}", sources.len());
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> = sources.iter().filter(|path| lines(path) > MOST).collect();
    assert!(long.is_empty(), "split them: {long:?}");
}
