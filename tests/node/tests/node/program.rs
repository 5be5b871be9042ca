//! A real distributed program: `examples/all-reduce.yaml` as it is, but for its storage.

use std::fs;

use node_tests::cluster::NODES;
use node_tests::{programs, python};
use serde_json::{Value, json};

use super::judge::{has, job as judge_job, lacks, same, text};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::{Seen, is_ready, name};

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    vec![
        row(
            "program::goes_on_from_its_checkpoint",
            "2",
            goes_on_from_its_checkpoint,
        )
        .of_soak(),
    ]
}

/// The example, with a folder of the first node in place of its claim.
fn example() -> Vec<Value> {
    let file = programs::checkout().join("examples/all-reduce.yaml");
    let mut objects: Vec<Value> =
        serde_saphyr::from_multiple(&fs::read_to_string(file).unwrap()).unwrap();
    objects.retain(|object| object["kind"] != "PersistentVolumeClaim");
    let first = &mut objects[0]["spec"]["template"]["cliques"][0]["spec"]["podSpec"];
    first["nodeSelector"] = json!({"kubernetes.io/hostname": NODES[0]});
    first["volumes"][1] = json!({
        "name": "checkpoints",
        "hostPath": {"path": "/run/all-reduce", "type": "DirectoryOrCreate"},
    });
    objects
}

/// A rank is killed; all start again, go on from the checkpoint, and end well. Events and
/// `lastFailures` say which rank it was.
fn goes_on_from_its_checkpoint(ns: &Namespace) {
    let root = programs::checkout().join(".localcluster/node-tests/python");
    python::load(&ns.site.cluster, &root).unwrap();
    ns.apply(&example().iter().collect::<Vec<_>>());
    let killed = ns.until("the ring runs for a while", |seen| {
        same(
            "Ready ranks",
            seen.pods().into_iter().filter(|pod| is_ready(pod)).count(),
            3,
        )?;
        has("rank 0", &first_rank(ns, seen)?, &["begins at step 0,"])?;
        let checkpoint = ns
            .site
            .cluster
            .in_node(NODES[0], &["cat", "/run/all-reduce/all-reduce.json"]);
        let checkpoint: Value = serde_json::from_str(&checkpoint.map_err(|e| e.to_string())?)
            .map_err(|e| e.to_string())?;
        let step = checkpoint["step"].as_u64().unwrap_or_default();
        (step >= 10)
            .then_some(())
            .ok_or_else(|| format!("step {step}"))?;
        Ok(seen.pods_of("all-reduce-0-others")[0].clone())
    });
    kill(ns, &killed);
    ns.until("it goes on", |seen| {
        same(
            "restartCount",
            seen.set("all-reduce")?["status"]["restartCount"].as_u64(),
            Some(1),
        )?;
        let said = first_rank(ns, seen)?;
        has("rank 0", &said, &["begins at step"])?;
        lacks("rank 0", &said, &["begins at step 0,"])
    });
    ns.until("it ends well", |seen| {
        judge_job(seen, "all-reduce", "Succeeded", 1)
    });
    let seen = ns.look().unwrap();
    has(
        "rank 0",
        &first_rank(ns, &seen).unwrap(),
        &["rank 0 is done"],
    )
    .unwrap();
    let kept = seen.set("all-reduce").unwrap()["status"]["lastFailures"].clone();
    same("the rank that failed", text(&kept[0]["pod"]), name(&killed)).unwrap();
    same("its exit code", kept[0]["exitCode"].as_i64(), Some(137)).unwrap();
    ns.until_event("ReplicaRestarting", &[name(&killed), "137"]);
}

/// What rank 0 said so far.
fn first_rank(ns: &Namespace, seen: &Seen) -> Result<String, String> {
    let pods = seen.pods_of("all-reduce-0-first");
    let pod = pods.first().ok_or("no rank 0")?;
    let output = ns.command(&["logs", name(pod)]).output();
    output
        .map(|o| String::from_utf8_lossy(&o.stdout).into_owned())
        .map_err(|e| e.to_string())
}

/// Kills the process of a pod's container, as the kernel does where memory is short.
fn kill(ns: &Namespace, pod: &Value) {
    let id = text(&pod["status"]["containerStatuses"][0]["containerID"]);
    let id = id.trim_start_matches("containerd://");
    let kill = [
        "ctr",
        "--namespace=k8s.io",
        "tasks",
        "kill",
        "--signal=SIGKILL",
        id,
    ];
    ns.site
        .cluster
        .in_node(text(&pod["spec"]["nodeName"]), &kill)
        .unwrap();
}
