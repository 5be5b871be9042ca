//! Units of an update: their templates when they are created, their deletions, and the steps of an
//! update that replaces several parts together.

use strum::IntoEnumIterator;

use super::*;

const BEGAN: &str = "2026-01-01T00:00:00Z";

/// The set's update to version 2 by `Coherent`. Cliques `a` and `b` have two pods each of version 1, of
/// which one is required; so does group `g` of clique `w` have replicas, though they do not exist.
fn updating(targets: &Value) -> Store {
    let mut store = Store::new(testkit::builders::after(0));
    let clique = |name: &str| {
        json!({
            "name": name,
            "annotations": {"example.com/version": "2"},
            "spec": {"replicas": 2, "minAvailable": 1},
        })
    };
    let group = json!({"name": "g", "cliqueNames": ["w"], "replicas": 2, "minAvailable": 1});
    let template = json!({
        "cliques": [clique("a"), clique("b"), clique("w")],
        "podCliqueScalingGroups": [group],
    });
    let strategy = json!({"type": "Coherent"});
    let spec = json!({"replicas": 1, "updateStrategy": strategy, "template": template});
    let set = json!({"metadata": {"name": "demo"}, "spec": spec});
    create(&mut store, "user", Resource::PodCliqueSet, set);
    store.edit("user", &Id::new(Resource::PodCliqueSet, "demo"), |set| {
        set["status"] = json!({
            "currentGenerationHash": "g2",
            "currentRevision": "demo-g2",
            "replicaRevisions": [{"replica": 0, "older": "demo-g1"}],
            "updateProgress": {"updateStartedAt": BEGAN, "currentlyUpdating": [turn(targets)]},
        });
    });
    for version in ["1", "2"] {
        keep_revision(&mut store, version);
    }
    for name in ["a", "b"] {
        add_clique(&mut store, name);
    }
    let group = json!({"metadata": meta("demo-0-g"), "spec": {"replicas": 2}});
    create(&mut store, "user", Resource::PodCliqueScalingGroup, group);
    store
}

fn turn(targets: &Value) -> Value {
    json!({"replicaIndex": 0, "updateStartedAt": BEGAN, "targets": targets})
}

fn targets(a: i64, b: i64) -> Value {
    json!([{"component": "a", "from": a}, {"component": "b", "from": b}])
}

/// With this target nothing may be replaced.
const NONE: i64 = 2_147_483_647;

fn keep_revision(store: &mut Store, version: &str) {
    let mut meta = meta(&format!("demo-g{version}"));
    meta["labels"][api::labels::MANAGED_BY] = json!(api::labels::MANAGER);
    let template = json!({"metadata": {"annotations": {"example.com/version": version}}});
    let kept = ["a", "b", "w"].map(|name| {
        let hash = format!("hash-{version}");
        json!({"name": name, "hash": hash, "template": template})
    });
    let revision = json!({"metadata": meta, "data": {"cliques": kept}});
    create(store, "user", Resource::ControllerRevision, revision);
}

/// A PodClique of version 2 that notes its older pods, which are Ready.
fn add_clique(store: &mut Store, name: &str) {
    let full = format!("demo-0-{name}");
    let mut podclique = clique();
    podclique["metadata"]["name"] = json!(full);
    podclique["metadata"]["annotations"] = json!({
        "example.com/version": "2",
        api::labels::OLDER_TEMPLATE_HASH: "hash-1",
    });
    podclique["spec"]["replicas"] = json!(2);
    create(store, "user", Resource::PodClique, podclique);
    store.edit("user", &Id::new(Resource::PodClique, &full), |podclique| {
        podclique["status"]["updateProgress"] =
            json!({"podCliqueSetGenerationHash": "g2", "reached": 2});
    });
    for index in 0..2 {
        let pod = pod_of(store, &full, index, "1");
        let id = Id::new(Resource::Pod, pod["metadata"]["name"].as_str().unwrap());
        create(store, "user", Resource::Pod, pod);
        store.edit("user", &id, |pod| {
            let ready = json!([{"type": "Ready", "status": "True"}]);
            pod["status"] = json!({"phase": "Running", "conditions": ready});
        });
    }
}

fn pod_of(store: &Store, podclique: &str, index: usize, version: &str) -> Value {
    let owner = store.get(&Id::new(Resource::PodClique, podclique)).unwrap();
    let uid = &owner["metadata"]["uid"];
    let owner = json!({"kind": "PodClique", "name": podclique, "uid": uid, "controller": true});
    let mut meta = meta(&format!("{podclique}-x{index}"));
    meta["finalizers"] = json!([]);
    meta["ownerReferences"] = json!([owner]);
    meta["annotations"] = json!({"example.com/version": version});
    meta["labels"][api::labels::POD_CLIQUE] = json!(podclique);
    meta["labels"][api::labels::PCS_REPLICA_INDEX] = json!("0");
    let gate = json!({"name": api::labels::POD_GANG_GATE});
    let hostname = format!("{podclique}-{index}");
    json!({"metadata": meta, "spec": {"hostname": hostname, "schedulingGates": [gate]}})
}

/// The invariant that the last record breaks, of an operator that knew everything before it.
fn broken_by_last(store: &Store) -> Option<&'static str> {
    let mut horizon = Horizon::default();
    for resource in Resource::iter() {
        horizon.set(resource, store.log.len() - 1);
    }
    let verdict = Checker::default().check(store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

/// The operator stores these targets after those.
fn stored(before: &Value, next: &Value) -> Option<&'static str> {
    let mut store = updating(before);
    let progress = json!({"currentlyUpdating": [turn(next)]});
    let body = json!({"status": {"updateProgress": progress}});
    patch(&mut store, "podcliquesets/demo/status", body);
    broken_by_last(&store)
}

