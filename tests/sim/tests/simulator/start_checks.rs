//! The checks of start order fail on logs with their errors, made by hand.

use serde_json::{Value, json};
use sim::check::{Checker, Horizon, OPERATOR};
use sim::{Call, Id, Resource, Store};

/// A store with set `demo`, its PodClique `demo-0-a` with that many pods, one of which may be
/// Ready, and PodClique `demo-0-b`, which starts after it.
fn store(replicas: u32, is_ready: bool) -> Store {
    let mut store = Store::new(testkit::builders::after(0));
    let set = json!({"metadata": {"name": "demo"}, "spec": {"replicas": 1}});
    create(&mut store, "user", Resource::PodCliqueSet, set);
    let a = json!({
        "metadata": meta("demo-0-a"), "spec": {"replicas": replicas, "minAvailable": 1},
    });
    create(&mut store, OPERATOR, Resource::PodClique, a);
    let b = json!({
        "metadata": meta("demo-0-b"),
        "spec": {"replicas": 1, "minAvailable": 1, "startsAfter": ["demo-0-a"]},
    });
    create(&mut store, OPERATOR, Resource::PodClique, b);
    let first = pod(&store, "demo-0-a", &json!({}));
    create(&mut store, OPERATOR, Resource::Pod, first);
    if is_ready {
        store.edit("kubelet", &Id::new(Resource::Pod, "demo-0-a-x"), |pod| {
            pod["status"]["conditions"] = json!([{"type": "Ready", "status": "True"}]);
        });
    }
    store
}

fn meta(name: &str) -> Value {
    let owner = json!({"kind": "PodCliqueSet", "name": "demo", "uid": "uid-1", "controller": true});
    json!({
        "name": name,
        "labels": {"app.kubernetes.io/part-of": "demo"},
        "ownerReferences": [owner],
    })
}

fn pod(store: &Store, podclique: &str, annotations: &Value) -> Value {
    let owner = store.get(&Id::new(Resource::PodClique, podclique)).unwrap();
    let uid = owner["metadata"]["uid"].clone();
    let owner = json!({"kind": "PodClique", "name": podclique, "uid": uid, "controller": true});
    let labels = json!({
        "app.kubernetes.io/part-of": "demo", "grove.io/podcliqueset-replica-index": "0",
    });
    json!({
        "metadata": {
            "name": format!("{podclique}-x"), "labels": labels, "ownerReferences": [owner],
            "annotations": annotations,
        },
        "spec": {
            "hostname": format!("{podclique}-0"),
            "schedulingGates": [{"name": "grove.io/podgang-pending-creation"}],
        },
    })
}

/// The pod of `demo-0-b`, held back.
fn child(store: &Store, annotations: &Value) -> Value {
    let mut pod = pod(store, "demo-0-b", annotations);
    pod["spec"]["initContainers"] = json!([{"name": "grove-initc"}]);
    pod
}

fn create(store: &mut Store, actor: &'static str, resource: Resource, body: Value) {
    let call = Call::new("POST", &resource.path("default"), body);
    let answer = store.handle(actor, &call);
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

fn tell(store: &mut Store) {
    let body = json!({"metadata": {"annotations": {"grove.io/start": "now"}}});
    let path = "/api/v1/namespaces/default/pods/demo-0-b-x";
    assert_eq!(store.handle(OPERATOR, &Call::merge(path, body)).code, 200);
}

/// Number of the broken invariant.
fn broken(store: &Store) -> Option<&'static str> {
    let verdict = Checker::default().check(store, &Horizon::default());
    verdict.err().map(|violation| violation.invariant)
}

fn after_a() -> Value {
    json!({"grove.io/starts-after": "demo-0-a:1"})
}

#[test]
fn a_pod_may_get_its_signal_when_the_others_are_ready() {
    let mut store = store(1, true);
    let child = child(&store, &after_a());
    create(&mut store, OPERATOR, Resource::Pod, child);
    tell(&mut store);
    assert_eq!(broken(&store), None);
}

#[test]
fn i38_a_pod_gets_its_signal_too_early() {
    let mut store = store(1, false);
    let child = child(&store, &after_a());
    create(&mut store, OPERATOR, Resource::Pod, child);
    assert_eq!(broken(&store), None);
    tell(&mut store);
    assert_eq!(broken(&store), Some("I38"));
}

#[test]
fn i38_a_pod_is_created_with_its_signal_too_early() {
    let mut store = store(1, false);
    let told = json!({"grove.io/starts-after": "demo-0-a:1", "grove.io/start": "now"});
    let child = child(&store, &told);
    create(&mut store, OPERATOR, Resource::Pod, child);
    assert_eq!(broken(&store), Some("I38"));
}

#[test]
fn i38_a_pod_does_not_wait_for_its_dependencies() {
    let mut store = store(1, true);
    let child = pod(&store, "demo-0-b", &json!({}));
    create(&mut store, OPERATOR, Resource::Pod, child);
    assert_eq!(broken(&store), Some("I38"));
}

#[test]
fn i38_a_pod_has_nothing_that_holds_it_back() {
    let mut store = store(1, true);
    let child = pod(&store, "demo-0-b", &after_a());
    create(&mut store, OPERATOR, Resource::Pod, child);
    assert_eq!(broken(&store), Some("I38"));
}

#[test]
fn no_pod_waits_for_a_clique_scaled_to_zero() {
    let mut store = store(1, true);
    let path = "/apis/grove.io/v1alpha1/namespaces/default/podcliques/demo-0-a/scale";
    let body = json!({"spec": {"replicas": 0}});
    assert_eq!(store.handle("user", &Call::merge(path, body)).code, 200);
    let child = pod(&store, "demo-0-b", &json!({}));
    create(&mut store, OPERATOR, Resource::Pod, child);
    assert_eq!(broken(&store), None);
}
