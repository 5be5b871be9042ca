//! Under which conditions figures were measured.

use std::fs;
use std::thread;

use crate::site::{NODES, Site};

/// The machine before the run.
#[derive(Clone, Debug)]
pub struct Before {
    load: String,
}

/// Reads how busy the machine is.
pub fn before() -> Before {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Before {
        load: load.split(' ').next().unwrap_or_default().to_owned(),
    }
}

impl Before {
    /// One condition a line.
    pub fn with(&self, site: &Site, rounds: u32) -> Vec<String> {
        let cores = thread::available_parallelism().map_or(0, usize::from);
        let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into());
        let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let build = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        vec![
            format!(
                "{cores} cores ({cpu}), {memory} of memory, Linux {}",
                kernel.trim()
            ),
            format!("Kubernetes {}, {NODES} KWOK nodes", site.version),
            format!("{build} build; load average before the run: {}", self.load),
            format!("operator and limit driver: mean (least-largest) of {rounds} runs"),
        ]
    }
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}
