//! A machine that is gone for minutes, and returns.

use super::hung_kubelet::{PINNED, SERVER, TWO_OF_A_RANK, until_restarted_elsewhere};
use super::loss::{self, LOST, Loss, Met, until_node_is};
use crate::row::Row;

/// The rows of this loss.
pub fn rows() -> Vec<Row> {
    let rows = loss::rows(Loss {
        theme: "power_cut",
        lose: |site| {
            site.cluster.cut_power(LOST).unwrap();
            until_node_is(site, LOST, "Unknown");
        },
        restore: |site| {
            site.cluster.power_on(LOST).unwrap();
            until_node_is(site, LOST, "True");
        },
        met_by: vec![RANK, SERVER, PINNED],
    });
    rows.into_iter().map(Row::of_soak).collect()
}

/// R3: the rank runs elsewhere, and the cause of its removal is named; nothing is counted twice.
const RANK: Met = Met {
    name: "rank_runs_elsewhere",
    finding: "R3",
    lost: |ns| until_restarted_elsewhere(ns),
    ..TWO_OF_A_RANK
};
