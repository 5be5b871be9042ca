//! Metrics of the log's lines.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::registry::Registry;

use super::page::Page;
use crate::logging::count_lost_lines;

pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(OfLog));
}

#[derive(Debug)]
struct OfLog;

impl Collector for OfLog {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let lost = u32::try_from(count_lost_lines()).unwrap_or(u32::MAX);
        let lost = f64::from(lost);
        Page(encoder).counter(
            "log_lines_lost",
            "Log lines lost because their reader was too slow or gone",
            lost,
        )
    }
}
