//! The processes of a folder, found by their command lines.

use std::fs;
use std::path::Path;

/// The result of [`mentioning`] if all have ended.
pub const NONE: [u32; 0] = [];

/// The numbers of all processes with the path in their command line. A zombie has no command line:
/// it has ended, even if its parent has not read that.
pub fn mentioning(path: &Path) -> Vec<u32> {
    let path = path.to_str().unwrap();
    let numbers = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name();
        name.to_str().unwrap().parse().ok()
    });
    let command = |number: &u32| fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
    numbers
        .filter(|number| String::from_utf8_lossy(&command(number)).contains(path))
        .collect()
}
