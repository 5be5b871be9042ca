//! The answers of the probes about watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api::PodClique;
use domain::{Key, Pod};
use engine::metrics::{ByKind, Metrics};
use engine::requests::Requests;
use engine::{Context, informer};
use kube::Client;
use serde_json::{Value, json};

use crate::server::{PODCLIQUE, Reply, client, context, controllers, failure, scripted};

fn list(version: &str) -> (u16, Value) {
    let list = json!({
        "kind": "PodCliqueList", "apiVersion": "grove.io/v1alpha1",
        "metadata": {"resourceVersion": version}, "items": [],
    });
    (200, list)
}

/// The unsynced kinds after this time, with these answers and after them only errors.
async fn unsynced_after(seconds: u64, answers: Vec<(u16, Value)>) -> Vec<String> {
    let (context, _) = context(Vec::new());
    context.expect::<PodClique>();
    let (client, _) = client(answers);
    let watch = informer::watch::<PodClique>(context.clone(), client);
    let _ = tokio::time::timeout(Duration::from_secs(seconds), watch).await;
    context.unsynced().into_keys().collect()
}

#[tokio::test(start_paused = true)]
async fn a_kind_is_unsynced_until_it_is_listed_and_when_its_watch_is_lost() {
    assert_eq!(unsynced_after(1, vec![]).await, ["PodClique"]);
    assert_eq!(unsynced_after(1, vec![list("5")]).await, [""; 0]);
    assert_eq!(unsynced_after(20, vec![list("5")]).await, ["PodClique"]);
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_listed_again_is_synced() {
    let too_old = || {
        (
            410,
            json!({"kind": "Status", "status": "Failure", "code": 410}),
        )
    };
    let mut answers = vec![list("5")];
    answers.extend((0..5).map(|_| too_old()));
    answers.push(list("9"));
    assert_eq!(unsynced_after(7, answers).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn each_namespace_is_watched_and_has_to_be_listed() {
    let (canned, asked) = client(vec![list("5")]);
    let context = in_namespaces(&canned);
    let watch = informer::watch::<PodClique>(context.clone(), canned);
    let _ = tokio::time::timeout(Duration::from_secs(1), watch).await;
    assert_eq!(context.unsynced().len(), 1, "{:?}", context.unsynced());
    assert!(!context.is_ready(), "the other is not listed yet");
    assert!(!context.has_listed_all());
    let asked = asked.lock().unwrap();
    for namespace in ["a", "b"] {
        let path = format!("GET /apis/grove.io/v1alpha1/namespaces/{namespace}/podcliques");
        assert!(asked.iter().any(|a| a.starts_with(&path)), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_may_not_be_watched_is_named() {
    let forbidden = json!({
        "kind": "Status", "status": "Failure", "code": 403, "reason": "Forbidden",
        "message": "podcliques is forbidden",
    });
    let (canned, _) = client(vec![(403, forbidden.clone()), (403, forbidden)]);
    let context = in_namespaces(&canned);
    let watch = informer::watch::<PodClique>(context.clone(), canned);
    let _ = tokio::time::timeout(Duration::from_millis(100), watch).await;
    let problems = context.unsynced();
    for namespace in ["a", "b"] {
        let why = &problems[&format!("PodClique in {namespace}")];
        let remedy = format!("Role in namespace {namespace}, or take {namespace} off");
        assert!(why.contains(&remedy), "{why}");
    }
    assert!(!context.is_ready(), "nothing can be looked after");
}

/// Its Role was deleted with it; the operator goes on with the other namespaces.
#[tokio::test(start_paused = true)]
async fn a_namespace_that_cannot_be_listed_holds_no_other_up() {
    let (canned, _) = scripted(|asked, _| match asked {
        _ if asked.contains("/namespaces/b/") => Reply::Answer(403, failure(403, "Forbidden")),
        _ if asked.contains("watch=true") => Reply::Hang,
        _ => Reply::Answer(
            200,
            json!({
                "kind": "PodCliqueList", "apiVersion": "grove.io/v1alpha1",
                "metadata": {"resourceVersion": "5"}, "items": [podclique("a")],
            }),
        ),
    });
    let context = in_namespaces(&canned);
    let known = serde_json::from_value(podclique("b")).unwrap();
    context.publish(context.caches.of::<PodClique>().apply(known));
    let queue = context.queue(PODCLIQUE);
    let watch = informer::watch::<PodClique>(context.clone(), canned.clone());
    let _ = tokio::time::timeout(Duration::from_secs(1), watch).await;
    let keys = queue.take_all();
    assert_eq!(keys.len(), 1, "not all of b is known");
    assert_eq!(keys[0].namespace, "a");
    assert!(context.unsynced().contains_key("PodClique in b"));
    assert!(context.is_ready(), "{:?}", context.unsynced());
    assert!(context.has_listed_all(), "it may lead at once");
    tokio::time::advance(Duration::from_mins(4)).await;
    assert!(!context.is_ready(), "no message about namespace a");
}

fn podclique(namespace: &str) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
        "metadata": {"name": "x", "namespace": namespace, "uid": namespace, "resourceVersion": "3"},
        "spec": {"roleName": "x", "podSpec": {"containers": []}, "replicas": 1},
    })
}

fn in_namespaces(client: &Client) -> Arc<Context> {
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client.clone(), metrics.clone());
    let context =
        Context::new(requests, metrics, controllers()).in_namespaces(&["a".into(), "b".into()]);
    context.expect::<PodClique>();
    assert_eq!(context.unsynced().len(), 2);
    Arc::new(context)
}

/// A foreign pod has a name that is in doubt.
#[tokio::test(start_paused = true)]
async fn a_foreign_object_is_read_once() {
    let foreign = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default", "uid": "a", "resourceVersion": "5"},
    });
    let (context, asked) = context(vec![(200, foreign)]);
    context.read_live::<Pod>(&Key::new("default", "a")).await;
    tokio::time::advance(Duration::from_hours(1)).await;
    assert_eq!(asked.lock().unwrap().len(), 1);
    assert!(
        context.caches.of::<Pod>().expired().is_empty() && context.caches.of::<Pod>().is_empty()
    );
}

