//! The fields that Dynamo's operator reads and writes. From these it decides when a deployment is
//! ready, why it is not, and which workers get traffic, and it reconciles only when a PodClique or
//! group changes.

mod updates;
mod versions;
mod watching;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, condition, same, wait};
use versions::Versions;

const GRAPH: &str = "nvidia.com/dynamo-graph-deployment-name";
const FRONTEND: &str = "llm-0-frontend";
const DECODE: &str = "llm-0-decode";
const LEADER: &str = "llm-0-decode-0-decode-ldr";
const WORKER: &str = "llm-0-decode-0-decode-wkr";

/// The set that it creates for a graph: a component on one node, and one on several.
fn graph(version: &str) -> Value {
    let component = |name: &str, replicas: u32| {
        let mut clique = clique(name, replicas);
        clique["labels"] = json!({GRAPH: "llm", "kai.scheduler/queue": "dynamo"});
        clique["spec"]["minAvailable"] = json!(1);
        let leader =
            "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-decode-ldr-0.$(GROVE_HEADLESS_SERVICE)";
        clique["spec"]["podSpec"]["containers"][0]["env"] = json!([
            {"name": "VERSION", "value": version},
            {"name": "LEADER", "value": leader},
        ]);
        clique
    };
    let cliques = [
        component("frontend", 1),
        component("decode-ldr", 1),
        component("decode-wkr", 2),
    ];
    let group = json!({
        "name": "decode", "cliqueNames": ["decode-ldr", "decode-wkr"],
        "replicas": 1, "minAvailable": 1,
    });
    let mut pcs = set("llm", &cliques, &[group]);
    let template = &mut pcs["spec"]["template"];
    template["cliqueStartupType"] = json!("CliqueStartupTypeAnyOrder");
    template["headlessServiceConfig"] = json!({"publishNotReadyAddresses": true});
    template["terminationDelay"] = json!("15m");
    pcs
}

/// Its readiness: `readyReplicas` of a PodClique, `availableReplicas` of a group.
fn expect_ready(seen: &Seen, kind: &str, name: &str) -> Result<(), String> {
    let object = seen.one(kind, name)?;
    let (status, wanted) = (&object["status"], &object["spec"]["replicas"]);
    let generation = &object["metadata"]["generation"];
    same(name, &status["observedGeneration"], generation)?;
    let up = if kind == "PodClique" {
        "readyReplicas"
    } else {
        "availableReplicas"
    };
    for count in ["replicas", "updatedReplicas", "scheduledReplicas", up] {
        same(&format!("{name} {count}"), &status[count], wanted)?;
    }
    same(
        "deleted",
        &object["metadata"]["deletionTimestamp"],
        &Value::Null,
    )
}

/// All parts are ready with the accepted template of the set.
fn expect_all_ready(seen: &Seen) -> Result<(), String> {
    let pcs = seen.one("PodCliqueSet", "llm")?;
    let generation = &pcs["metadata"]["generation"];
    same("llm", &pcs["status"]["observedGeneration"], generation)?;
    let accepted = &pcs["status"]["currentGenerationHash"];
    same("has a hash", &accepted.is_string(), &true)?;
    let parts = [
        ("PodClique", FRONTEND),
        ("PodClique", LEADER),
        ("PodClique", WORKER),
        ("PodCliqueScalingGroup", DECODE),
    ];
    for (kind, name) in parts {
        expect_ready(seen, kind, name)?;
        let status = &seen.one(kind, name)?["status"];
        let hash = &status["currentPodCliqueSetGenerationHash"];
        same(name, hash, accepted)?;
        let progress = &status["updateProgress"];
        let has_ended = progress.is_null() || progress["updateEndedAt"].is_string();
        same(name, &has_ended, &true)?;
    }
    Ok(())
}

fn is_of_version(pod: &Value, version: &str) -> bool {
    let env = pod["spec"]["containers"][0]["env"].as_array().unwrap();
    env.contains(&json!({"name": "VERSION", "value": version}))
}

fn all_of_version(seen: &Seen, version: &str) -> Result<(), String> {
    let pods = seen.all("Pod");
    let of_it = pods.iter().filter(|pod| is_of_version(pod, version));
    same("pods", &of_it.count(), &pods.len())?;
    expect_all_ready(seen)
}

