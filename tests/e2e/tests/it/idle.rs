//! Cliques and groups that are scaled to 0 and up again, while the others continue.

mod scaled_up;
pub mod ten_times;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::seen::listed;
use crate::harness::{Namespace, Seen, condition, same};

/// Parts of the base gang that list pods, and their number of pods.
fn base(seen: &Seen) -> Result<Vec<(String, usize)>, String> {
    let gang = seen.one("PodGang", "svc-0")?;
    let parts = listed(gang).into_iter();
    Ok(parts
        .map(|(part, pods)| (part.to_owned(), pods.len()))
        .collect())
}

fn expect_base(seen: &Seen, parts: &[(&str, usize)]) -> Result<(), String> {
    let parts: Vec<(String, usize)> = parts.iter().map(|(p, n)| ((*p).to_owned(), *n)).collect();
    same("the base gang", &base(seen)?, &parts)
}

/// An object that is scaled to zero has no pods, is up to date, and counts as available.
fn expect_idle(seen: &Seen, kind: &str, name: &str) -> Result<(), String> {
    let found = seen.one(kind, name)?;
    let counts = if kind == "PodClique" {
        [
            "replicas",
            "readyReplicas",
            "scheduledReplicas",
            "updatedReplicas",
        ]
    } else {
        [
            "replicas",
            "availableReplicas",
            "scheduledReplicas",
            "updatedReplicas",
        ]
    };
    for count in counts {
        same(
            &format!("{name} {count}"),
            &found["status"][count],
            &json!(0),
        )?;
    }
    same(
        name,
        &condition(found, "Ready").as_str(),
        &"True/ScaledToZero",
    )?;
    let breach = condition(found, "MinAvailableBreached");
    same(name, &breach.starts_with("False/"), &true)?;
    let set = &seen.one("PodCliqueSet", "svc")?["status"];
    let hash = &found["status"]["currentPodCliqueSetGenerationHash"];
    same(name, hash, &set["currentGenerationHash"])?;
    let generation = &found["metadata"]["generation"];
    same(name, &found["status"]["observedGeneration"], generation)
}

fn expect_available(seen: &Seen, reason: &str) -> Result<(), String> {
    let set = seen.one("PodCliqueSet", "svc")?;
    for count in ["availableReplicas", "updatedReplicas"] {
        same(count, &set["status"][count], &json!(1))?;
    }
    same("Ready", &condition(set, "Ready").as_str(), &reason)?;
    same(
        "terminated",
        &set["status"]["replicaAttempts"],
        &Value::Null,
    )
}

#[test]
fn a_template_may_scale_cliques_and_groups_to_zero() {
    let ns = Namespace::new("idle-template");
    let mut cache = clique("cache", 0);
    cache["spec"]["minAvailable"] = json!(2);
    // One pod, the default.
    let mut front = clique("front", 1);
    front["spec"].as_object_mut().unwrap().remove("replicas");
    let cliques = [front, cache, clique("worker", 2)];
    ns.apply(&set("svc", &cliques, &[group("workers", "worker", 0, 2)]));
    ns.until("only the frontend runs", |seen| {
        seen.expect_ready_pods(1)?;
        seen.expect_names("PodGang", &["svc-0"])?;
        seen.expect_names("PodClique", &["svc-0-cache", "svc-0-front"])?;
        expect_base(seen, &[("svc-0-front", 1)])?;
        expect_idle(seen, "PodClique", "svc-0-cache")?;
        expect_idle(seen, "PodCliqueScalingGroup", "svc-0-workers")?;
        expect_available(seen, "True/AllReady")
    });
    ns.kubectl(&["scale", "pcsg/svc-0-workers", "--replicas=3"]);
    ns.kubectl(&["scale", "pclq/svc-0-cache", "--replicas=2"]);
    ns.until("all runs", |seen| {
        seen.expect_ready_pods(9)?;
        seen.expect_names("PodGang", &["svc-0", "svc-0-workers-0"])?;
        let workers = [("svc-0-workers-0-worker", 2), ("svc-0-workers-1-worker", 2)];
        expect_base(
            seen,
            &[[("svc-0-front", 1), ("svc-0-cache", 2)], workers].concat(),
        )?;
        expect_available(seen, "True/AllReady")
    });
}

