//! The operator ends in the middle of its work, at every point of it, and starts again.

mod job;
mod killed;
pub mod normal;
pub mod walk;

use std::iter;
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, same};
use crate::updates::probe;
use job::{FINAL_FAILURE, RESTART};
use walk::{Scenario, walk};

#[test]
fn ended_after_any_write_it_ends_up_where_it_would_have() {
    // The longest first.
    let scenarios = [
        &CREATE,
        &DELETE,
        &SCALE_OUT,
        &REPLICA_OUT,
        &SCALE_IN,
        &REPLICA_IN,
        &UPDATE,
        &TERMINATION,
        &RESTART,
        &RECYCLING,
        &FINAL_FAILURE,
    ];
    let left = Mutex::new(scenarios.into_iter());
    let next = || left.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| iter::from_fn(next).for_each(walk));
        }
    });
}

/// Each waits most of the time, but not always.
const AT_ONCE: usize = 3;

const CREATE: Scenario = Scenario {
    name: "create",
    begins_with: None,
    step: |ns, set| ns.apply(&service(set)),
    is_done: |seen, set| runs(seen, set, 2, 2),
    deleted: &[],
    are_replaced: false,
    events: &[],
};

const SCALE_OUT: Scenario = Scenario {
    name: "scale-out",
    begins_with: Some((service, PODS)),
    step: |ns, set| scale(ns, set, 3),
    is_done: |seen, set| runs(seen, set, 3, 3),
    deleted: &[],
    are_replaced: false,
    events: &[],
};

const SCALE_IN: Scenario = Scenario {
    name: "scale-in",
    begins_with: Some((service, PODS)),
    step: |ns, set| scale(ns, set, 1),
    is_done: |seen, set| runs(seen, set, 1, 1),
    deleted: &["0-a#1", "0-g-1-b#0", "0-g-1-c#0"],
    are_replaced: false,
    events: &[],
};

const REPLICA_OUT: Scenario = Scenario {
    name: "replica-out",
    begins_with: Some((|set| small(set, 1), 2)),
    step: |ns, set| scale_set(ns, set, 2),
    is_done: |seen, set| small_runs(seen, set, 2),
    deleted: &[],
    are_replaced: false,
    events: &[],
};

const REPLICA_IN: Scenario = Scenario {
    name: "replica-in",
    begins_with: Some((|set| small(set, 2), 4)),
    step: |ns, set| scale_set(ns, set, 1),
    is_done: |seen, set| small_runs(seen, set, 1),
    deleted: &["1-a#0", "1-g-0-b#0"],
    are_replaced: false,
    events: &[],
};

const DELETE: Scenario = Scenario {
    name: "delete",
    begins_with: Some((service, PODS)),
    step: |ns, set| {
        ns.kubectl(&["delete", "pcs", set, "--wait=false"]);
    },
    is_done: |seen, _| seen.expect_nothing(),
    deleted: &[
        "0-a#0",
        "0-a#1",
        "0-g-0-b#0",
        "0-g-0-c#0",
        "0-g-1-b#0",
        "0-g-1-c#0",
    ],
    are_replaced: false,
    events: &[],
};

const TERMINATION: Scenario = Scenario {
    name: "termination",
    begins_with: Some((|set| terminated(small(set, 1)), 2)),
    step: |ns, set| ns.break_pods(&format!("{set}-0-a")),
    is_done: |seen, set| {
        small_runs(seen, set, 1)?;
        attempts(seen, "PodCliqueSet", set)
    },
    deleted: &["0-a#0", "0-g-0-b#0"],
    are_replaced: true,
    events: &["GangTerminated"],
};

const RECYCLING: Scenario = Scenario {
    name: "recycling",
    begins_with: Some((|set| terminated(pair(set)), 2)),
    step: |ns, set| ns.break_pods(&format!("{set}-0-g-1-b")),
    is_done: |seen, set| {
        seen.expect_ready_pods(2)?;
        let group = format!("{set}-0-g");
        let status = &seen.one("PodCliqueScalingGroup", &group)?["status"];
        same(&group, &status["availableReplicas"], &2.into())?;
        attempts(seen, "PodCliqueScalingGroup", &group)
    },
    deleted: &["0-g-1-b#0"],
    are_replaced: true,
    events: &["GangTerminated"],
};

