//! A node whose link is cut for more than a minute: its processes run on, unreachable.

use super::hung_kubelet::{ENDS_WELL, SERVER, TWO_OF_A_RANK, WAITS};
use super::loss::{self, LOST, Loss, Met, until_node_is};
use crate::row::Row;

/// The rows of this loss; those of a hanging kubelet are similar, and faster.
pub fn rows() -> Vec<Row> {
    let rows = loss::rows(Loss {
        theme: "cut_link",
        lose: |site| {
            site.cluster.cut_link(LOST).unwrap();
            until_node_is(site, LOST, "Unknown");
        },
        restore: |site| {
            site.cluster.mend_link(LOST).unwrap();
            until_node_is(site, LOST, "True");
        },
        met_by: vec![WAITS, ENDS_WELL, NAMES, SERVER],
    });
    rows.into_iter().map(Row::of_soak).collect()
}

/// R1: while the link is cut the old rank cannot reach the new leader. After that it can, until its
/// kubelet has seen the deletion: the attempt distinguishes its messages.
const NAMES: Met = Met {
    name: "two_of_a_rank",
    lost: |ns| super::hung_kubelet::until_restarted_elsewhere(ns),
    ..TWO_OF_A_RANK
};