#[test]
fn a_clique_and_then_the_set_are_scaled_to_zero_and_up_again() {
    let ns = Namespace::new("idle-all");
    let cliques = [clique("front", 2), clique("cache", 2), clique("worker", 1)];
    let mut pcs = set("svc", &cliques, &[group("workers", "worker", 1, 1)]);
    pcs["spec"]["template"]["terminationDelay"] = json!("1s");
    ns.apply(&pcs);
    let all = [
        ("svc-0-front", 2),
        ("svc-0-cache", 2),
        ("svc-0-workers-0-worker", 1),
    ];
    ns.until("it runs", |seen| {
        seen.expect_ready_pods(5)?;
        expect_base(seen, &all)
    });
    ns.kubectl(&["scale", "pclq/svc-0-cache", "--replicas=0"]);
    ns.until("the clique is scaled to zero", |seen| {
        seen.expect_ready_pods(3)?;
        expect_base(seen, &[all[0], all[2]])?;
        expect_idle(seen, "PodClique", "svc-0-cache")?;
        expect_available(seen, "True/AllReady")
    });
    ns.kubectl(&["scale", "pclq/svc-0-cache", "--replicas=2"]);
    ns.until("it runs again", |seen| {
        seen.expect_ready_pods(5)?;
        expect_base(seen, &all)
    });
    let everything = ["pclq/svc-0-front", "pclq/svc-0-cache", "pcsg/svc-0-workers"];
    for part in everything {
        ns.kubectl(&["scale", part, "--replicas=0"]);
    }
    ns.until("everything is scaled to zero", |seen| {
        seen.expect_ready_pods(0)?;
        seen.expect_names("PodGang", &[])?;
        expect_idle(seen, "PodClique", "svc-0-front")?;
        expect_idle(seen, "PodCliqueScalingGroup", "svc-0-workers")?;
        expect_available(seen, "True/ScaledToZero")
    });
    for (part, replicas) in everything.into_iter().zip(["2", "2", "1"]) {
        ns.kubectl(&["scale", part, &format!("--replicas={replicas}")]);
    }
    ns.until("all runs", |seen| {
        seen.expect_ready_pods(5)?;
        expect_base(seen, &all)?;
        expect_available(seen, "True/AllReady")
    });
}

/// A clique that is scaled up from 0 and does not become ready is starting: the frontend is not
/// terminated for it.
#[test]
fn a_clique_scaled_up_from_zero_that_does_not_become_ready_is_not_breached() {
    let ns = Namespace::new("idle-start");
    let cliques = [clique("front", 1), held_clique("cache", 1)];
    let mut pcs = set("svc", &cliques, &[]);
    pcs["spec"]["template"]["terminationDelay"] = json!("1s");
    ns.apply(&pcs);
    let pod = |seen: &Seen| {
        let pods = seen.pods("svc-0-cache");
        same("pods", &pods.len(), &1)?;
        same("bound", &pods[0]["spec"]["nodeName"].is_string(), &true)?;
        Ok(crate::harness::seen::name(pods[0]).to_owned())
    };
    let first = ns.until("its pod has a node", pod);
    ns.set_pod_ready(&first);
    let breach = |seen: &Seen| -> Result<String, String> {
        Ok(condition(
            seen.one("PodClique", "svc-0-cache")?,
            "MinAvailableBreached",
        ))
    };
    ns.until("it was available", |seen| {
        seen.expect_ready_pods(2)?;
        let status = &seen.one("PodClique", "svc-0-cache")?["status"];
        same("wasAvailable", &status["wasAvailable"], &json!(true))
    });
    ns.kubectl(&["scale", "pclq/svc-0-cache", "--replicas=0"]);
    ns.until("its pod is being deleted", |seen| {
        let mut pods = seen.pods("svc-0-cache").into_iter();
        let is_going = pods.any(|pod| !pod["metadata"]["deletionTimestamp"].is_null());
        same("going", &is_going, &true)
    });
    // No kubelet confirms the end of such a pod.
    ns.kubectl(&["delete", "pod", &first, "--force", "--grace-period=0"]);
    ns.until("it is scaled to zero", |seen| {
        seen.expect_ready_pods(1)?;
        expect_idle(seen, "PodClique", "svc-0-cache")
    });
    ns.kubectl(&["scale", "pclq/svc-0-cache", "--replicas=1"]);
    let second = ns.until("it starts like a new one", |seen| {
        let second = pod(seen)?;
        same("breach", &breach(seen)?.as_str(), &"False/NeverAvailable")?;
        Ok(second)
    });
    ns.set_pod_ready(&second);
    ns.until("it is available again", |seen| {
        same(
            "breach",
            &breach(seen)?.as_str(),
            &"False/SufficientReadyPods",
        )?;
        let status = &seen.one("PodClique", "svc-0-cache")?["status"];
        same("wasIdle", &status["wasIdle"], &Value::Null)?;
        expect_available(seen, "True/AllReady")
    });
}
