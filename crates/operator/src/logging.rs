//! Logs go to standard error, one line each.
//!
//! The operator never waits for the reader of its log: a thread of its own writes, and lines that
//! it cannot take are counted and lost. A pipe without a reader or a full disk costs lines, not the
//! operator.

use std::io::IsTerminal;
use std::sync::OnceLock;

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{LogFormat, LogLevel};

/// Lines that wait to be written; they are some hundred bytes long.
const MAX_WAITING_LINES: usize = 8192;

static LOST: OnceLock<ErrorCounter> = OnceLock::new();

/// How many lines were lost.
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
            // The waiting lines have no reader: a wait until they are written would take long.
            std::mem::forget(guard);
        }
    }
}

/// Starts logging. `RUST_LOG` wins over the configured level.
pub fn start_logging(level: LogLevel, format: LogFormat) -> Logging {
    // The caller of a request logs its failure, and for which object; kube's client logs it again,
    // as an error, even if it is retried. Its watches warn of each error, of which the operator logs one
    // line of its own.
    let default = match level {
        LogLevel::Debug => "debug,hyper=info,hyper_util=info,rustls=info,tower=info",
        LogLevel::Info => "info,kube_runtime=error,kube_client::client::builder=off",
        LogLevel::Warn => "warn,kube_runtime=error,kube_client::client::builder=off",
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
        // The library would report the error by a macro that panics if nothing can be written.
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