#[test]
fn i53_a_step_leaves_a_version_without_its_minimum_of_a_part() {
    let none = targets(NONE, NONE);
    let whole = [targets(1, 1), targets(0, 0), none.clone()];
    for next in whole {
        assert_eq!(stored(&none, &next), None, "{next}");
    }
    for next in [targets(1, NONE), targets(0, 1), targets(1, 0)] {
        assert_eq!(stored(&none, &next), Some("I53"), "{next}");
    }
}

#[test]
fn i53_a_target_rises() {
    assert_eq!(stored(&targets(1, 1), &targets(2, 1)), Some("I53"));
}

/// The operator deletes this pod of `a`.
fn deleted(mut store: Store, index: usize) -> Option<&'static str> {
    let path = format!("{}/demo-0-a-x{index}", Resource::Pod.path("default"));
    let call = Call::new("DELETE", &path, Value::Null);
    assert_eq!(store.handle(OPERATOR, &call).code, 200);
    broken_by_last(&store)
}

#[test]
fn i53_a_pod_is_replaced_before_its_step() {
    let store = updating(&targets(1, 1));
    assert_eq!(deleted(store.clone(), 1), None);
    assert_eq!(deleted(store, 0), Some("I53"));
    assert_eq!(deleted(updating(&json!([])), 1), Some("I53"));
}

#[test]
fn i50_a_pod_is_replaced_that_a_partition_keeps() {
    let mut store = updating(&targets(0, 0));
    store.edit("user", &Id::new(Resource::PodCliqueSet, "demo"), |set| {
        set["spec"]["template"]["cliques"][0]["rollingUpdate"] = json!({"partition": 1});
    });
    assert_eq!(deleted(store.clone(), 1), None);
    assert_eq!(deleted(store, 0), Some("I50"));
}

/// The operator creates the pod of this index again with this version.
fn refilled(index: usize, version: &str) -> Option<&'static str> {
    let mut store = updating(&targets(1, 1));
    let pod = pod_of(&store, "demo-0-a", index, version);
    let name = pod["metadata"]["name"].as_str().unwrap();
    store.remove("chaos", &Id::new(Resource::Pod, name));
    create(&mut store, OPERATOR, Resource::Pod, pod);
    broken_by_last(&store)
}

#[test]
fn i50_a_lost_pod_comes_back_with_another_template() {
    assert_eq!(refilled(0, "1"), None);
    assert_eq!(refilled(0, "2"), Some("I50"));
    assert_eq!(refilled(1, "2"), None);
    assert_eq!(refilled(1, "1"), Some("I50"));
}

/// The operator creates the PodClique of this group replica with this version.
fn created_in_group(index: usize, version: &str) -> Option<&'static str> {
    let mut store = updating(&json!([{"component": "g", "from": 1}]));
    let id = Id::new(Resource::PodCliqueScalingGroup, "demo-0-g");
    let uid = store.get(&id).unwrap()["metadata"]["uid"].clone();
    let mut podclique = clique();
    podclique["metadata"]["name"] = json!(format!("demo-0-g-{index}-w"));
    podclique["metadata"]["annotations"] = json!({"example.com/version": version});
    podclique["metadata"]["ownerReferences"] = json!([{
        "kind": "PodCliqueScalingGroup", "name": "demo-0-g", "uid": uid, "controller": true,
    }]);
    create(&mut store, OPERATOR, Resource::PodClique, podclique);
    broken_by_last(&store)
}

#[test]
fn i50_a_lost_group_replica_comes_back_with_another_template() {
    assert_eq!(created_in_group(0, "1"), None);
    assert_eq!(created_in_group(0, "2"), Some("I50"));
    assert_eq!(created_in_group(1, "2"), None);
    assert_eq!(created_in_group(1, "1"), Some("I50"));
}

/// The operator deletes a pod of `a` in an update that has given surge up. All parts have surge for a
/// whole version; `unavailable` is the `maxUnavailable` of `b`.
fn deleted_without_surge(unavailable: Option<i64>) -> Option<&'static str> {
    let mut store = updating(&targets(1, 1));
    store.edit("user", &Id::new(Resource::PodCliqueSet, "demo"), |set| {
        let template = &mut set["spec"]["template"];
        template["cliques"][0]["rollingUpdate"] = json!({"maxSurge": 1});
        template["cliques"][1]["rollingUpdate"] =
            json!({"maxSurge": 1, "maxUnavailable": unavailable});
        template["podCliqueScalingGroups"][0]["rollingUpdate"] = json!({"maxSurge": 1});
    });
    let podclique = Id::new(Resource::PodClique, "demo-0-a");
    store.edit("user", &podclique, |podclique| {
        let progress = &mut podclique["status"]["updateProgress"];
        progress["surgeFrom"] = json!(2);
        progress["withoutSurge"] = json!("no room");
    });
    deleted(store, 1)
}

/// With `Coherent` no part may miss a unit if one of them must not.
#[test]
fn i48_a_pod_is_replaced_without_surge_though_none_of_a_part_may_be_missing() {
    assert_eq!(deleted_without_surge(None), None);
    assert_eq!(deleted_without_surge(Some(0)), Some("I48"));
}
