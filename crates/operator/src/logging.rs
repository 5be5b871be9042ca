//! Logs go to standard error, one line each.
//!
//! Nobody waits for whoever reads them: a thread of its own writes, and lines that it cannot take are
//! counted and lost. A pipe that nobody drains or a disk that is full costs lines, not the operator.

use std::io::IsTerminal;
use std::sync::OnceLock;

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{LogFormat, LogLevel};

/// Lines that wait to be written; they are some hundred bytes long.
const MAX_WAITING_LINES: usize = 8192;

static LOST: OnceLock<ErrorCounter> = OnceLock::new();

/// How many lines nobody took.
pub fn count_lost_lines() -> u64 {
    let lost = LOST.get().map_or(0, ErrorCounter::dropped_lines);
    u64::try_from(lost).unwrap_or(u64::MAX)
}

/// Logging until this is dropped.
pub struct Logging(Option<WorkerGuard>);

impl Drop for Logging {
    fn drop(&mut self) {
        let guard = self.0.take();
        if count_lost_lines() > 0 {
            // Nobody takes what waits to be written: who waits for that would wait for long.
            std::mem::forget(guard);
        }
    }
}

/// Starts logging. `RUST_LOG` wins over the configured level.
pub fn start_logging(level: LogLevel, format: LogFormat) -> Logging {
    // Whoever sends a request says that it failed, and of which object; kube's client says it again,
    // as an error, whatever is tried anew.
    let default = match level {
        LogLevel::Debug => "debug,hyper=info,hyper_util=info,rustls=info,tower=info",
        LogLevel::Info => "info,kube_runtime=warn,kube_client::client::builder=off",
        LogLevel::Warn => "warn,kube_client::client::builder=off",
        LogLevel::Error => "error,kube_client::client::builder=off",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(MAX_WAITING_LINES)
        .thread_name("log")
        .finish(std::io::stderr());
    let _ = LOST.set(writer.error_counter());
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::NONE)
        .with_ansi(std::io::stderr().is_terminal())
        // It would say so by a macro that panics where nothing can be written.
        .log_internal_errors(false)
        .with_writer(writer);
    match format {
        LogFormat::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .init(),
        LogFormat::Text => builder.with_target(false).init(),
    }
    Logging(Some(guard))
}