#[test]
fn every_version_of_a_part_may_be_read_while_it_is_created_scaled_and_updated() {
    let ns = Namespace::new("dynamo");
    let mut versions = Versions::of(&ns);
    ns.apply(&graph("1"));
    ns.until("it is ready", |seen| all_of_version(seen, "1"));
    assert_eq!(versions.judge(), [""; 0]);
    ns.until("the graph is found by label and owner", |seen| {
        for podclique in seen.all("PodClique") {
            let labels = &podclique["metadata"]["labels"];
            same("graph", &labels[GRAPH], &json!("llm"))?;
        }
        let owner = &seen.one("PodCliqueScalingGroup", DECODE)?["metadata"]["ownerReferences"][0];
        same("owner", &owner["kind"], &json!("PodCliqueSet"))?;
        let service = seen.one("Service", "llm-0")?;
        let publishes = &service["spec"]["publishNotReadyAddresses"];
        same("published", publishes, &json!(true))
    });
    for (part, replicas) in [("pclq/llm-0-frontend", "3"), ("pcsg/llm-0-decode", "2")] {
        ns.kubectl(&["scale", part, "--replicas", replicas]);
    }
    let scaled = |seen: &Seen| {
        same("pods", &seen.all("Pod").len(), &9)?;
        expect_all_ready(seen)
    };
    ns.until("it is scaled", scaled);
    ns.apply(&graph("2"));
    ns.until("it is updated, at its size", |seen| {
        scaled(seen)?;
        all_of_version(seen, "2")
    });
    let reported = wait::until(|| {
        let updated = versions.judge();
        let are_updated = updated.contains(&FRONTEND) && updated.contains(&DECODE);
        are_updated
            .then_some(())
            .ok_or_else(|| format!("{updated:?}"))
    });
    reported.unwrap();
    ns.kubectl(&["scale", "pcsg/llm-0-decode", "--replicas", "0"]);
    ns.until("0 is ready", |seen| {
        same("pods", &seen.all("Pod").len(), &3)?;
        expect_ready(seen, "PodCliqueScalingGroup", DECODE)?;
        expect_ready(seen, "PodClique", FRONTEND)
    });
    versions.judge();
    let missing = ns
        .command(&["scale", "pclq/llm-0-nobody", "--replicas", "1"])
        .output();
    let text = String::from_utf8_lossy(&missing.unwrap().stderr).into_owned();
    assert!(text.contains("not found"), "{text}");
}

#[test]
fn pods_on_their_way_out_are_in_no_count() {
    let ns = Namespace::new("dynamo-leaving");
    ns.apply(&graph("1"));
    ns.until("it is ready", expect_all_ready);
    let pod = ns.until("its pod", |seen| {
        let pods = seen.pods(FRONTEND);
        let pod = pods.first().ok_or("none")?;
        Ok(crate::harness::seen::name(pod).to_owned())
    });
    let hold = r#"--patch={"metadata": {"finalizers": ["example.com/hold"]}}"#;
    ns.kubectl(&["patch", "pod", &pod, hold]);
    ns.kubectl(&["delete", "pod", &pod, "--wait=false"]);
    ns.kubectl(&["scale", "pclq/llm-0-frontend", "--replicas=2"]);
    ns.until("another one is counted, and this one is not", |seen| {
        let status = &seen.one("PodClique", FRONTEND)?["status"];
        let pods = seen.pods(FRONTEND);
        same(
            "the old one is there",
            &pods.iter().any(|p| crate::harness::seen::name(p) == pod),
            &true,
        )?;
        for count in [
            "replicas",
            "readyReplicas",
            "updatedReplicas",
            "scheduledReplicas",
        ] {
            same(count, &status[count], &json!(1))?;
        }
        Ok(())
    });
    ns.kubectl(&[
        "patch",
        "pod",
        &pod,
        r#"--patch={"metadata": {"finalizers": null}}"#,
    ]);
    ns.until("both are", expect_all_ready);
}

/// Dynamo distinguishes a lack of room from pods that start slowly.
#[test]
fn a_lack_of_room_differs_from_starting_pods() {
    let ns = Namespace::new("dynamo-room");
    let mut pcs = graph("1");
    for clique in [0, 2] {
        let spec = &mut pcs["spec"]["template"]["cliques"][clique]["spec"]["podSpec"];
        spec["nodeSelector"] = json!({"example.com/nowhere": "true"});
    }
    ns.apply(&pcs);
    ns.until("the part without room reports it", |seen| {
        for name in [FRONTEND, WORKER] {
            let scheduled = condition(seen.one("PodClique", name)?, "PodCliqueScheduled");
            same(
                name,
                &scheduled.as_str(),
                &"False/InsufficientScheduledPods",
            )?;
        }
        let leader = condition(seen.one("PodClique", LEADER)?, "PodCliqueScheduled");
        same(LEADER, &leader.starts_with("True/"), &true)?;
        let status = &seen.one("PodCliqueScalingGroup", DECODE)?["status"];
        same("scheduled", &status["scheduledReplicas"], &json!(0))?;
        let breach = condition(
            seen.one("PodCliqueScalingGroup", DECODE)?,
            "MinAvailableBreached",
        );
        same("breach", &breach.starts_with("False/"), &true)
    });
}
