//! Many changes at once, some against each other.

mod ended;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::history::History;
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::{index, listed, name};
use crate::harness::{Namespace, Seen, same};

const C: &str = "pclq/x-0-c";
const G: &str = "pcsg/x-0-g";
const X: &str = "pcs/x";

#[test]
fn scaled_at_all_levels_and_back_it_ends_as_the_last_ones_said() {
    let ns = Namespace::new("churn");
    ns.apply(&service());
    ns.until("it begins", begins);
    let steps = [
        (X, 3),
        (G, 5),
        (C, 4),
        (G, 1),
        (X, 1),
        (C, 1),
        (X, 3),
        (G, 4),
        (C, 5),
        (X, 2),
        (C, 3),
        (G, 3),
    ];
    for (what, replicas) in steps {
        scale(&ns, what, replicas);
    }
    ns.until("as it was scaled last", |seen| {
        let cliques = [
            ("x-0-c", 3),
            ("x-0-g-0-d", 1),
            ("x-0-g-1-d", 1),
            ("x-0-g-2-d", 1),
            ("x-1-c", 2),
            ("x-1-g-0-d", 1),
            ("x-1-g-1-d", 1),
        ];
        seen.expect_names("PodClique", &cliques.map(|(name, _)| name))?;
        for (podclique, replicas) in cliques {
            clique_has(seen, podclique, replicas)?;
        }
        for (podclique, replicas) in cliques.iter().skip(1) {
            clique_runs(seen, podclique, *replicas)?;
        }
        seen.expect_ready_pods(10)?;
        for (kind, name, replicas) in [
            ("PodCliqueScalingGroup", "x-0-g", 3),
            ("PodCliqueScalingGroup", "x-1-g", 2),
            ("PodCliqueSet", "x", 2),
        ] {
            let status = &seen.one(kind, name)?["status"];
            same(name, &status["replicas"], &replicas.into())?;
            same(name, &status["availableReplicas"], &replicas.into())?;
        }
        gang(seen, "x-0", &["x-0-c", "x-0-g-0-d"])?;
        gang(seen, "x-0-g-0", &["x-0-g-1-d"])?;
        gang(seen, "x-0-g-1", &["x-0-g-2-d"])?;
        gang(seen, "x-1", &["x-1-c", "x-1-g-0-d"])?;
        gang(seen, "x-1-g-0", &["x-1-g-1-d"])?;
        same("gangs", &seen.all("PodGang").len(), &5)
    });
}

#[test]
fn a_replica_that_is_given_up_and_wanted_again_at_once_runs() {
    let ns = Namespace::new("churn-replica");
    let mut x = service();
    x["spec"]["replicas"] = 2.into();
    ns.apply(&x);
    let runs = |seen: &Seen| {
        seen.expect_ready_pods(8)?;
        for podclique in ["x-0-c", "x-1-c"] {
            clique_runs(seen, podclique, 2)?;
        }
        seen.expect_names("PodGang", &["x-0", "x-0-g-0", "x-1", "x-1-g-0"])?;
        let status = &seen.one("PodCliqueSet", "x")?["status"];
        same("availableReplicas", &status["availableReplicas"], &2.into())
    };
    ns.until("it runs", runs);
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    scale(&ns, X, 1);
    scale(&ns, X, 2);
    ns.until("it runs again", runs);
    history.catch_up(&ns);
    let deleted = history.slots_deleted();
    let of_the_kept: Vec<_> = deleted
        .iter()
        .filter(|slot| slot.starts_with("x-0-"))
        .collect();
    assert_eq!(of_the_kept, Vec::<&&str>::new());
}

#[test]
fn a_pod_is_replaced_while_another_clique_has_none() {
    let ns = Namespace::new("churn-empty");
    ns.apply(&set("x", &[clique("a", 2), clique("b", 2)], &[]));
    ns.until("it runs", |seen| seen.expect_ready_pods(4));
    let lost = ns.until("it runs", |seen| Ok(name(seen.pods("x-0-b")[1]).to_owned()));
    scale(&ns, "pclq/x-0-a", 0);
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("the other runs", |seen| {
        clique_runs(seen, "x-0-a", 0)?;
        clique_runs(seen, "x-0-b", 2)?;
        let is_kept = seen.names("Pod").contains(lost.as_str());
        same("the lost one is there", &is_kept, &false)?;
        seen.expect_ready_pods(2)
    });
}

