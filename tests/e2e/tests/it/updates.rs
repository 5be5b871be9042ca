//! A changed pod template reaches running pods (docs/updates.md).

mod canary;
mod checked;
mod coherent;
mod contention;
mod counts;
mod crash;
pub mod interrupted;
pub mod on_delete;
mod partition;
mod paused;
mod revisions;
pub mod rolling;
mod room;
mod stuck;
mod surge;
pub mod without_restart;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, same};

pub use coherent::{graph, read_steps};
pub use room::has_ended;

/// Three replicas, each with a clique of 4 pods, 3 of them required, and a group of two cliques
/// with 2 replicas; all pods have this version.
pub fn workload(version: &str) -> Value {
    let mut web = clique("web", 4);
    web["spec"]["minAvailable"] = 3.into();
    let mut cliques = [web, clique("lead", 1), clique("work", 2)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let group = json!({
        "name": "grp",
        "cliqueNames": ["lead", "work"],
        "replicas": 2,
        "minAvailable": 1,
    });
    let mut pcs = set("svc", &cliques, &[group]);
    pcs["spec"]["replicas"] = 3.into();
    pcs
}

/// With a readiness probe a new pod counts as soon as it is Ready.
pub fn probe(clique: &mut Value) {
    let container = &mut clique["spec"]["podSpec"]["containers"][0];
    container["readinessProbe"] = json!({"exec": {"command": ["true"]}});
}

/// Pods of one replica: 4 and twice 3.
const PODS: usize = 10;

/// All replicas run with this version, and the status agrees.
pub fn runs(seen: &Seen, version: &str, replicas: usize) -> Result<(), String> {
    seen.expect_ready_pods(PODS * replicas)?;
    let pods = seen.all("Pod");
    let of_version = pods
        .iter()
        .filter(|p| p["metadata"]["annotations"]["example.com/version"] == version);
    same(
        "pods of the version",
        &of_version.count(),
        &(PODS * replicas),
    )?;
    let set = seen.one("PodCliqueSet", "svc")?;
    let status = &set["status"];
    same(
        "updatedReplicas",
        &status["updatedReplicas"],
        &replicas.into(),
    )?;
    same(
        "observedGeneration",
        &status["observedGeneration"],
        &set["metadata"]["generation"],
    )?;
    let hash = &status["currentGenerationHash"];
    for kind in ["PodClique", "PodCliqueScalingGroup"] {
        for child in seen.all(kind) {
            let current = &child["status"]["currentPodCliqueSetGenerationHash"];
            same("hash of a child", current, hash)?;
        }
    }
    Ok(())
}

/// The update has ended.
fn ended(seen: &Seen, version: &str, replicas: usize) -> Result<(), String> {
    runs(seen, version, replicas)?;
    let status = &seen.one("PodCliqueSet", "svc")?["status"];
    let end = &status["updateProgress"]["updateEndedAt"];
    same("whether it ended", &end.is_string(), &true)
}

/// Uids of the pods of this version that stay.
fn pods_of(seen: &Seen, version: &str) -> BTreeSet<String> {
    let stays = |pod: &&Value| pod["metadata"]["deletionTimestamp"].is_null();
    let has_it = |pod: &&Value| pod["metadata"]["annotations"]["example.com/version"] == version;
    let pods = seen.all("Pod").into_iter().filter(stays).filter(has_it);
    pods.map(|pod| pod["metadata"]["uid"].to_string()).collect()
}

/// Deletes a PodClique, and waits until another one has its name and the condition holds.
fn recreate(ns: &Namespace<'_>, podclique: &str, holds: impl Fn(&Seen) -> Result<(), String>) {
    let uid = |seen: &Seen| -> Result<Value, String> {
        Ok(seen.one("PodClique", podclique)?["metadata"]["uid"].clone())
    };
    let before = uid(&ns.look().unwrap()).unwrap();
    ns.kubectl(&["delete", "podclique", podclique, "--wait=false"]);
    ns.until("it is back", |seen| {
        same("whether it is another one", &(uid(seen)? != before), &true)?;
        holds(seen)
    });
}

/// A namespace in which version 1 runs.
fn running<'a>(purpose: &str) -> Namespace<'a> {
    let ns = Namespace::new(purpose);
    ns.apply(&workload("1"));
    ns.until("version 1 runs", |seen| runs(seen, "1", 3));
    ns
}
