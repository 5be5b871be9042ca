//! Files that a person can read in one go.

use std::fs;
use std::path::PathBuf;

use xtask::output;

use super::files::find_files;

/// Lines of a file of code, tests included.
const MOST: usize = 400;

#[test]
fn no_file_is_longer_than_400_lines() {
    let sources: Vec<PathBuf> = ["crates", "tests"]
        .iter()
        .flat_map(|folder| find_files(&output::root().join(folder), &["rs"]))
        .collect();
    assert!(sources.len() > 1000, "{}", sources.len());
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> = sources.iter().filter(|path| lines(path) > MOST).collect();
    assert!(long.is_empty(), "split them: {long:?}");
}
