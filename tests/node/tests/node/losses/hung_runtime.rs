//! A node that is Ready while nothing on it can be ended: its container runtime hangs, as it does when
//! a process cannot be killed.

use std::time::Duration;

use serde_json::Value;

use super::loss::{self, LOST, Loss, Met, STAYS, on, rather_on};
use crate::judge::{has, job as judge_job, same};
use crate::row::Row;
use crate::seen::{Seen, is_going, is_ready};
use crate::sets::{clique, job, sh};

/// The rows of this loss.
pub fn rows() -> Vec<Row> {
    loss::rows(Loss {
        theme: "hung_runtime",
        lose: |site| site.cluster.freeze(LOST, "containerd").unwrap(),
        restore: |site| site.cluster.thaw(LOST, "containerd").unwrap(),
        met_by: vec![SLOT_IS_KEPT],
    })
}

/// Longer than `stuckPodTimeout` and a grace period together.
const PATIENCE: Duration = Duration::from_secs(30);

fn lives(name: &str) -> Value {
    clique(name, 1, &[sh("exec sleep 1000")])
}

/// R1: on a Ready node a rank keeps its slot for longer than elsewhere: no other pod runs in it
/// beside the old process, and `explain` names the reason for the wait.
const SLOT_IS_KEPT: Met = Met {
    name: "slot_is_kept",
    finding: "R1",
    start: |ns| {
        ns.apply(&[&job(
            "job",
            1,
            &[on(STAYS, lives("a")), rather_on(LOST, lives("b"))],
        )]);
        ns.until("both run", |seen| {
            same(
                "Ready pods",
                seen.pods().into_iter().filter(|pod| is_ready(pod)).count(),
                2,
            )
        });
    },
    lost: |ns| {
        ns.kubectl(&[
            "delete",
            "pod",
            "-l",
            "grove.io/podclique=job-0-b",
            "--wait=false",
        ]);
        ns.until("it is restarted", |seen| {
            let going = seen
                .pods_of("job-0-b")
                .into_iter()
                .filter(|pod| is_going(pod))
                .count();
            same("pods that end", going, 1)
        });
        ns.throughout(PATIENCE, "its slot is kept", nobody_else);
        let said = ns.explain("job");
        has("explain", &said, &["job-0-b"]).unwrap();
    },
    back: |ns| {
        ns.until("the old one ends, and both run again", |seen| {
            judge_job(seen, "job", "Running", 1)?;
            same(
                "Ready pods",
                seen.pods().into_iter().filter(|pod| is_ready(pod)).count(),
                2,
            )?;
            same("pods", seen.pods().len(), 2)
        });
    },
};

fn nobody_else(seen: &Seen) -> Result<(), String> {
    let pods = seen.pods();
    let ranks = pods
        .iter()
        .filter(|pod| pod["metadata"]["labels"]["grove.io/podclique"] == "job-0-b");
    same("pods of rank 0 of job-0-b", ranks.count(), 1)
}
