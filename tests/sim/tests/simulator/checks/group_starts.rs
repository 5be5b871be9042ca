//! I48 for groups: how many of their replicas an update starts at once.

use super::group_replicas::{deleted, group_id, reached, set_ready, updating};
use super::*;

/// An update of a group with these limits. Of its replicas, which are on nodes, the first is up.
fn with_one_up(rolling: &Value) -> Store {
    let mut store = updating(rolling, &reached(1));
    for index in 1..3 {
        set_ready(&mut store, index, false);
    }
    for index in 0..3 {
        place(&mut store, index, Some("node-1"));
    }
    store
}

fn pod_id(index: usize) -> Id {
    Id::new(Resource::Pod, &format!("demo-0-g-{index}-w-x0"))
}

/// The pod of a replica is on this node, or on none.
fn place(store: &mut Store, index: usize, node: Option<&str>) {
    store.edit("user", &pod_id(index), |pod| {
        pod["spec"]["nodeName"] = json!(node);
    });
}

/// The same, but the last replica is new.
fn with_one_new(rolling: &Value) -> Store {
    let mut store = with_one_up(rolling);
    let podclique = Id::new(Resource::PodClique, "demo-0-g-2-w");
    for id in [podclique, pod_id(2)] {
        store.edit("user", &id, |object| {
            object["metadata"]["annotations"]["example.com/version"] = json!("2");
        });
    }
    store
}

#[test]
fn i48_more_group_replicas_are_replaced_at_once_than_may_start() {
    let store = with_one_up(&json!({}));
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
    let store = with_one_up(&json!({"maxUnavailable": 2}));
    assert_eq!(deleted(&store, &[2, 1]), None);
}

/// Without surge none may be missing, but one that is down may be replaced.
#[test]
fn i48_one_group_replica_is_replaced_where_none_may_be_missing() {
    let store = with_one_up(&json!({"maxSurge": 1, "maxUnavailable": 0}));
    assert_eq!(deleted(&store, &[2]), None);
    assert_eq!(deleted(&store, &[2, 1]), Some("I48"));
}

#[test]
fn i48_a_group_replica_is_replaced_beside_one_that_is_starting() {
    assert_eq!(deleted(&with_one_new(&json!({})), &[1]), Some("I48"));
    let store = with_one_new(&json!({"maxUnavailable": 2}));
    assert_eq!(deleted(&store, &[1]), None);
    // Without a node it is not starting, and once it is up neither.
    let mut store = with_one_new(&json!({}));
    place(&mut store, 2, None);
    assert_eq!(deleted(&store, &[1]), None);
    place(&mut store, 2, Some("node-1"));
    set_ready(&mut store, 2, true);
    assert_eq!(deleted(&store, &[1]), None);
}

#[test]
fn i48_group_replicas_of_the_base_gang_or_without_a_node_start_at_once() {
    let mut store = with_one_up(&json!({}));
    place(&mut store, 1, None);
    assert_eq!(deleted(&store, &[2, 1]), None);
    let mut store = with_one_up(&json!({}));
    store.edit("user", &group_id(), |group| {
        group["spec"]["minAvailable"] = json!(2);
    });
    assert_eq!(deleted(&store, &[2, 1]), None);
}
