//! The kernel's counts of this process, under the names that all programs use.

use std::fmt;

use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, boot_time_secs, page_size, ticks_per_second};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::registry::Registry;

use super::page::Page;

pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(OfProcess));
}

/// Reads the kernel's counts on each request for the metrics.
#[derive(Debug)]
struct OfProcess;

impl Collector for OfProcess {
    /// Nothing if there is no `/proc`.
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Ok(usage) = ProcessUsage::now() else {
            return Ok(());
        };
        let mut page = Page(encoder);
        usage.write_processor(&mut page)?;
        usage.write_memory(&mut page)?;
        usage.write_files(&mut page)
    }
}

/// The process as it is now.
struct ProcessUsage {
    cpu_seconds: f64,
    start_time_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    open_fds: u64,
    /// `None`: no limit.
    max_fds: Option<u64>,
    threads: u64,
}

impl ProcessUsage {
    fn now() -> ProcResult<Self> {
        let process = Process::myself()?;
        let stat = process.stat()?;
        let seconds = |ticks: u64| as_f64(ticks) / as_f64(ticks_per_second());
        let max_fds = match process.limits()?.max_open_files.soft_limit {
            LimitValue::Value(limit) => Some(limit),
            LimitValue::Unlimited => None,
        };
        Ok(Self {
            cpu_seconds: seconds(stat.utime + stat.stime),
            start_time_seconds: as_f64(boot_time_secs()?) + seconds(stat.starttime),
            resident_bytes: stat.rss * page_size(),
            virtual_bytes: stat.vsize,
            open_fds: process.fd_count()?.try_into().unwrap_or(u64::MAX),
            max_fds,
            threads: stat.num_threads.try_into().unwrap_or(0),
        })
    }

    fn write_processor(&self, page: &mut Page<'_>) -> fmt::Result {
        page.counter(
            "process_cpu_seconds",
            "Processor time, user and system",
            self.cpu_seconds,
        )?;
        page.gauge(
            "process_start_time_seconds",
            "When the process started, in seconds since 1970",
            self.start_time_seconds,
        )?;
        page.gauge(
            "process_threads",
            "Threads of the operating system",
            as_f64(self.threads),
        )
    }

    fn write_memory(&self, page: &mut Page<'_>) -> fmt::Result {
        page.gauge(
            "process_resident_memory_bytes",
            "Resident memory",
            as_f64(self.resident_bytes),
        )?;
        page.gauge(
            "process_virtual_memory_bytes",
            "Virtual memory",
            as_f64(self.virtual_bytes),
        )
    }

    fn write_files(&self, page: &mut Page<'_>) -> fmt::Result {
        page.gauge(
            "process_open_fds",
            "Open file descriptors",
            as_f64(self.open_fds),
        )?;
        let Some(limit) = self.max_fds else {
            return Ok(());
        };
        page.gauge(
            "process_max_fds",
            "Limit of open file descriptors",
            as_f64(limit),
        )
    }
}

/// Exact up to 2^53.
#[allow(clippy::cast_precision_loss, reason = "a metric is a float")]
fn as_f64(value: u64) -> f64 {
    value as f64
}
