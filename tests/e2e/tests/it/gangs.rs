//! When pods may be scheduled.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::seen::{gates, listed, name};
use crate::harness::{Namespace, Seen, condition, same};

const GATE: &str = "grove.io/podgang-pending-creation";

/// A standalone clique and a group of two replicas, one of them in the base gang.
fn service(cliques: &[Value]) -> Value {
    set("svc", cliques, &[group("workers", "worker", 2, 1)])
}

const BASE: [&str; 2] = ["svc-0-router", "svc-0-workers-0-worker"];
const SCALED: &str = "svc-0-workers-1-worker";

#[test]
fn a_scaled_gang_waits_until_the_base_gang_is_ready() {
    let ns = Namespace::new("base-first");
    ns.apply(&service(&[held_clique("router", 2), clique("worker", 2)]));
    ns.until("the base gang is placed, the scaled gang held", |seen| {
        let routers = seen.pods(BASE[0]);
        same("routers", &routers.len(), &2)?;
        routers.iter().try_for_each(|pod| is_placed(pod))?;
        scaled_gang_is_held(seen)
    });

    for router in ["the first of two", "the second"] {
        let next = ns.until("the scaled gang still waits", |seen| {
            scaled_gang_is_held(seen)?;
            let waiting = seen
                .pods(BASE[0])
                .into_iter()
                .find(|p| condition(p, "Ready").is_empty());
            Ok(waiting.map(|pod| name(pod).to_owned()))
        });
        ns.set_pod_ready(&next.unwrap_or_else(|| panic!("{router} is ready by itself")));
    }

    ns.until("the scaled gang runs", |seen| {
        let pods: Vec<_> = seen.pods(SCALED).into_iter().map(name).collect();
        let gang = seen.one("PodGang", "svc-0-workers-0")?;
        same(
            "the scaled gang's list",
            &listed(gang),
            &vec![(SCALED, pods)],
        )?;
        seen.pods(SCALED)
            .iter()
            .try_for_each(|pod| same("gates", &gates(pod), &vec![]))?;
        same(
            "Ready",
            &condition(gang, "Ready"),
            &"True/GuaranteedPodsReady".to_owned(),
        )
    });
}

/// All its pods exist with the gate, none has a node, and no PodGang lists them.
fn scaled_gang_is_held(seen: &Seen) -> Result<(), String> {
    let held = seen.pods(SCALED);
    same("pods of the scaled gang", &held.len(), &2)?;
    for pod in held {
        same("gates", &gates(pod), &vec![GATE])?;
        same("node", &pod["spec"]["nodeName"], &Value::Null)?;
        let mut all = seen.all("PodGang").into_iter().flat_map(listed);
        let lister = all.find(|(_, pods)| pods.contains(&name(pod)));
        same("who lists it", &lister, &None)?;
    }
    let status = &seen.one("PodClique", SCALED)?["status"];
    same(
        "scheduleGatedReplicas",
        &status["scheduleGatedReplicas"],
        &json!(2),
    )
}

fn is_placed(pod: &Value) -> Result<(), String> {
    same("gates", &gates(pod), &vec![])?;
    let is_bound = pod["spec"]["nodeName"].is_string();
    is_bound
        .then_some(())
        .ok_or_else(|| format!("{} has no node", name(pod)))
}

#[test]
fn no_pod_of_a_gang_is_released_before_the_gang_is_complete() {
    let ns = Namespace::new("complete-first");
    // The quota has room for the pods of one clique only.
    let quota = json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "few-pods"},
        "spec": {"hard": {"pods": "3"}},
    });
    ns.apply(&quota);
    ns.until("the quota counts", |_| {
        let hard = ns.kubectl(&[
            "get",
            "quota",
            "few-pods",
            "--output=jsonpath={.status.hard.pods}",
        ]);
        same("quota", &hard, &"3".to_owned())
    });
    ns.apply(&set(
        "svc",
        &[clique("router", 2), clique("worker", 2)],
        &[],
    ));
    ns.until(
        "three pods exist and are held, the fourth is said to be refused",
        |seen| {
            let pods = seen.all("Pod");
            same("pods", &pods.len(), &3)?;
            pods.iter()
                .try_for_each(|pod| same("gates", &gates(pod), &vec![GATE]))?;
            same(
                "gangs that list pods",
                &seen.all("PodGang").into_iter().flat_map(listed).count(),
                &0,
            )?;
            let refused = seen
                .all("PodClique")
                .into_iter()
                .find(|clique| clique["status"]["lastErrors"][0]["code"] == "ERR_CREATE_POD");
            refused
                .map(|_| ())
                .ok_or_else(|| "no PodClique says that its pod was refused".to_owned())
        },
    );

    ns.kubectl(&["delete", "quota", "few-pods"]);
    ns.until("all run", |seen| {
        seen.expect_ready_pods(4)?;
        same(
            "errors",
            &seen
                .all("PodClique")
                .iter()
                .filter(|c| !c["status"]["lastErrors"].is_null())
                .count(),
            &0,
        )
    });
}

#[test]
fn scheduling_gates_of_others_stay() {
    let ns = Namespace::new("foreign-gates");
    let mut gated = clique("router", 1);
    gated["spec"]["podSpec"]["schedulingGates"] = json!([{"name": "example.com/quota"}]);
    ns.apply(&set("svc", &[gated], &[]));
    let pod = ns.until("ours is gone, theirs is not", |seen| {
        let pods = seen.pods("svc-0-router");
        same(
            "gates",
            &pods.iter().map(|pod| gates(pod)).collect(),
            &vec![vec!["example.com/quota"]],
        )?;
        Ok(name(pods[0]).to_owned())
    });
    let remove = r#"--patch=[{"op": "remove", "path": "/spec/schedulingGates"}]"#;
    ns.kubectl(&["patch", "pod", &pod, "--type=json", remove]);
    ns.until("the pod runs", |seen| {
        seen.expect_ready_pods(1)?;
        same("the same pod", &name(seen.all("Pod")[0]), &pod.as_str())
    });
}
