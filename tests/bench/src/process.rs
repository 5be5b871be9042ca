//! What the kernel says about a process.

use std::fs;

use anyhow::{Context as _, Result};

/// CPU seconds, user and system, of the process so far.
pub fn cpu_seconds(pid: u32) -> Result<f64> {
    let stat = read(pid, "stat")?;
    // The name, in brackets, may hold blanks; utime and stime are fields 14 and 15.
    let ticks = stat.rsplit_once(") ").and_then(|(_, fields)| {
        let mut fields = fields.split(' ').skip(11);
        let user: u32 = fields.next()?.parse().ok()?;
        let system: u32 = fields.next()?.parse().ok()?;
        user.checked_add(system)
    });
    let per_second = u32::try_from(rustix::param::clock_ticks_per_second())?;
    let ticks = ticks.context("/proc/PID/stat is not as it was")?;
    Ok(f64::from(ticks) / f64::from(per_second))
}

/// The most memory that the process ever had resident, in MB of 1,000,000 bytes.
pub fn peak_rss_megabytes(pid: u32) -> Result<f64> {
    let status = read(pid, "status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().strip_suffix(" kB")?.parse::<u32>().ok());
    let kib = kib.context("/proc/PID/status has no VmHWM")?;
    Ok(f64::from(kib) * 1024.0 / 1_000_000.0)
}

fn read(pid: u32, file: &str) -> Result<String> {
    let path = format!("/proc/{pid}/{file}");
    fs::read_to_string(&path).with_context(|| format!("{path}: did the operator end?"))
}