/// A list, a watch without events, and a list in which the object is corrected.
#[tokio::test(start_paused = true)]
async fn an_unreadable_object_is_counted_while_it_is_unreadable() {
    let mut spoiled = podclique("a");
    spoiled["spec"]["replicas"] = json!("many");
    let lists = Arc::new(AtomicUsize::new(0));
    let count = lists.clone();
    let (canned, _) = scripted(move |asked, _| {
        if asked.contains("watch=true") {
            return Reply::Hang;
        }
        if asked.contains("labelSelector") {
            return Reply::Answer(200, list("5").1);
        }
        let item = match count.fetch_add(1, Ordering::SeqCst) {
            0 => spoiled.clone(),
            _ => podclique("a"),
        };
        let mut answer = list("5").1;
        answer["items"] = json!([item, podclique("b")]);
        Reply::Answer(200, answer)
    });
    let (context, _) = context(Vec::new());
    context.expect::<PodClique>();
    let unreadable = || {
        let kind = "PodClique";
        let gauge = &context.metrics.unreadable;
        gauge.get_or_create(&ByKind { kind }).get()
    };
    assert_eq!(unreadable(), 0, "from the start");
    let mut watch = Box::pin(informer::watch::<PodClique>(context.clone(), canned));
    let _ = tokio::time::timeout(Duration::from_secs(5), &mut watch).await;
    assert_eq!(unreadable(), 1);
    let _ = tokio::time::timeout(Duration::from_mins(2), &mut watch).await;
    assert!(lists.load(Ordering::SeqCst) > 1);
    assert_eq!(unreadable(), 0);
}
