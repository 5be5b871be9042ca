//! Which processes belong to a folder, by what their command lines say.

use std::fs;
use std::path::Path;
use std::process::Command;

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

/// Waits until all of these processes have ended; panics after 30 seconds.
pub fn wait_for_end(numbers: &[u32]) {
    for number in numbers {
        let mut wait = Command::new("timeout");
        wait.args(["30", "tail", "-f", "/dev/null", "-s", "0.1"])
            .arg(format!("--pid={number}"));
        assert!(wait.status().unwrap().success(), "process {number} goes on");
    }
}
