//! Each check fails on a log with its error, made by hand.

mod claims;
mod compute_domains;
mod domains;
mod group_replicas;
mod group_starts;
mod left;
mod quota;
mod refused_templates;
mod suspended;
mod units;

use serde_json::{Value, json};
use sim::check::{Checker, Horizon, OPERATOR, Requests};
use sim::{Answer, Call, Id, Resource, Store};

/// A store with set `demo`, its PodClique `demo-0-a` and its PodGang `demo-0`.
fn store() -> Store {
    let mut store = Store::new(testkit::builders::after(0));
    let set = json!({"metadata": {"name": "demo"}, "spec": {"replicas": 1}});
    create(&mut store, "user", Resource::PodCliqueSet, set);
    create(&mut store, OPERATOR, Resource::PodClique, clique());
    let gang = json!({"metadata": meta("demo-0"), "spec": {"podgroups": []}});
    create(&mut store, OPERATOR, Resource::PodGang, gang);
    store
}

fn meta(name: &str) -> Value {
    let owner = json!({"kind": "PodCliqueSet", "name": "demo", "uid": "uid-1", "controller": true});
    json!({
        "name": name,
        "labels": {"app.kubernetes.io/part-of": "demo"},
        "finalizers": ["example.com/theirs", "grove.io/ours"],
        "ownerReferences": [owner],
    })
}

fn clique() -> Value {
    json!({"metadata": meta("demo-0-a"), "spec": {"replicas": 1, "minAvailable": 1}})
}

fn create(store: &mut Store, actor: &'static str, resource: Resource, body: Value) {
    let call = Call::new("POST", &resource.path("default"), body);
    assert_eq!(store.handle(actor, &call).code, 201);
}

fn patch(store: &mut Store, path: &str, body: Value) {
    let path = format!("/apis/grove.io/v1alpha1/namespaces/default/{path}");
    assert_eq!(store.handle(OPERATOR, &Call::merge(&path, body)).code, 200);
}

/// Number of the broken invariant.
fn broken(store: &Store) -> Option<&'static str> {
    let verdict = Checker::default().check(store, &Horizon::default());
    verdict.err().map(|violation| violation.invariant)
}

/// With the time of the breach, if the conditions have one.
fn status(conditions: &Value) -> Value {
    let breach = &conditions[0];
    let is_breached = breach["status"] == "True";
    let time = breach["lastTransitionTime"].clone();
    let since = Some(time).filter(|_| is_breached);
    json!({"status": {
        "observedGeneration": 1, "conditions": conditions, "breachedSince": since,
    }})
}

fn breach(status: &str, time: &str) -> Value {
    json!([{"type": "MinAvailableBreached", "status": status, "lastTransitionTime": time}])
}

#[test]
fn a_right_log_is_right() {
    let mut store = store();
    patch(
        &mut store,
        "podcliques/demo-0-a/status",
        status(&breach("True", "2026-01-01T00:00:00Z")),
    );
    patch(
        &mut store,
        "podcliques/demo-0-a",
        json!({"metadata": {"finalizers": ["example.com/theirs"]}}),
    );
    assert_eq!(broken(&store), None);
}

#[test]
fn i37_a_breach_says_not_since_when() {
    let mut store = store();
    let mut untimed = status(&breach("True", "2026-01-01T00:00:00Z"));
    untimed["status"]["breachedSince"] = Value::Null;
    patch(&mut store, "podcliques/demo-0-a/status", untimed);
    assert_eq!(broken(&store), Some("I37"));
}

#[test]
fn i37_a_breach_is_remembered_for_too_long() {
    let mut store = store();
    let path = "podcliques/demo-0-a/status";
    patch(
        &mut store,
        path,
        status(&breach("True", "2026-01-01T00:00:00Z")),
    );
    let mut over = status(&breach("False", "2026-01-01T00:00:01Z"));
    over["status"]["breachedSince"] = json!("2026-01-01T00:00:00Z");
    store.now += jiff::SignedDuration::from_secs(1);
    patch(&mut store, path, over);
    assert_eq!(broken(&store), None);
    store.now += jiff::SignedDuration::from_mins(11);
    patch(&mut store, path, json!({"status": {"replicas": 1}}));
    assert_eq!(broken(&store), Some("I37"));
}

