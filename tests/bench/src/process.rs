//! The kernel's figures about a process.

use std::collections::HashMap;
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

/// The peak of the process's resident memory, in MB of 1,000,000 bytes.
pub fn peak_rss_megabytes(pid: u32) -> Result<f64> {
    megabytes(pid, "VmHWM:")
}

/// The process's resident memory.
pub fn rss_megabytes(pid: u32) -> Result<f64> {
    megabytes(pid, "VmRSS:")
}

/// Resets the peak to the present resident memory.
pub fn forget_peak_rss(pid: u32) -> Result<()> {
    let path = format!("/proc/{pid}/clear_refs");
    fs::write(&path, "5").with_context(|| path)
}

fn megabytes(pid: u32, field: &str) -> Result<f64> {
    let status = read(pid, "status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|l| l.trim().strip_suffix(" kB")?.parse::<u32>().ok());
    let kib = kib.with_context(|| format!("/proc/PID/status has no {field}"))?;
    Ok(f64::from(kib) * 1024.0 / 1_000_000.0)
}

/// The running children of this process, by the name of their command.
pub fn children(of: u32) -> Result<HashMap<String, u32>> {
    let processes = fs::read_dir("/proc").context("/proc")?;
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    // Some end meanwhile.
    let is_child = |pid: &u32| read(*pid, "stat").is_ok_and(|stat| parent(&stat) == Some(of));
    let named = pids.filter(is_child).filter_map(|pid| {
        let command = read(pid, "cmdline").ok()?;
        Some((command.split('\0').next()?.to_owned(), pid))
    });
    Ok(named.collect())
}

/// The field after the state.
fn parent(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(1)?.parse().ok()
}

fn read(pid: u32, file: &str) -> Result<String> {
    let path = format!("/proc/{pid}/{file}");
    fs::read_to_string(&path).with_context(|| format!("{path}: did the process end?"))
}

#[cfg(test)]
mod tests {
    use std::process::{self, Command};

    #[test]
    fn children_are_found_by_name() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        // Until it is `sleep`, it is a copy of this process.
        let found = (0..500).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            super::children(process::id()).unwrap().remove("sleep")
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, Some(child.id()));
    }

    #[test]
    fn the_parent_is_found_behind_a_name_with_blanks_and_brackets() {
        assert_eq!(super::parent("7 (a ) b) S 42 7 7"), Some(42));
    }
}
