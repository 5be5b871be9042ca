//! `restart`, `pause`, `unpause` and `status`.

use serde_json::{Value, json};

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, condition, same};

/// Uid of the pod of a set of one pod, once all is ready.
fn ready_pod(seen: &Seen) -> Result<Value, String> {
    let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
    same("Ready", &found, &"True/AllReady".to_owned())?;
    let pods = seen.all("Pod");
    same("pods", &pods.len(), &1)?;
    Ok(pods[0]["metadata"]["uid"].clone())
}

fn strategy(seen: &Seen) -> Result<Value, String> {
    Ok(seen.one("PodCliqueSet", "svc")?["spec"]["updateStrategy"]["paused"].clone())
}

/// A restart replaces the pod and is a revision; while the set is paused it waits.
#[test]
fn a_restart_is_an_update_which_a_pause_stops() {
    let ns = Namespace::new("cli-restart");
    ns.apply(&set("svc", &[clique("web", 1)], &[]));
    let first = ns.until("it runs", ready_pod);

    let said = ns.grove_words(&["restart", "svc", "--reason", "new driver"]);
    assert!(said.contains("restart of 1 clique (web)"), "{said}");
    let second = ns.until("its pod is another one", |seen| {
        let pod = ready_pod(seen)?;
        same("whether it is another one", &(pod != first), &true)?;
        Ok(pod)
    });
    let history = ns.grove(&["history", "pcs/svc", "-o", "json"]);
    let history: Value = serde_json::from_str(&history).unwrap();
    assert_eq!(
        history["revisions"].as_array().unwrap().len(),
        2,
        "{history}"
    );
    let reason = &history["revisions"][0]["reason"];
    assert_eq!(reason, &json!("new driver"), "{history}");
    let timeline = ns.grove_words(&["timeline", "svc"]);
    let asked = "restart of web was asked for: new driver";
    assert!(timeline.contains(asked), "{timeline}");

    let said = ns.grove_words(&["pause", "svc"]);
    assert!(said.contains("`kubectl grove unpause svc`"), "{said}");
    ns.until("it is paused", |seen| {
        same("paused", &strategy(seen)?, &true.into())
    });
    let said = ns.grove_words(&["restart", "pcs/svc"]);
    assert!(said.contains("it waits, as the set is paused"), "{said}");
    ns.until("the update waits", |seen| {
        let found = condition(seen.one("PodCliqueSet", "svc")?, "UpdateInProgress");
        same("UpdateInProgress", &found, &"False/Paused".to_owned())?;
        let pods = seen.all("Pod");
        same("the pod", &pods[0]["metadata"]["uid"], &second)
    });
    ns.grove(&["unpause", "svc"]);
    ns.until("the pod is replaced", |seen| {
        let pod = ready_pod(seen)?;
        same("whether it is another one", &(pod != second), &true)
    });
}

/// Uids of the pods of a set of two replicas of one pod, by replica, once all is ready.
fn ready_replicas(seen: &Seen) -> Result<[Value; 2], String> {
    let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
    same("Ready", &found, &"True/AllReady".to_owned())?;
    let pods = seen.all("Pod");
    same("pods", &pods.len(), &2)?;
    let uid = |replica: &str| {
        let found = pods.iter().find(|pod| {
            let labels = &pod["metadata"]["labels"];
            labels["grove.io/podcliqueset-replica-index"] == replica
        });
        let found = found.ok_or_else(|| format!("no pod of replica {replica}"))?;
        Ok::<Value, String>(found["metadata"]["uid"].clone())
    };
    Ok([uid("0")?, uid("1")?])
}

/// One replica ends and starts again, once; the other one stays.
#[test]
fn a_replica_is_restarted_alone() {
    let ns = Namespace::new("cli-restart-replica");
    let mut svc = set("svc", &[clique("web", 1)], &[]);
    svc["spec"]["replicas"] = json!(2);
    ns.apply(&svc);
    let first = ns.until("it runs", ready_replicas);

    let said = ns.grove_words(&["restart", "svc-1", "--reason", "new driver"]);
    assert!(said.contains("restart of replica 1"), "{said}");
    ns.until("replica 1 has another pod", |seen| {
        let pods = ready_replicas(seen)?;
        same("the pod of replica 0", &pods[0], &first[0])?;
        same("whether it is another one", &(pods[1] != first[1]), &true)?;
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let entries = status["replicaAttempts"].as_array();
        same("entries", &entries.map(Vec::len), &Some(1))?;
        let entry = &status["replicaAttempts"][0];
        same("the replica", &entry["replica"], &json!(1))?;
        same("its attempt", &entry["attempt"], &json!(1))?;
        same("the reason", &entry["reason"], &json!("RestartRequested"))
    });
    let timeline = ns.grove_words(&["timeline", "svc"]);
    let asked = "restart on demand: new driver";
    assert!(timeline.contains(asked), "{timeline}");
}

/// A pod's name is enough to find its set.
#[test]
fn a_set_is_found_by_its_pod() {
    let ns = Namespace::new("cli-by-pod");
    ns.apply(&set("svc", &[clique("web", 1)], &[]));
    ns.until("it runs", ready_pod);
    let pod = ns.kubectl(&["get", "pods", "--output=name"]);
    let tree = ns.grove(&["tree", pod.trim()]);
    assert!(tree.contains("svc-0-web"), "{tree}");
    let explained = ns.grove_words(&["explain", pod.trim()]);
    assert!(explained.contains("is ready"), "{explained}");
}

/// The harness runs the operator outside of the cluster: only parts that do not depend on that.
#[test]
fn a_status_names_kinds_and_versions() {
    let ns = Namespace::new("cli-status");
    let status = ns.grove(&["status", "-o", "json"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    let checks = status["checks"].as_array().unwrap();
    let check = |name: &str| checks.iter().find(|c| c["check"] == name).unwrap();
    assert_eq!(check("definitions")["verdict"], "ok", "{status}");
    let versions = check("versions")["details"].as_str().unwrap();
    assert!(versions.contains("API server v1."), "{status}");
    assert_ne!(check("webhook")["verdict"], "wrong", "{status}");
}