#[test]
fn a_failed_pod_is_replaced_in_its_slot() {
    let ns = Namespace::new("churn-failed");
    ns.apply(&set("x", &[clique("a", 3)], &[]));
    ns.until("it runs", |seen| clique_runs(seen, "x-0-a", 3));
    let before = ns.until("it runs", |seen| Ok(names(seen, "x-0-a")));
    let ready = json!({"type": "Ready", "status": "False", "reason": "PodFailed"});
    let status = json!({"status": {"phase": "Failed", "conditions": [ready]}});
    let patch = format!("--patch={status}");
    ns.kubectl(&["patch", "pod", &before[1], "--subresource=status", &patch]);
    ns.until("another has its slot", |seen| {
        clique_runs(seen, "x-0-a", 3)?;
        let now = names(seen, "x-0-a");
        let is_kept: Vec<_> = now
            .iter()
            .zip(&before)
            .map(|(now, old)| now == old)
            .collect();
        same("kept", &is_kept, &vec![true, false, true])
    });
}

#[test]
fn a_pod_without_its_labels_gets_them_back_and_no_double() {
    let ns = Namespace::new("churn-label");
    ns.apply(&set("x", &[clique("a", 2)], &[]));
    ns.until("it runs", |seen| clique_runs(seen, "x-0-a", 2));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    let pods = ns.until("it runs", |seen| Ok(names(seen, "x-0-a")));
    ns.kubectl(&["label", "pod", &pods[0], "app.kubernetes.io/managed-by-"]);
    ns.kubectl(&[
        "label",
        "pod",
        &pods[1],
        "--overwrite",
        "app.kubernetes.io/managed-by=me",
    ]);
    ns.until("the labels are back", |seen| {
        for pod in seen.all("Pod") {
            let manager = &pod["metadata"]["labels"]["app.kubernetes.io/managed-by"];
            same(name(pod), manager, &"grove-operator".into())?;
        }
        clique_runs(seen, "x-0-a", 2)?;
        same("pods", &names(seen, "x-0-a"), &pods)
    });
    history.catch_up(&ns);
    assert!(history.slots_held_twice().is_empty());
}

/// All scaled objects exist.
fn begins(seen: &Seen) -> Result<(), String> {
    seen.one("PodClique", "x-0-c")?;
    seen.one("PodCliqueScalingGroup", "x-0-g").map(|_| ())
}

/// Two pods in a standalone clique, and a group of two replicas of one pod.
fn service() -> Value {
    let mut c = clique("c", 2);
    c["spec"]["minAvailable"] = 1.into();
    set("x", &[c, clique("d", 1)], &[group("g", "d", 2, 1)])
}

fn scale(ns: &Namespace<'_>, what: &str, replicas: u32) {
    ns.kubectl(&["scale", what, &format!("--replicas={replicas}")]);
}

fn names(seen: &Seen, podclique: &str) -> Vec<String> {
    let pods = seen.pods(podclique);
    pods.into_iter().map(|pod| name(pod).to_owned()).collect()
}

/// That many pods, each with its own index. The pods that a scale-in keeps depend on their progress
/// by then.
fn clique_has(seen: &Seen, podclique: &str, replicas: u32) -> Result<(), String> {
    let indices: BTreeSet<u32> = seen.pods(podclique).into_iter().map(index).collect();
    same(podclique, &indices.len(), &(replicas as usize))?;
    let status = &seen.one("PodClique", podclique)?["status"];
    same(podclique, &status["readyReplicas"], &replicas.into())
}

/// Each index once, and the status agrees.
fn clique_runs(seen: &Seen, podclique: &str, replicas: u32) -> Result<(), String> {
    let indices: Vec<_> = seen.pods(podclique).into_iter().map(index).collect();
    same(podclique, &indices, &(0..replicas).collect())?;
    let status = &seen.one("PodClique", podclique)?["status"];
    same(podclique, &status["readyReplicas"], &replicas.into())
}

/// The gang lists exactly the pods of these PodCliques.
fn gang(seen: &Seen, gang: &str, podcliques: &[&str]) -> Result<(), String> {
    let pods = |podclique| seen.pods(podclique).into_iter().map(name).collect();
    let should: Vec<_> = podcliques.iter().map(|one| (*one, pods(one))).collect();
    same(gang, &listed(seen.one("PodGang", gang)?), &should)
}
