//! Logs go to standard error, one line each.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{LogFormat, LogLevel};

/// Starts logging. `RUST_LOG` wins over the configured level.
pub fn start_logging(level: LogLevel, format: LogFormat) {
    // Whoever sends a request says that it failed, and of which object; kube's client says it again,
    // as an error, whatever is tried anew.
    let default = match level {
        LogLevel::Debug => "debug,hyper=info,hyper_util=info,rustls=info,tower=info",
        LogLevel::Info => "info,kube_runtime=warn,kube_client::client::builder=off",
        LogLevel::Warn => "warn,kube_client::client::builder=off",
        LogLevel::Error => "error,kube_client::client::builder=off",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::NONE)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Json => builder
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .init(),
        LogFormat::Text => builder.with_target(false).init(),
    }
}
