//! A drained node, as for maintenance: `kubectl drain`, then `kubectl uncordon`.

use std::time::Duration;

use serde_json::{Value, json};

use super::loss::{self, LOST, Loss, Met, STAYS, on, rather_on};
use crate::judge::{has, job as judge_job, ready, same};
use crate::namespace::Namespace;
use crate::row::Row;
use crate::seen::{Seen, is_ready};
use crate::sets::{clique, in_order, job, serving, sh, with, with_pod};

/// The rows of this loss.
pub fn rows() -> Vec<Row> {
    loss::rows(Loss {
        theme: "drain",
        lose: |site| {
            let args = [
                "drain",
                LOST,
                "--ignore-daemonsets",
                "--force",
                "--timeout=300s",
            ];
            let drained = site.cluster.tool("kubectl", &args).output().unwrap();
            let error = String::from_utf8_lossy(&drained.stderr);
            assert!(drained.status.success(), "{error}");
        },
        restore: |site| {
            let freed = site.cluster.tool("kubectl", &["uncordon", LOST]).output();
            assert!(freed.unwrap().status.success());
        },
        met_by: vec![RANK, ELASTIC, BUDGET, STARTING],
    })
}

fn lives(name: &str, replicas: u32) -> Value {
    clique(name, replicas, &[sh("exec sleep 1000")])
}

fn up(seen: &Seen) -> usize {
    seen.pods().into_iter().filter(|pod| is_ready(pod)).count()
}

fn until_up(ns: &Namespace, pods: usize) {
    ns.until("all pods are Ready", |seen| {
        same("Ready pods", up(seen), pods)
    });
}

/// Findings 6 and R3: one restart for all evicted ranks, and the eviction is named.
const RANK: Met = Met {
    name: "ranks_restart_once",
    finding: "R3",
    start: |ns| {
        ns.apply(&[&job(
            "job",
            3,
            &[on(STAYS, lives("a", 1)), rather_on(LOST, lives("b", 2))],
        )]);
        until_up(ns, 3);
    },
    lost: |ns| {
        ns.until("it runs elsewhere", |seen| {
            judge_job(seen, "job", "Running", 1)?;
            same("Ready pods", up(seen), 3)
        });
        ns.until_event("ReplicaRestarting", &["job-0-b-", "EvictionByEvictionAPI"]);
        let seen = ns.look().unwrap();
        let kept = &seen.set("job").unwrap()["status"]["lastFailures"].to_string();
        has("lastFailures", kept, &["job-0-b-", "EvictionByEvictionAPI"]).unwrap();
    },
    back: |ns| judge_job(&ns.look().unwrap(), "job", "Running", 1).unwrap(),
};

/// A job above its minimum replaces a rank alone.
const ELASTIC: Met = Met {
    name: "elastic_job_goes_on",
    finding: "-",
    start: |ns| {
        let minimum = json!({"spec": {"minAvailable": 1}});
        let all = with(lives("b", 2), &minimum);
        let peers = json!({"matchLabels": {"app.kubernetes.io/part-of": "job"}});
        let term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": peers});
        let apart = json!([{"weight": 100, "podAffinityTerm": term}]);
        let apart =
            json!({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": apart}});
        let all = with_pod(all, &json!({"affinity": apart}));
        ns.apply(&[&job("job", 0, &[all])]);
        until_up(ns, 2);
    },
    lost: |ns| {
        until_up(ns, 2);
        judge_job(&ns.look().unwrap(), "job", "Running", 0).unwrap();
    },
    back: |_| (),
};

/// A disruption budget holds the drain until another pod is Ready.
const BUDGET: Met = Met {
    name: "budget_is_kept",
    finding: "-",
    start: |ns| {
        let budget = json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "s"},
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app.kubernetes.io/part-of": "s"}}},
        });
        let mut set = serving("s", &[rather_on(LOST, lives("w", 3))]);
        set["spec"]["template"]["cliques"][0]["spec"]["minAvailable"] = 2.into();
        ns.apply(&[&set]);
        until_up(ns, 3);
        ns.apply(&[&budget]);
        // Kubernetes learns about new kinds every half minute: those of a new cluster.
        let allowed = [
            "get",
            "pdb",
            "s",
            "--output=jsonpath={.status.disruptionsAllowed}",
        ];
        ns.within(Duration::from_mins(2), "one may be evicted", |_| {
            same("disruptionsAllowed", &*ns.kubectl(&allowed), "1")
        });
    },
    lost: |ns| {
        until_up(ns, 3);
        let seen = ns.look().unwrap();
        let of_node = |pod: &&&Value| pod["spec"]["nodeName"] == STAYS;
        same(
            "pods on the node that stays",
            seen.pods().iter().filter(of_node).count(),
            3,
        )
        .unwrap();
    },
    back: |ns| ns.until("all is Ready", |seen| ready(seen, "s", "AllReady")),
};

/// A workload that starts in an order while its node is drained starts elsewhere in that order.
const STARTING: Met = Met {
    name: "start_order_goes_on",
    finding: "-",
    start: |ns| {
        let probe = json!({"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1});
        let slow = with(
            sh("sleep 8; touch /tmp/up; exec sleep 1000"),
            &json!({"readinessProbe": probe}),
        );
        let parent = rather_on(LOST, clique("p", 1, &[slow]));
        ns.apply(&[&in_order(serving(
            "o",
            &[parent, rather_on(LOST, lives("k", 2))],
        ))]);
        ns.until("it starts", |seen| {
            let placed = seen
                .pods()
                .iter()
                .filter(|pod| pod["status"]["podIP"].is_string())
                .count();
            same("pods that were started", placed, 3)
        });
    },
    lost: |ns| ns.until("all is Ready", |seen| ready(seen, "o", "AllReady")),
    back: |_| (),
};
