//! I62, I63: pods start with quota only, and quota is given back when they have ended.

use super::*;

/// The status of the PodGang, with quota for so many pods.
fn set_quota(store: &mut Store, count: i64, round: i64) {
    let status = if count > 0 { "True" } else { "False" };
    let id = Id::new(Resource::PodGang, "demo-0");
    store.edit("user", &id, |gang| {
        gang["status"] = json!({
            "conditions": [{"type": "QuotaReserved", "status": status}],
            "quota": {"round": round, "grants": [{
                "workload": "demo-0", "pods": [{"name": "demo-0-a", "count": count}],
            }]},
        });
    });
}

fn add_pod(store: &mut Store, name: &str, is_gated: bool) {
    let uid = store
        .get(&Id::new(Resource::PodClique, "demo-0-a"))
        .unwrap()["metadata"]["uid"]
        .clone();
    let owner = json!({"kind": "PodClique", "name": "demo-0-a", "uid": uid, "controller": true});
    let gates = if is_gated {
        json!([{"name": api::labels::POD_GANG_GATE}])
    } else {
        json!([])
    };
    let pod = json!({
        "metadata": {
            "name": name, "ownerReferences": [owner],
            "labels": {
                "app.kubernetes.io/part-of": "demo",
                (api::labels::POD_GANG): "demo-0",
                (api::labels::POD_CLIQUE): "demo-0-a",
            },
        },
        "spec": {"schedulingGates": gates},
    });
    create(store, "user", Resource::Pod, pod);
}

fn start(store: &mut Store, name: &str) {
    let pod = Id::new(Resource::Pod, name);
    store.edit(OPERATOR, &pod, |pod| {
        pod["spec"]["schedulingGates"] = json!([]);
    });
}

/// The verdict of an operator that had seen everything until then.
fn judged(store: &Store, seen: usize) -> Option<&'static str> {
    let mut horizon = Horizon::default();
    for resource in [Resource::PodClique, Resource::PodGang, Resource::Pod] {
        horizon.set(resource, seen);
    }
    let verdict = Checker::default().check(store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn i62_no_pod_starts_without_quota() {
    let mut store = store();
    set_quota(&mut store, 0, 0);
    add_pod(&mut store, "demo-0-a-x0", true);
    let seen = store.log.len();
    start(&mut store, "demo-0-a-x0");
    assert_eq!(judged(&store, seen), Some("I62"));
}

#[test]
fn i63_quota_is_given_back_when_no_pod_runs() {
    let mut store = store();
    set_quota(&mut store, 0, 1);
    let gang = store.get(&Id::new(Resource::PodGang, "demo-0")).unwrap()["metadata"]["uid"].clone();
    let owner = json!({"kind": "PodGang", "name": "demo-0", "uid": gang, "controller": true});
    let workload = json!({"metadata": {"name": "demo-0", "ownerReferences": [owner]}});
    create(&mut store, "user", Resource::KueueWorkload, workload);
    let id = Id::new(Resource::KueueWorkload, "demo-0");
    store.edit("kueue", &id, |w| {
        w["status"]["admission"] = json!({"clusterQueue": "gpus"});
    });
    let give_back = |store: &mut Store| {
        let id = Id::new(Resource::KueueWorkload, "demo-0");
        store.edit(OPERATOR, &id, |w| w["status"] = json!({}));
    };
    let mut ended = store.clone();
    add_pod(&mut store, "demo-0-a-x0", false);
    let seen = store.log.len();
    give_back(&mut store);
    assert_eq!(judged(&store, seen), Some("I63"));
    let seen = ended.log.len();
    give_back(&mut ended);
    assert_eq!(judged(&ended, seen), None);
}
