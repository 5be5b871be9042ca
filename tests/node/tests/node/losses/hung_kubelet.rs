//! A kubelet that hangs while its containers run on: its node gets lost, then returns.

use std::time::Duration;

use serde_json::Value;

use super::loss;
use super::loss::{LOST, Loss, Met, STAYS, impatient, on, rather_on, until_node_is};
use crate::judge::{has, job as judge_job, lacks, ready, same, text};
use crate::namespace::Namespace;
use crate::row::Row;
use crate::seen::{Seen, is_going, is_ready, message, name, state, uid};
use crate::sets::{clique, job, serving, sh};

/// The rows of this loss.
pub fn rows() -> Vec<Row> {
    loss::rows(Loss {
        theme: "hung_kubelet",
        lose: |site| {
            site.cluster.freeze(LOST, "kubelet").unwrap();
            until_node_is(site, LOST, "Unknown");
        },
        restore: |site| {
            site.cluster.thaw(LOST, "kubelet").unwrap();
            until_node_is(site, LOST, "True");
        },
        met_by: vec![WAITS, ENDS_WELL, TWO_OF_A_RANK, SERVER, PINNED],
    })
}

/// Longer than the time after which the node is lost, evicted, and its pods are given up.
const LONG: Duration = Duration::from_secs(100);

fn lives(name: &str) -> Value {
    clique(name, 1, &[sh("exec sleep 1000")])
}

fn until_running(ns: &Namespace, pods: usize) {
    ns.until("all pods are Ready", |seen| {
        same(
            "Ready pods",
            seen.pods().into_iter().filter(|pod| is_ready(pod)).count(),
            pods,
        )
    });
}

/// Findings 1 and R2: a node that does not report is no failure of a job whose processes run on.
pub const WAITS: Met = Met {
    name: "job_waits",
    finding: "R2",
    start: |ns| {
        ns.apply(&[&job(
            "job",
            0,
            &[on(STAYS, lives("a")), on(LOST, lives("b"))],
        )]);
        until_running(ns, 2);
    },
    lost: |ns| {
        ns.until("the pod is not Ready", |seen| {
            let ready = seen
                .pods_of("job-0-b")
                .into_iter()
                .filter(|pod| is_ready(pod))
                .count();
            same("Ready pods", ready, 0)
        });
        ns.throughout(Duration::from_secs(5), "it waits", |seen| {
            judge_job(seen, "job", "Running", 0)
        });
        has("explain", &ns.explain("job"), &[LOST]).unwrap();
    },
    back: |ns| {
        until_running(ns, 2);
        judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
    },
};

/// R2: both ranks end with 0; the end of one is not observed.
pub const ENDS_WELL: Met = Met {
    name: "job_ends_well_meanwhile",
    finding: "R2",
    start: |ns| {
        let ends = |name: &str| clique(name, 1, &[sh("sleep 90")]);
        ns.apply(&[&job("job", 0, &[on(STAYS, ends("a")), on(LOST, ends("b"))])]);
        until_running(ns, 2);
    },
    lost: |ns| {
        ns.until("the end of one is seen", |seen| {
            let pods = seen.pods_of("job-0-a");
            let phase = text(&pods.first().ok_or("its pod is gone")?["status"]["phase"]);
            same("phase", phase, "Succeeded")
        });
        judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
    },
    back: |ns| ns.until("it is done", |seen| judge_job(seen, "job", "Succeeded", 0)),
};

/// The message of each worker to the leader, once a second; the leader's log has it.
const SPEAKS: &str = "while :; do echo \"rank=$HOSTNAME attempt=$GROVE_ATTEMPT\" | nc -w 1 $GROVE_PCS_NAME-0-l-0.$GROVE_HEADLESS_SERVICE 9000; sleep 1; done";
const LISTENS: &str = "while :; do nc -l -p 9000; done";

