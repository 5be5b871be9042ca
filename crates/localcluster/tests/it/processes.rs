//! Which processes belong to a folder, by what their command lines say.

use std::fs;
use std::path::Path;

/// What [`mentioning`] finds if all have ended.
pub const NONE: [u32; 0] = [];

/// The numbers of all processes whose command line contains the path. A zombie has none: it has
/// ended, whether or not its parent has asked.
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
