//! I48 for groups: the available group replicas that an update may delete.

use strum::IntoEnumIterator;

use super::*;

/// The set's update to version 2. Group `g` has three replicas of version 1, each with one Ready pod;
/// one is required. `rolling` are the limits of the group, and `progress` is the record that it stores.
pub(super) fn updating(rolling: &Value, progress: &Value) -> Store {
    let mut store = Store::new(testkit::builders::after(0));
    let clique = json!({
        "name": "w",
        "annotations": {"example.com/version": "2"},
        "spec": {"replicas": 1, "minAvailable": 1},
    });
    let counts = json!({"replicas": 3, "minAvailable": 1, "cliqueNames": ["w"]});
    let mut config = counts.clone();
    config["name"] = json!("g");
    config["rollingUpdate"] = rolling.clone();
    let template = json!({"cliques": [clique], "podCliqueScalingGroups": [config]});
    let spec = json!({"replicas": 1, "template": template});
    let set = json!({"metadata": {"name": "demo"}, "spec": spec});
    create(&mut store, "user", Resource::PodCliqueSet, set);
    store.edit("user", &Id::new(Resource::PodCliqueSet, "demo"), |set| {
        set["status"] = json!({"updateProgress": {"currentlyUpdating": [{"replicaIndex": 0}]}});
    });
    let group = json!({"metadata": meta("demo-0-g"), "spec": counts});
    create(&mut store, "user", Resource::PodCliqueScalingGroup, group);
    store.edit("user", &group_id(), |group| {
        group["status"] = json!({"updateProgress": progress});
    });
    for index in 0..3 {
        add_replica(&mut store, index, "1");
    }
    store
}

pub(super) fn group_id() -> Id {
    Id::new(Resource::PodCliqueScalingGroup, "demo-0-g")
}

pub(super) fn reached(replicas: i64) -> Value {
    json!({"reached": replicas})
}

/// The only PodClique of a group replica, with a Ready pod.
fn add_replica(store: &mut Store, index: usize, version: &str) {
    let name = format!("demo-0-g-{index}-w");
    let annotations = json!({"example.com/version": version});
    let mut podclique = clique();
    podclique["metadata"] = meta(&name);
    podclique["metadata"]["annotations"] = annotations.clone();
    let labels = &mut podclique["metadata"]["labels"];
    labels[api::labels::MANAGED_BY] = json!(api::labels::MANAGER);
    labels[api::labels::SCALING_GROUP_REPLICA_INDEX] = json!(index.to_string());
    podclique["metadata"]["ownerReferences"] = json!([owned_by(store, &group_id())]);
    create(store, "user", Resource::PodClique, podclique);
    let mut meta = meta(&format!("{name}-x0"));
    meta["finalizers"] = json!([]);
    meta["annotations"] = annotations;
    meta["labels"][api::labels::MANAGED_BY] = json!(api::labels::MANAGER);
    meta["ownerReferences"] = json!([owned_by(store, &Id::new(Resource::PodClique, &name))]);
    let pod = json!({"metadata": meta, "spec": {"hostname": format!("{name}-0")}});
    create(store, "user", Resource::Pod, pod);
    set_ready(store, index, true);
}

fn owned_by(store: &Store, owner: &Id) -> Value {
    let uid = store.get(owner).unwrap()["metadata"]["uid"].clone();
    let kind = owner.resource.kind();
    json!({"kind": kind, "name": owner.name, "uid": uid, "controller": true})
}

pub(super) fn set_ready(store: &mut Store, index: usize, is_ready: bool) {
    let pod = Id::new(Resource::Pod, &format!("demo-0-g-{index}-w-x0"));
    store.edit("user", &pod, |pod| {
        let status = if is_ready { "True" } else { "False" };
        let ready = json!([{"type": "Ready", "status": status}]);
        pod["status"] = json!({"phase": "Running", "conditions": ready});
    });
}

/// The operator deletes these replicas by one decision. The invariant that it breaks, if any.
pub(super) fn deleted(store: &Store, indexes: &[usize]) -> Option<&'static str> {
    deleted_after(store, store.log.len(), indexes)
}

