//! A real distributed program: `examples/train-and-resume.yaml` with its own image, two nodes, DNS,
//! a volume, and a killed rank.

use std::time::Duration;

use node_tests::cluster::NODES;
use node_tests::images::python;
use node_tests::programs::checkout;
use serde_json::{Value, json};

use super::judge::{has, job, same, text};
use super::manifests;
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, is_ready, name, uid};

const SET: &str = "train-and-resume";
const LEADER: &str = "train-and-resume-0-leader";
const WORKER: &str = "train-and-resume-0-worker";

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![row("program::a_rank_is_killed", "2", a_rank_is_killed)]
}

/// The time for an attempt of half a minute and the restart before it.
const LIMIT: Duration = Duration::from_mins(8);

/// All ranks restart, continue from the checkpoint and succeed; the failure is recorded.
fn a_rank_is_killed(ns: &Namespace) {
    let set = start(ns);
    let image = &set["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0]["image"];
    assert!(text(image).starts_with("registry.example.com/"), "{image}");
    let first = ns.until("all ranks train", |seen| {
        job(seen, SET, "Running", 0)?;
        let ranks = ranks(seen)?;
        has("the leader's log", &log(ns, ranks[0]), &["step 15: "])?;
        Ok(ranks.into_iter().cloned().collect::<Vec<_>>())
    });
    // As in the example's head.
    let killed = name(&first[2]).to_owned();
    ns.kubectl(&["exec", &killed, "--", "sh", "-c", "kill 1"]);
    let done = ns.within(LIMIT, "the job has succeeded", |seen| {
        job(seen, SET, "Succeeded", 1)?;
        Ok(ranks(seen)?.into_iter().cloned().collect::<Vec<_>>())
    });
    let all_new = done
        .iter()
        .all(|pod| !first.iter().any(|old| uid(old) == uid(pod)));
    assert!(all_new, "a rank of the first attempt ran on");
    they_resumed(ns, &done);
    failure_is_kept(ns, &killed).unwrap();
    ns.kubectl(&["delete", "pv", &ns.name, "--wait=false"]);
}

/// Applies the example with a volume, so that the leader is on the first node; the workers are on
/// the second. Only its time differs: 300 steps of a tenth of a second.
fn start(ns: &Namespace) -> Value {
    let found = manifests::the("examples/train-and-resume.yaml", SET);
    let program = checkout().join("examples/train-and-resume/train.py");
    let mut objects = found.objects;
    let set = objects
        .iter_mut()
        .find(|object| object["kind"] == "PodCliqueSet")
        .unwrap();
    let image = "registry.example.com/team/train-and-resume:1";
    python::load(&ns.site.cluster, image, &program).unwrap();
    for clique in set["spec"]["template"]["cliques"].as_array_mut().unwrap() {
        let is_worker = clique["name"] == "worker";
        let pod = &mut clique["spec"]["podSpec"];
        if is_worker {
            pod["nodeSelector"] = json!({"kubernetes.io/hostname": NODES[1]});
        }
        quicken(pod["containers"][0]["env"].as_array_mut().unwrap());
    }
    let set = set.clone();
    let volume = volume(ns);
    ns.apply(&[&[&volume], &*objects.iter().collect::<Vec<_>>()].concat());
    set
}

fn quicken(variables: &mut [Value]) {
    for variable in variables {
        let value = match text(&variable["name"]) {
            "STEPS" => "300",
            "STEP_SECONDS" => "0.1",
            "CHECKPOINT_EVERY" => "5",
            _ => continue,
        };
        variable["value"] = value.into();
    }
}

/// A volume on the first node for the example's claim.
fn volume(ns: &Namespace) -> Value {
    let folder = format!("/var/lib/{}", ns.name);
    let made = ns.site.cluster.in_node(NODES[0], &["mkdir", &folder]);
    made.unwrap();
    let is_there = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": [NODES[0]]});
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": ns.name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "claimRef": {"namespace": ns.name, "name": SET},
            "local": {"path": folder},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [is_there]}]}},
        },
    })
}

/// The pods that are not being deleted, by rank.
fn ranks(seen: &Seen) -> Result<Vec<&Value>, String> {
    let runs_or_ran = |pod: &&Value| is_ready(pod) || pod["status"]["phase"] == "Succeeded";
    let pods = [LEADER, WORKER]
        .into_iter()
        .flat_map(|podclique| seen.pods_of(podclique));
    let pods: Vec<_> = pods.filter(runs_or_ran).collect();
    same("ranks", pods.len(), 4)?;
    Ok(pods)
}

fn log(ns: &Namespace, pod: &Value) -> String {
    ns.kubectl(&["logs", name(pod)])
}

/// From a checkpoint, as another attempt, to the same result on all ranks.
fn they_resumed(ns: &Namespace, pods: &[Value]) {
    let logs: Vec<_> = pods.iter().map(|pod| log(ns, pod)).collect();
    let begins = logs[0].split_once("begins at step ").unwrap().1;
    let step: u32 = begins.lines().next().unwrap().parse().unwrap();
    assert!(step >= 15 && step.is_multiple_of(5), "it began at {step}");
    let done = logs[0].lines().last().unwrap();
    assert!(done.starts_with("done: "), "{done}");
    let set = ns.look().unwrap().set(SET).unwrap().clone();
    let attempt = format!("{}-1", &uid(&set)[..8]);
    for (rank, log) in logs.iter().enumerate() {
        let words = format!("attempt {attempt}: rank {rank} of 4 begins at step {step}");
        has("the log", log, &[&words, done]).unwrap();
    }
}

/// Status, events and `lastFailures` name the killed rank and its code, and no other rank.
fn failure_is_kept(ns: &Namespace, killed: &str) -> Result<(), String> {
    for reason in ["PodCliqueFailed", "ReplicaRestarting"] {
        let said = ns.events(reason);
        let (message, count) = said.first().ok_or_else(|| format!("no event {reason}"))?;
        same("events", (said.len(), *count), (1, 1))?;
        has(reason, message, &[killed, "exit code 143"])?;
    }
    same("events of its end", ns.events("WorkloadSucceeded").len(), 1)?;
    let seen = ns.look()?;
    let kept = &seen.set(SET)?["status"]["lastFailures"];
    let all = kept.as_array().ok_or("no lastFailures")?;
    same("failures", all.len(), 1).map_err(|error| format!("{error}: {kept}"))?;
    same("pod", text(&all[0]["pod"]), killed)?;
    same("node", text(&all[0]["node"]), NODES[1])?;
    same("exit code", &all[0]["exitCode"], &json!(143))?;
    has("message", text(&all[0]["message"]), &["stopped by SIGTERM"])
}
