//! Conditions of a measurement.

use std::fs;
use std::thread;

use crate::site::NODES;

/// The machine before the run.
#[derive(Clone, Debug)]
pub struct Before {
    load: String,
}

/// Reads the load of the machine.
pub fn before() -> Before {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Before {
        load: load.split(' ').next().unwrap_or_default().to_owned(),
    }
}

impl Before {
    /// In one line.
    pub fn with(&self, version: &str, rounds: u32) -> String {
        let cores = thread::available_parallelism().map_or(0, usize::from);
        let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into());
        let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let build = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        format!(
            "mean (least-largest) of {rounds} rounds; {cores} cores ({cpu}), {memory} of memory, \
             Linux {}; Kubernetes {version}, {NODES} KWOK nodes; {build} build; load average before the run {}",
            kernel.trim(),
            self.load
        )
    }
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}