/// The same, if the operator had seen so many records.
fn deleted_after(store: &Store, seen: usize, indexes: &[usize]) -> Option<&'static str> {
    let mut store = store.clone();
    let mut horizon = Horizon::default();
    for resource in Resource::iter() {
        horizon.set(resource, seen);
    }
    horizon.sent = Some(store.log.len());
    for index in indexes {
        let name = format!("demo-0-g-{index}-w");
        let path = format!("{}/{name}", Resource::PodClique.path("default"));
        let call = Call::new("DELETE", &path, Value::Null);
        assert_eq!(store.handle(OPERATOR, &call).code, 200);
    }
    let verdict = Checker::default().check(&store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn i48_more_group_replicas_are_deleted_than_may_be_missing() {
    let store = updating(&json!({}), &reached(3));
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
    let store = updating(&json!({"maxUnavailable": 2}), &reached(3));
    assert_eq!(deleted(&store, &[2, 1]), None);
    assert_eq!(deleted(&store, &[2, 1, 0]), Some("I48"));
}

#[test]
fn i48_a_group_replica_is_deleted_before_reached_is_stored() {
    let store = updating(&json!({}), &json!({}));
    assert_eq!(deleted(&store, &[2]), Some("I48"));
}

#[test]
fn i48_a_group_replica_that_is_down_costs_nothing() {
    let mut store = updating(&json!({}), &reached(3));
    set_ready(&mut store, 1, false);
    assert_eq!(deleted(&store, &[1]), None);
    assert_eq!(deleted(&store, &[2]), Some("I48"));
}

#[test]
fn i48_the_operator_had_not_seen_that_a_group_replica_was_lost() {
    let mut store = updating(&json!({}), &reached(3));
    let seen = store.log.len();
    set_ready(&mut store, 1, false);
    assert_eq!(deleted_after(&store, seen, &[2]), None);
    assert_eq!(deleted_after(&store, seen, &[2, 0]), Some("I48"));
}

#[test]
fn i48_a_group_replica_that_is_scaled_in_costs_nothing() {
    let mut store = updating(&json!({}), &reached(3));
    store.edit("user", &group_id(), |group| {
        group["spec"]["replicas"] = json!(2);
    });
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), None);
    assert_eq!(deleted(&store, &[2, 1, 0]), Some("I48"));
}

#[test]
fn i48_a_group_replica_is_deleted_before_surge_is_available() {
    let progress = json!({"reached": 3, "surgeFrom": 3});
    let mut store = updating(&json!({"maxSurge": 1}), &progress);
    assert_eq!(deleted(&store, &[2]), Some("I48"));
    add_replica(&mut store, 3, "2");
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
}

/// The progress of a group that has given surge up.
fn without_surge() -> Value {
    json!({"reached": 3, "surgeFrom": 3, "withoutSurge": "no room"})
}

#[test]
fn i48_an_update_without_surge_goes_on_by_what_may_be_missing() {
    let store = updating(&json!({"maxSurge": 1}), &without_surge());
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
}

#[test]
fn i48_an_update_of_which_nothing_may_be_missing_goes_on_without_surge() {
    let never_down = json!({"maxSurge": 1, "maxUnavailable": 0});
    let store = updating(&never_down, &without_surge());
    assert_eq!(deleted(&store, &[2]), Some("I48"));
    let mut store = updating(&never_down, &json!({"reached": 3, "surgeFrom": 3}));
    store.edit("user", &Id::new(Resource::PodCliqueSet, "demo"), |set| {
        let turn = &mut set["status"]["updateProgress"]["currentlyUpdating"][0];
        turn["withoutSurge"] = json!("no room");
    });
    assert_eq!(deleted(&store, &[2]), Some("I48"));
}

/// Where there is no surge to wait for, no update would end by 0.
#[test]
fn i48_one_group_replica_may_be_missing_where_surge_is_impossible() {
    let store = updating(&json!({"maxUnavailable": 0}), &reached(3));
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
    let never_down = json!({"maxSurge": 1, "maxUnavailable": 0});
    let mut store = updating(&never_down, &reached(3));
    assert_eq!(deleted(&store, &[2]), Some("I48"));
    // Its first surge replica would belong to the base gang.
    store.edit("user", &group_id(), |group| {
        group["spec"]["minAvailable"] = json!(5);
    });
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
}
