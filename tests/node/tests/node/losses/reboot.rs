//! A machine whose power is cut, and that is back a few seconds later.

use serde_json::{Value, json};

use super::loss::{self, LOST, Loss, Met, STAYS, on};
use crate::judge::{has, job as judge_job, lacks, ready, same, text};
use crate::namespace::Namespace;
use crate::row::Row;
use crate::seen::{is_ready, restarts};
use crate::sets::{clique, container, job, serving, sh, with_pod};

/// The rows of this loss.
pub fn rows() -> Vec<Row> {
    loss::rows(Loss {
        theme: "reboot",
        lose: |site| {
            site.cluster.cut_power(LOST).unwrap();
            site.cluster.power_on(LOST).unwrap();
        },
        restore: |_| (),
        met_by: vec![RANK, SERVER, ON_FAILURE, DONE],
    })
}

/// containerd's exit code of a lost task is no exit code of the program.
const NOT_SAID: &[&str] = &["exit code 255", "Completed"];

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

/// Findings R4 and R5: the restart of the node is the cause, even after a successful init
/// container.
const RANK: Met = Met {
    name: "rank_that_is_lost",
    finding: "R5",
    start: |ns| {
        let prepared = with_pod(
            lives("b"),
            &json!({"initContainers": [container("prepare", "exit 0")]}),
        );
        ns.apply(&[&job("job", 1, &[on(STAYS, lives("a")), on(LOST, prepared)])]);
        until_running(ns, 2);
    },
    lost: |ns| {
        ns.until("it runs again", |seen| {
            judge_job(seen, "job", "Running", 1)?;
            same(
                "Ready pods",
                seen.pods().into_iter().filter(|pod| is_ready(pod)).count(),
                2,
            )
        });
        ns.until_event("ReplicaRestarting", &["job-0-b-", LOST]);
        for (said, _) in ns.events("ReplicaRestarting") {
            lacks("ReplicaRestarting", &said, NOT_SAID).unwrap();
        }
        let kept = &ns.look().unwrap().set("job").unwrap()["status"]["lastFailures"].to_string();
        has("lastFailures", kept, &["job-0-b-"]).unwrap();
    },
    back: |_| (),
};

/// A server restarts in place, and no gang is terminated.
const SERVER: Met = Met {
    name: "server_restarts_in_place",
    finding: "R5",
    start: |ns| {
        let set = serving("s", &[on(STAYS, lives("a")), on(LOST, lives("b"))]);
        ns.apply(&[&crate::sets::with_delay(set, "120s")]);
        until_running(ns, 2);
    },
    lost: |ns| {
        ns.until("it was restarted, and all is Ready", |seen| {
            let count: u64 = seen.pods_of("s-0-b").into_iter().map(restarts).sum();
            same("restarts", count, 1)?;
            ready(seen, "s", "AllReady")
        });
        same("GangTerminated", ns.events("GangTerminated"), vec![]).unwrap();
        for (said, _) in ns.events("CrashLoop") {
            lacks("CrashLoop", &said, NOT_SAID).unwrap();
        }
    },
    back: |_| (),
};

/// A job that leaves failures to the kubelet continues.
const ON_FAILURE: Met = Met {
    name: "on_failure_goes_on",
    finding: "-",
    start: |ns| {
        let b = with_pod(lives("b"), &json!({"restartPolicy": "OnFailure"}));
        ns.apply(&[&job("job", 0, &[on(LOST, b)])]);
        until_running(ns, 1);
    },
    lost: |ns| {
        ns.until("it was restarted in place", |seen| {
            let count: u64 = seen.pods_of("job-0-b").into_iter().map(restarts).sum();
            same("restarts", count, 1)?;
            judge_job(seen, "job", "Running", 0)
        });
    },
    back: |_| (),
};

/// Finished work stays finished.
const DONE: Met = Met {
    name: "done_stays_done",
    finding: "-",
    start: |ns| {
        ns.apply(&[&job(
            "job",
            0,
            &[
                on(STAYS, lives("a")),
                on(LOST, clique("b", 1, &[sh("exit 0")])),
            ],
        )]);
        ns.until("one is done", |seen| {
            let phase = text(&seen.pods_of("job-0-b").first().ok_or("no pod")?["status"]["phase"]);
            same("phase", phase, "Succeeded")
        });
    },
    lost: |ns| {
        until_running(ns, 1);
        judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
    },
    back: |_| (),
};
