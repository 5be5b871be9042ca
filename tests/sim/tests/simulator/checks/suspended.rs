//! I59 and I60: suspended sets, and jobs that are deleted after their end.

use super::*;

/// When the store begins.
const START: &str = "2026-01-01T00:00:00Z";

fn set_id() -> Id {
    Id::new(Resource::PodCliqueSet, "demo")
}

/// The set has this condition since the start.
fn with(condition: &str) -> Store {
    let mut store = store();
    store.edit("user", &set_id(), |set| {
        set["status"]["conditions"] = json!([
            {"type": condition, "status": "True", "lastTransitionTime": START},
        ]);
    });
    store
}

/// A pod of the PodClique that runs.
fn add_pod(store: &mut Store, actor: &'static str) {
    let podclique = Id::new(Resource::PodClique, "demo-0-a");
    let uid = store.get(&podclique).unwrap()["metadata"]["uid"].clone();
    let owner = json!({"kind": "PodClique", "name": "demo-0-a", "uid": uid, "controller": true});
    let pod = json!({
        "metadata": {
            "name": "demo-0-a-x0",
            "labels": {
                "app.kubernetes.io/part-of": "demo", (api::labels::PCS_REPLICA_INDEX): "0",
            },
            "ownerReferences": [owner],
        },
        "spec": {
            "hostname": "demo-0-a-0",
            "schedulingGates": [{"name": api::labels::POD_GANG_GATE}],
        },
        "status": {"phase": "Running"},
    });
    create(store, actor, Resource::Pod, pod);
}

/// The invariant that the operator breaks from here on, if it has seen all before.
fn broken_from(store: &Store, position: usize) -> Option<&'static str> {
    let mut seen = Horizon::default();
    for resource in [
        Resource::PodCliqueSet,
        Resource::PodClique,
        Resource::PodCliqueScalingGroup,
        Resource::Pod,
    ] {
        seen.set(resource, position);
    }
    let verdict = Checker::default().check(store, &seen);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn i59_a_pod_is_made_for_a_suspended_set() {
    let mut store = with("Suspended");
    let seen = store.log.len();
    add_pod(&mut store, OPERATOR);
    assert_eq!(broken_from(&store, seen), Some("I59"));
}

#[test]
fn i59_an_attempt_is_raised_while_it_is_suspended() {
    let mut store = with("Suspended");
    let reason = api::podcliqueset::ReplicaAttempt::BREACHED;
    let raised = json!([{"replica": 0, "attempt": 1, "reason": reason}]);
    let body = json!({"status": {"replicaAttempts": raised}});
    patch(&mut store, "podcliquesets/demo/status", body);
    assert_eq!(broken(&store), Some("I59"));
}

#[test]
fn i59_a_set_is_resumed_while_a_pod_runs() {
    let mut store = with("Suspended");
    add_pod(&mut store, "user");
    let seen = store.log.len();
    let resumed = json!([
        {"type": "Suspended", "status": "False", "lastTransitionTime": START},
    ]);
    let body = json!({"status": {"conditions": resumed}});
    patch(&mut store, "podcliquesets/demo/status", body);
    assert_eq!(broken_from(&store, seen), Some("I59"));
}

/// The job succeeded at the start, is kept for a minute, and is deleted after this many seconds.
fn deleted_after(seconds: i64) -> Option<&'static str> {
    let mut store = with("Succeeded");
    store.edit("user", &set_id(), |set| {
        set["spec"]["workloadType"] = json!("Training");
        set["spec"]["trainingSpec"] = json!({"ttlAfterFinished": "60s"});
        set["status"]["phase"] = json!("Succeeded");
    });
    store.now += jiff::SignedDuration::from_secs(seconds);
    let path = "/apis/grove.io/v1alpha1/namespaces/default/podcliquesets/demo";
    let call = Call::new("DELETE", path, json!({}));
    assert_eq!(store.handle(OPERATOR, &call).code, 200);
    broken(&store)
}

#[test]
fn i60_a_job_is_deleted_before_its_time() {
    assert_eq!(deleted_after(59), Some("I60"));
    assert_eq!(deleted_after(60), None);
}
