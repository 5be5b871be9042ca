//! I62, I63: pods start with quota only, and quota is given back when they have ended.

use sim::{Rng, actors, queue};

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
    for resource in [
        Resource::PodClique,
        Resource::PodGang,
        Resource::Pod,
        Resource::KueueWorkload,
    ] {
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

/// The gang lists this pod.
fn list_pod(store: &mut Store, name: &str) {
    let id = Id::new(Resource::PodGang, "demo-0");
    store.edit(OPERATOR, &id, |gang| {
        gang["metadata"]["labels"][api::kueue::keys::QUEUE] = json!("team-a");
        gang["spec"]["podgroups"] = json!([{
            "name": "demo-0-a", "minReplicas": 1,
            "podReferences": [{"namespace": "default", "name": name}],
        }]);
    });
}

#[test]
fn i62_no_pod_is_listed_without_quota() {
    for (quota, expected) in [(0, Some("I62")), (1, None)] {
        let mut store = store();
        set_quota(&mut store, quota, 0);
        add_pod(&mut store, "demo-0-a-x0", true);
        let seen = store.log.len();
        list_pod(&mut store, "demo-0-a-x0");
        assert_eq!(judged(&store, seen), expected, "{quota}");
    }
}

/// Creates a Workload for one pod.
fn ask_for_one(store: &mut Store, name: &str) {
    let body = json!({"metadata": {"name": name}, "spec": {"podSets": [
        {"name": "a", "count": 1},
    ]}});
    create(store, "user", Resource::KueueWorkload, body);
}

/// Kueue gives the quota of a Workload that is over to the next one.
#[test]
fn a_workload_that_is_over_has_no_quota() {
    let mut store = store();
    let names = ["demo-0", "demo-1"];
    for name in names {
        ask_for_one(&mut store, name);
    }
    let ids = names.map(|name| Id::new(Resource::KueueWorkload, name));
    let quota = [("", 1)];
    let held = |store: &Store| {
        ids.each_ref()
            .map(|id| queue::held_by(store.get(id).unwrap()))
    };
    while actors::run_kueue(&mut store, &quota) {}
    assert_eq!(held(&store), [1, 0]);
    store.edit(OPERATOR, &ids[0], |workload| {
        let conditions = workload["status"]["conditions"].as_array_mut();
        let over = json!({"type": "Finished", "status": "True"});
        conditions.unwrap().push(over);
    });
    while actors::run_kueue(&mut store, &quota) {}
    assert_eq!(held(&store), [0, 1]);
}

/// An operator that counts a pod no more gives back its quota, and only users edit these labels.
#[test]
fn chaos_keeps_the_labels_by_which_quota_is_counted() {
    let mut store = store();
    store.edit("user", &Id::new(Resource::PodGang, "demo-0"), |gang| {
        gang["metadata"]["labels"][api::kueue::keys::QUEUE] = json!("team-a");
    });
    add_pod(&mut store, "demo-0-a-x0", true);
    let id = Id::new(Resource::Pod, "demo-0-a-x0");
    let gang_of = |store: &Store| {
        let pod = store.get(&id)?;
        Some(pod["metadata"]["labels"][api::labels::POD_GANG].clone())
    };
    for seed in 0..100 {
        let mut present = store.clone();
        actors::disturb(&mut present, &mut Rng::new(seed), &id);
        let left = gang_of(&present);
        assert!(left.is_none() || left == gang_of(&store), "{seed}");
    }
}

#[test]
fn i62_quota_is_stored_as_kueue_gave_it() {
    let grant = |present: &Store| {
        let mut store = present.clone();
        let id = Id::new(Resource::KueueWorkload, "demo-0");
        let uid = store.get(&id).unwrap()["metadata"]["uid"].clone();
        let seen = store.log.len();
        let gang = Id::new(Resource::PodGang, "demo-0");
        store.edit(OPERATOR, &gang, |gang| {
            gang["status"] = json!({
                "conditions": [{"type": "QuotaReserved", "status": "True"}],
                "quota": {"grants": [{
                    "workload": "demo-0", "uid": uid,
                    "pods": [{"name": "demo-0-a", "count": 1}],
                }]},
            });
        });
        judged(&store, seen)
    };
    let mut store = store();
    ask_for_one(&mut store, "demo-0");
    assert_eq!(grant(&store), Some("I62"));
    assert!(actors::run_kueue(&mut store, &[("", 1)]));
    assert_eq!(grant(&store), None);
    actors::evict_workload(&mut store, "demo-0");
    assert_eq!(grant(&store), Some("I62"));
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