const UPDATE: Scenario = Scenario {
    name: "update",
    begins_with: Some((|set| small(set, 1), 2)),
    step: |ns, set| ns.apply(&updated(small(set, 1))),
    is_done: |seen, set| {
        small_runs(seen, set, 1)?;
        let progress = &seen.one("PodCliqueSet", set)?["status"]["updateProgress"];
        same("ended", &progress["updateEndedAt"].is_string(), &true)
    },
    deleted: &["0-a#0", "0-g-0-b#0"],
    are_replaced: true,
    events: &[],
};

fn updated(mut set: Value) -> Value {
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.into_iter().flatten() {
        clique["annotations"] = json!({"example.com/version": "2"});
        probe(clique);
    }
    set
}

/// A group of two replicas, one of them required.
fn pair(name: &str) -> Value {
    let mut pair = set(name, &[clique("b", 1)], &[group("g", "b", 2, 1)]);
    pair["metadata"]["labels"] = labels(name);
    pair
}

fn terminated(mut set: Value) -> Value {
    set["spec"]["template"]["terminationDelay"] = json!("1s");
    set
}

/// Whether one replica of it was terminated, exactly once.
fn attempts(seen: &Seen, kind: &str, name: &str) -> Result<(), String> {
    let status = &seen.one(kind, name)?["status"];
    let attempts = status["replicaAttempts"].as_array();
    let attempts: Vec<_> = attempts
        .into_iter()
        .flatten()
        .map(|a| &a["attempt"])
        .collect();
    same(name, &attempts, &vec![&json!(1)])
}

fn scale(ns: &Namespace<'_>, set: &str, replicas: u32) {
    let clique = format!("pclq/{set}-0-a");
    let group = format!("pcsg/{set}-0-g");
    ns.kubectl(&["scale", &clique, &group, &format!("--replicas={replicas}")]);
}

fn scale_set(ns: &Namespace<'_>, set: &str, replicas: u32) {
    ns.kubectl(&["scale", "pcs", set, &format!("--replicas={replicas}")]);
}

/// Pods of [`service`].
const PODS: usize = 6;

/// A clique of two pods and a scaling group of two cliques.
fn service(name: &str) -> Value {
    let mut a = clique("a", 2);
    a["spec"]["minAvailable"] = 1.into();
    let mut g = group("g", "b", 2, 1);
    g["cliqueNames"] = json!(["b", "c"]);
    let mut service = set(name, &[a, clique("b", 1), clique("c", 1)], &[g]);
    service["metadata"]["labels"] = labels(name);
    service
}

/// That many replicas of a clique of one pod and a group of one.
fn small(name: &str, replicas: u32) -> Value {
    let cliques = [clique("a", 1), clique("b", 1)];
    let mut small = set(name, &cliques, &[group("g", "b", 1, 1)]);
    small["spec"]["replicas"] = replicas.into();
    small["metadata"]["labels"] = labels(name);
    small
}

/// The selector of the operator's objects finds the set too.
fn labels(set: &str) -> Value {
    json!({walk::OF_SET: set})
}

/// Whether the set has that many replicas and all run.
fn small_runs(seen: &Seen, set: &str, replicas: usize) -> Result<(), String> {
    seen.expect_ready_pods(2 * replicas)?;
    let status = &seen.one("PodCliqueSet", set)?["status"];
    same(set, &status["availableReplicas"], &replicas.into())?;
    let groups = seen.all("PodCliqueScalingGroup");
    same("groups", &groups.len(), &replicas)?;
    same("gangs", &seen.all("PodGang").len(), &replicas)
}

/// Whether the standalone clique and the group have that many replicas and all run.
fn runs(seen: &Seen, set: &str, a: usize, g: usize) -> Result<(), String> {
    seen.expect_ready_pods(a + 2 * g)?;
    let is = |kind: &str, name: String, field: &str, count: usize| {
        let object = seen.one(kind, &name)?;
        same(&name, &object["status"][field], &count.into())
    };
    is("PodClique", format!("{set}-0-a"), "readyReplicas", a)?;
    let group = format!("{set}-0-g");
    is("PodCliqueScalingGroup", group, "availableReplicas", g)?;
    is("PodCliqueSet", set.to_owned(), "availableReplicas", 1)?;
    same("gangs", &seen.all("PodGang").len(), &g)
}