#[test]
fn i5_a_child_is_part_of_another_set_than_its_owner() {
    let mut store = store();
    let mut stray = clique();
    stray["metadata"]["name"] = json!("stray");
    stray["metadata"]["labels"] = json!({"app.kubernetes.io/part-of": "other"});
    create(&mut store, OPERATOR, Resource::PodClique, stray);
    assert_eq!(broken(&store), Some("I5"));
}

#[test]
fn i5_a_child_gets_another_owner() {
    let mut store = store();
    let owners = json!([{"kind": "PodCliqueSet", "name": "x", "uid": "x", "controller": true}]);
    let body = json!({"metadata": {"ownerReferences": owners}});
    patch(&mut store, "podcliques/demo-0-a", body);
    assert_eq!(broken(&store), Some("I5"));
}

#[test]
fn i6_a_finalizer_of_others_is_taken_off() {
    let mut store = store();
    let body = json!({"metadata": {"finalizers": ["grove.io/ours"]}});
    patch(&mut store, "podcliques/demo-0-a", body);
    assert_eq!(broken(&store), Some("I6"));
}

#[test]
fn i12_a_gang_without_pods_is_initialised() {
    let mut store = store();
    let path = "/apis/scheduler.grove.io/v1alpha1/namespaces/default/podgangs/demo-0/status";
    let body = status(&json!([{"type": "Initialized", "status": "True"}]));
    assert_eq!(store.handle(OPERATOR, &Call::merge(path, body)).code, 200);
    assert_eq!(broken(&store), Some("I12"));
}

#[test]
fn i17_a_condition_that_did_not_flip_gets_a_new_time() {
    let mut store = store();
    for time in ["2025-12-31T23:59:58Z", "2025-12-31T23:59:59Z"] {
        patch(
            &mut store,
            "podcliques/demo-0-a/status",
            status(&breach("True", time)),
        );
    }
    assert_eq!(broken(&store), Some("I17"));
}

#[test]
fn i17_a_condition_flips_in_the_future() {
    let mut store = store();
    let (now, later) = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z");
    for conditions in [breach("True", now), breach("False", later)] {
        patch(
            &mut store,
            "podcliques/demo-0-a/status",
            status(&conditions),
        );
    }
    assert_eq!(broken(&store), Some("I17"));
}

#[test]
fn i30_a_status_is_based_on_an_older_spec() {
    let mut store = store();
    for generation in [2, 1] {
        let body = json!({"status": {"observedGeneration": generation}});
        patch(&mut store, "podcliques/demo-0-a/status", body);
    }
    assert_eq!(broken(&store), Some("I30"));
}

#[test]
fn i7_a_name_of_another_owner_is_requested_again_and_again() {
    let store = store();
    let mut wanted = clique();
    wanted["metadata"]["ownerReferences"][0]["uid"] = json!("another");
    let call = Call::new("POST", &Resource::PodClique.path("default"), wanted);
    let refusal = Answer::failure(409, "AlreadyExists", "taken");
    let mut requests = Requests::default();
    let verdicts = (0..100).map(|_| requests.refused(&store, &call, &refusal));
    let found: Vec<_> = verdicts.filter_map(Result::err).collect();
    assert_eq!(found.first().map(|v| v.invariant), Some("I7"));
}

#[test]
fn i34_a_put_changes_nothing() {
    let call = Call::new("PUT", "/x", clique());
    let verdict = Requests::wrote(&call, &Answer::ok(clique()), 0);
    assert_eq!(verdict.unwrap_err().invariant, "I34");
}

