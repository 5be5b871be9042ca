//! What the probes say of watches.

use std::sync::Arc;
use std::time::Duration;

use api::PodClique;
use domain::{Key, Pod};
use engine::Hub;
use engine::metrics::Metrics;
use engine::queue::Queue;
use engine::requests::Requests;
use engine::routes::Controller;
use futures::StreamExt;
use kube::Client;
use serde_json::{Value, json};

use crate::server::{Reply, client, failure, hub, scripted};

fn list(version: &str) -> (u16, Value) {
    let list = json!({
        "kind": "PodCliqueList", "apiVersion": "grove.io/v1alpha1",
        "metadata": {"resourceVersion": version}, "items": [],
    });
    (200, list)
}

/// What is unsynced after so much time, with these answers and after them only errors.
async fn unsynced_after(seconds: u64, answers: Vec<(u16, Value)>) -> Vec<String> {
    let (hub, _) = hub(Vec::new());
    hub.expect::<PodClique>();
    let (client, _) = client(answers);
    let watch = hub.clone().watch::<PodClique>(client);
    let _ = tokio::time::timeout(Duration::from_secs(seconds), watch).await;
    hub.unsynced().into_keys().collect()
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
    let hub = in_namespaces(&canned);
    let watch = hub.clone().watch::<PodClique>(canned);
    let _ = tokio::time::timeout(Duration::from_secs(1), watch).await;
    assert_eq!(hub.unsynced().len(), 1, "{:?}", hub.unsynced());
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
    let hub = in_namespaces(&canned);
    let watch = hub.clone().watch::<PodClique>(canned);
    let _ = tokio::time::timeout(Duration::from_millis(100), watch).await;
    let said = hub.unsynced();
    for namespace in ["a", "b"] {
        let why = &said[&format!("PodClique in {namespace}")];
        let remedy = format!("Role in namespace {namespace}, or take {namespace} off");
        assert!(why.contains(&remedy), "{why}");
    }
}

/// Its Role went with it; what happens in the others is looked at all the same.
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
    let hub = in_namespaces(&canned);
    let known = serde_json::from_value(podclique("b")).unwrap();
    hub.publish(hub.world.podcliques.apply(known));
    let queue = hub.queue(Controller::PodClique);
    let watch = hub.clone().watch::<PodClique>(canned.clone());
    let _ = tokio::time::timeout(Duration::from_secs(1), watch).await;
    let keys: Vec<_> = queue.keys().take(1).collect().await;
    assert_eq!(keys[0].namespace, "a");
    assert!(
        hub.queue(Controller::PodClique).is_empty(),
        "not all of b is known"
    );
    assert!(hub.unsynced().contains_key("PodClique in b"));
}

fn podclique(namespace: &str) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
        "metadata": {"name": "x", "namespace": namespace, "uid": namespace, "resourceVersion": "3"},
        "spec": {"roleName": "x", "podSpec": {"containers": []}, "replicas": 1},
    })
}

fn in_namespaces(client: &Client) -> Arc<Hub> {
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client.clone(), metrics.clone());
    let hub = Hub::new(requests, metrics).in_namespaces(&["a".into(), "b".into()]);
    hub.expect::<PodClique>();
    assert_eq!(hub.unsynced().len(), 2);
    Arc::new(hub)
}

/// An event that an API server loses is found out of by nobody else.
#[tokio::test(start_paused = true)]
async fn all_keys_are_decided_again_every_ten_minutes() {
    let podclique = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
        "metadata": {"name": "a", "namespace": "default", "uid": "a", "resourceVersion": "5"},
        "spec": {"roleName": "a", "podSpec": {"containers": []}, "replicas": 1},
    });
    let (code, mut listed) = list("5");
    listed["items"] = json!([podclique]);
    let (client, _) = client(vec![(code, listed)]);
    let (hub, asked) = hub(Vec::new());
    let watch = tokio::spawn(hub.clone().watch::<PodClique>(client));
    let queue = hub.queue(Controller::PodClique);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(drain(&queue).await, 1);
    tokio::time::sleep(Duration::from_mins(8)).await;
    assert_eq!(queue.len(), 0);
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_secs(70)).await;
        assert_eq!(drain(&queue).await, 1);
        tokio::time::sleep(Duration::from_secs(530)).await;
    }
    assert!(
        asked.lock().unwrap().is_empty(),
        "nothing is asked for that"
    );
    watch.abort();
}

async fn drain(queue: &Queue) -> usize {
    let count = queue.len();
    let keys = queue.clone().keys().take(count);
    keys.collect::<Vec<_>>().await.len()
}

/// Somebody else's pod has a name that is in doubt.
#[tokio::test(start_paused = true)]
async fn what_belongs_to_others_is_read_once() {
    let foreign = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "namespace": "default", "uid": "a", "resourceVersion": "5"},
    });
    let (hub, asked) = hub(vec![(200, foreign)]);
    hub.refresh::<Pod>(&Key::new("default", "a")).await;
    tokio::time::advance(Duration::from_hours(1)).await;
    assert_eq!(asked.lock().unwrap().len(), 1);
    assert!(hub.world.pods.overdue().is_empty() && hub.world.pods.is_empty());
}
