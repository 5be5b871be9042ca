//! What became of the lines of the log.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::registry::Registry;

use crate::logging::count_lost_lines;

const HELP: &str = "Lines of the log that nobody took";

pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(OfLog));
}

#[derive(Debug)]
struct OfLog;

impl Collector for OfLog {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let lost = ConstCounter::new(count_lost_lines());
        let sort = lost.metric_type();
        lost.encode(encoder.encode_descriptor("log_lines_lost", HELP, None, sort)?)
    }
}