fn fence(store: &mut Store, attempt: i64) {
    let entry = json!({"replica": 0, "attempt": attempt, "reason": "MinAvailableBreached"});
    patch(
        store,
        "podcliquesets/demo/status",
        json!({"status": {"replicaAttempts": [entry]}}),
    );
}

/// A set that requests termination after 10 s, and a PodClique that has been breached since this
/// time.
fn breached(since: &str) -> Store {
    breached_if(since, true)
}

fn breached_if(since: &str, was_available: bool) -> Store {
    let mut store = store();
    let delay = json!({"spec": {"template": {"terminationDelay": "10s"}}});
    let set = "/apis/grove.io/v1alpha1/namespaces/default/podcliquesets/demo";
    assert_eq!(store.handle("user", &Call::merge(set, delay)).code, 200);
    let mut breached = status(&breach("True", since));
    breached["status"]["wasAvailable"] = json!(was_available);
    patch(&mut store, "podcliques/demo-0-a/status", breached);
    store
}

#[test]
fn i13_a_fence_is_raised_when_its_breach_is_due() {
    let mut store = breached("2025-12-31T23:59:50Z");
    fence(&mut store, 1);
    assert_eq!(broken(&store), None);
}

#[test]
fn i13_a_fence_is_raised_too_early() {
    let mut store = breached("2025-12-31T23:59:51Z");
    fence(&mut store, 1);
    assert_eq!(broken(&store), Some("I13"));
}

#[test]
fn i15_a_fence_is_raised_though_nothing_was_available() {
    let mut store = breached_if("2025-12-31T23:59:50Z", false);
    fence(&mut store, 1);
    assert_eq!(broken(&store), Some("I13"));
}

#[test]
fn i20_a_fence_is_raised_by_two() {
    let mut store = breached("2025-12-31T23:59:50Z");
    fence(&mut store, 2);
    assert_eq!(broken(&store), Some("I20"));
}

#[test]
fn i19_a_podclique_is_deleted_for_no_reason() {
    let mut store = store();
    let path = "/apis/grove.io/v1alpha1/namespaces/default/podcliques/demo-0-a";
    let call = Call::new("DELETE", path, Value::Null);
    assert_eq!(store.handle(OPERATOR, &call).code, 200);
    assert_eq!(broken(&store), Some("I19"));
}

/// The invariant that the operator breaks when it creates a PodClique beside one of an earlier
/// attempt, which has this controller.
fn created_beside(controller: Option<&str>) -> Option<&'static str> {
    let mut store = breached("2025-12-31T23:59:50Z");
    fence(&mut store, 1);
    let mut checker = Checker::default();
    assert_eq!(checker.check(&store, &Horizon::default()), Ok(()));
    if let Some(owner) = controller {
        let group = json!({"metadata": {"name": owner}, "spec": {"replicas": 1}});
        create(&mut store, "user", Resource::PodCliqueScalingGroup, group);
        let id = Id::new(Resource::PodCliqueScalingGroup, owner);
        let uid = store.get(&id).unwrap()["metadata"]["uid"].clone();
        store.edit("user", &Id::new(Resource::PodClique, "demo-0-a"), |c| {
            c["metadata"]["ownerReferences"] = json!([{
                "kind": "PodCliqueScalingGroup", "name": owner, "uid": uid, "controller": true,
            }]);
        });
    }
    let mut horizon = Horizon::default();
    for resource in [Resource::PodCliqueSet, Resource::PodCliqueScalingGroup] {
        horizon.set(resource, store.log.len());
    }
    let mut next = clique();
    next["metadata"]["name"] = json!("demo-0-b");
    next["metadata"]["labels"][api::labels::ATTEMPT] = json!("1");
    create(&mut store, OPERATOR, Resource::PodClique, next);
    let verdict = checker.check(&store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

#[test]
fn something_is_created_while_an_earlier_attempt_is_known_to_exist() {
    assert_eq!(created_beside(None), Some("fence"));
    assert_eq!(created_beside(Some("released")), None);
}
