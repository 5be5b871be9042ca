//! Metrics with values that are counted elsewhere.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
#[cfg(target_os = "linux")]
use prometheus_client::metrics::gauge::ConstGauge;

/// The text of the metrics.
pub(super) struct Page<'a>(pub(super) DescriptorEncoder<'a>);

impl Page<'_> {
    /// Writes a counter.
    pub(super) fn counter(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        self.write(name, help, &ConstCounter::new(value))
    }

    /// Writes a gauge.
    #[cfg(target_os = "linux")]
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        self.write(name, help, &ConstGauge::new(value))
    }

    fn write(&mut self, name: &str, help: &str, metric: &impl EncodeMetric) -> fmt::Result {
        let sort = metric.metric_type();
        metric.encode(self.0.encode_descriptor(name, help, None, sort)?)
    }
}
