//! Metrics of the program and its process.

use engine::metrics::Metrics;
use prometheus_client::metrics::info::Info;

mod log;
mod page;
#[cfg(target_os = "linux")]
mod process;

/// Registers these metrics.
pub fn register(metrics: &mut Metrics) {
    let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    metrics
        .registry()
        .register("build", "The version of this operator; always 1", build);
    log::register(metrics.registry());
    #[cfg(target_os = "linux")]
    process::register(metrics.usual_registry());
}