/// R1 and R3: the new leader receives messages of the old worker, and the attempt distinguishes the
/// two. The cause of the removal is named.
pub const TWO_OF_A_RANK: Met = Met {
    name: "two_of_a_rank",
    finding: "R1",
    start: |ns| {
        let worker = impatient(rather_on(LOST, clique("w", 1, &[sh(SPEAKS)])));
        let leader = on(STAYS, clique("l", 1, &[sh(LISTENS)]));
        ns.apply(&[&job("job", 3, &[leader, worker])]);
        until_running(ns, 2);
    },
    lost: |ns| {
        until_restarted_elsewhere(ns);
        ns.until(
            "the new leader hears both, and knows which is which",
            |seen| heard(ns, seen),
        );
        ns.until("an event reports the two", |_| {
            let all = ns.all_events();
            let told =
                |text: &&String| text.contains(LOST) && text.contains("may still be running");
            let found = all.iter().find(told);
            found.map(|_| ()).ok_or_else(|| format!("none of {all:?}"))
        });
    },
    back: |ns| {
        ns.until("the old one ends, and nothing is counted twice", |seen| {
            judge_job(seen, "job", "Running", 1)?;
            same("pods", seen.pods().len(), 2)
        });
    },
};

/// Both ranks run again on the node that stays, after one restart whose cause is named.
pub fn until_restarted_elsewhere(ns: &Namespace) {
    ns.within(LONG, "both ranks run again", |seen| {
        judge_job(seen, "job", "Running", 1)?;
        let up = |pclq| {
            seen.pods_of(pclq)
                .into_iter()
                .filter(|pod| is_ready(pod))
                .count()
        };
        same("Ready pods", (up("job-0-l"), up("job-0-w")), (1, 1))
    });
    let seen = ns.look().unwrap();
    let kept = seen.set("job").unwrap()["status"]["lastFailures"].to_string();
    has(
        "lastFailures",
        &kept,
        &["job-0-w-", "DeletionByTaintManager"],
    )
    .unwrap();
    ns.until_event("ReplicaRestarting", &["job-0-w-"]);
}

fn heard(ns: &Namespace, seen: &Seen) -> Result<(), String> {
    let leader = seen
        .pods_of("job-0-l")
        .into_iter()
        .find(|pod| is_ready(pod))
        .ok_or("no leader")?;
    let log = ns.kubectl(&["logs", name(leader)]);
    let mut attempts: Vec<_> = log
        .lines()
        .filter(|line| line.starts_with("rank=job-0-w-0 "))
        .collect();
    attempts.sort_unstable();
    attempts.dedup();
    same("the attempts of rank 0", attempts.len(), 2)
        .map_err(|error| format!("{error}: {attempts:?}"))?;
    attempts
        .iter()
        .try_for_each(|said| lacks("an attempt", &format!("{said}|"), &["attempt=|"]))
}

/// R3: a server's gang termination after the loss names the node.
pub const SERVER: Met = Met {
    name: "server_is_replaced",
    finding: "R3",
    start: |ns| {
        let w = impatient(rather_on(LOST, lives("w")));
        ns.apply(&[&serving("s", &[on(STAYS, lives("a")), w])]);
        until_running(ns, 2);
    },
    lost: |ns| {
        ns.until("the lost node is named", |seen| {
            let set = seen.set("s")?;
            has("Ready", &state(set, "Ready"), &["False/"])?;
            has("its message", message(set, "Ready"), &[LOST])
        });
        let peer = uid(ns.look().unwrap().pods_of("s-0-a")[0]);
        ns.within(LONG, "it runs elsewhere", |seen| {
            ready(seen, "s", "AllReady")
        });
        same(
            "the peer",
            uid(ns.look().unwrap().pods_of("s-0-a")[0]),
            peer,
        )
        .unwrap();
    },
    back: |ns| {
        ns.until("the old pod is gone", |seen| {
            ready(seen, "s", "AllReady")?;
            same("pods", seen.pods().len(), 2)
        });
    },
};

/// R8: the suitable node is the lost one: its taint is the cause, not the selector.
pub const PINNED: Met = Met {
    name: "pod_that_belongs_there",
    finding: "R8",
    start: |_| (),
    lost: |ns| {
        ns.apply(&[&serving("s", &[on(LOST, lives("w"))])]);
        ns.until("the taint is named", |seen| {
            let set = seen.set("s")?;
            has("its message", message(set, "Ready"), &["untolerated taint"])?;
            lacks("Ready", &state(set, "Ready"), &["NodeSelectorUnmatched"])
        });
    },
    back: |ns| {
        ns.until("it runs", |seen| ready(seen, "s", "AllReady"));
        assert!(
            ns.look()
                .unwrap()
                .pods()
                .into_iter()
                .all(|pod| !is_going(pod))
        );
    },
};
