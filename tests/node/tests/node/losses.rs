//! Nodes that are lost, and return: one loss, and many workloads that meet it together.

mod cut_link;
mod drain;
mod hung_kubelet;
mod hung_runtime;
mod loss;
mod power_cut;
mod reboot;

use super::row::Row;

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    [
        hung_kubelet::rows(),
        reboot::rows(),
        hung_runtime::rows(),
        drain::rows(),
        cut_link::rows(),
        power_cut::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
