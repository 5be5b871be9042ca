//! An API server that takes requests and sends no answer, or stops in the middle of one.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use api::PodClique;
use domain::Key;
use engine::crds::wait_until_current;
use engine::metrics::Metrics;
use engine::requests::Requests;
use engine::{Context, Reconciler as _, informer};
use k8s_openapi::api::core::v1::Service;
use serde_json::{Value, json};

use crate::server::{Asked, Idle, Reply, controllers, failure, scripted};

fn list(kind: &str) -> Reply {
    let list = json!({
        "kind": format!("{kind}List"), "apiVersion": "v1",
        "metadata": {"resourceVersion": "5"}, "items": [],
    });
    Reply::Answer(200, list)
}

fn podclique(name: &str) -> Value {
    let metadata =
        json!({"name": name, "namespace": "default", "uid": name, "resourceVersion": "7"});
    json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "metadata": metadata, "spec": {
        "roleName": name, "podSpec": {"containers": []}, "replicas": 1,
    }})
}

/// A context whose API server answers this way.
fn context(
    script: impl Fn(&str, usize) -> Reply + Send + Sync + 'static,
) -> (Arc<Context>, kube::Client, Asked) {
    let (client, asked) = scripted(script);
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client.clone(), metrics.clone());
    (
        Arc::new(Context::new(requests, metrics, controllers())),
        client,
        asked,
    )
}

async fn watch_for(seconds: u64, context: &Arc<Context>, client: kube::Client) {
    let watch = informer::watch::<PodClique>(context.clone(), client);
    let _ = tokio::time::timeout(Duration::from_secs(seconds), watch).await;
}

fn lists(asked: &Asked) -> usize {
    let asked = asked.lock().unwrap();
    asked.iter().filter(|a| !a.contains("watch=true")).count()
}

/// Lists that work, and watches of this kind.
async fn lists_after_85_seconds_with_watches(reply: fn() -> Reply) -> usize {
    let (context, client, asked) = context(move |asked, _| {
        if asked.contains("watch=true") {
            reply()
        } else {
            list("PodClique")
        }
    });
    watch_for(85, &context, client).await;
    lists(&asked)
}

#[tokio::test(start_paused = true)]
async fn a_watch_whose_start_is_never_answered_is_restarted_with_a_list() {
    let lists = lists_after_85_seconds_with_watches(|| Reply::Hang).await;
    assert!((2..=4).contains(&lists), "{lists} lists");
}

#[tokio::test(start_paused = true)]
async fn a_silent_watch_is_restarted_with_a_list() {
    let lists = lists_after_85_seconds_with_watches(|| Reply::Silent).await;
    assert_eq!(lists, 2);
}

/// A watch that sends a bookmark every 40 s.
fn bookmarks() -> Reply {
    let metadata = json!({"resourceVersion": "8", "creationTimestamp": null});
    let object =
        json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "metadata": metadata});
    Reply::Every(Duration::from_secs(40), "BOOKMARK", object)
}

/// Only a list shows an event that an API server lost.
#[tokio::test(start_paused = true)]
async fn a_watch_in_order_is_restarted_with_a_list_every_half_an_hour() {
    let (context, client, asked) = context(move |asked, _| {
        if asked.contains("watch=true") {
            bookmarks()
        } else {
            list("PodClique")
        }
    });
    watch_for(29 * 60, &context, client.clone()).await;
    assert_eq!(lists(&asked), 1);
    watch_for(62 * 60, &context, client).await;
    assert_eq!(lists(&asked), 1 + 3);
    assert!(context.unsynced().is_empty());
}

#[tokio::test(start_paused = true)]
async fn bookmarks_are_a_sign_of_life() {
    let bookmark = || {
        let metadata = json!({"resourceVersion": "8", "creationTimestamp": null});
        let object =
            json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "metadata": metadata});
        Reply::Every(Duration::from_secs(40), "BOOKMARK", object)
    };
    let (context, client, asked) = context(move |asked, _| {
        if asked.contains("watch=true") {
            bookmark()
        } else {
            list("PodClique")
        }
    });
    watch_for(600, &context, client).await;
    assert_eq!(lists(&asked), 1, "{asked:?}");
    assert_eq!(context.unsynced().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_an_answer_is_reported() {
    let (context, client, _) = context(|_, _| Reply::Hang);
    context.expect::<PodClique>();
    watch_for(20, &context, client).await;
    let why = &context.unsynced()["PodClique"];
    assert!(why.contains("no answer within 15s"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_without_a_message_for_three_minutes_is_not_watched() {
    let (context, client, _) = context(|asked, _| {
        if asked.contains("watch=true") {
            Reply::Silent
        } else {
            list("PodClique")
        }
    });
    watch_for(1, &context, client).await;
    // For any cause of the silence.
    tokio::time::advance(Duration::from_secs(150)).await;
    assert_eq!(context.unsynced().len(), 0);
    tokio::time::advance(Duration::from_mins(1)).await;
    let why = &context.unsynced()["PodClique"];
    assert!(why.contains("no message from its watch for 211 s"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn definitions_without_an_answer_are_asked_for_again_and_reported() {
    let (context, client, asked) = context(|_, _| Reply::Hang);
    let _ = tokio::time::timeout(
        Duration::from_secs(40),
        wait_until_current(&context, &client),
    )
    .await;
    let why = &context.unsynced()["CustomResourceDefinitions"];
    assert!(why.contains("no answer within 15s"), "{why}");
    assert!(asked.lock().unwrap().len() >= 2);
}

/// Where the second list, of objects that lost their label, is refused or hangs.
async fn without_strays(reply: fn() -> Reply, seconds: u64) -> (Arc<Context>, String) {
    let (context, client, _) = context(move |asked, _| {
        if asked.contains("watch=true") {
            let object = json!({"apiVersion": "v1", "kind": "Service", "metadata": {
                "name": "late", "namespace": "default", "uid": "late", "resourceVersion": "7",
            }});
            return Reply::Every(Duration::from_secs(1), "ADDED", object);
        }
        if asked.contains("managed-by%21%3D") {
            return reply();
        }
        list("Service")
    });
    context.expect::<Service>();
    let watch = informer::watch::<Service>(context.clone(), client);
    let _ = tokio::time::timeout(Duration::from_secs(seconds), watch).await;
    let why = context.unsynced().remove("Service").unwrap();
    (context, why)
}

#[tokio::test(start_paused = true)]
async fn strays_that_cannot_be_listed_are_reported_and_hold_no_watch_up() {
    let refused = || Reply::Answer(403, failure(403, "Forbidden"));
    let (context, why) = without_strays(refused, 10).await;
    assert!(why.contains("Forbidden from the server"), "{why}");
    assert_eq!(
        context.caches.of::<Service>().len(),
        1,
        "the events of the watch meanwhile"
    );
    let (_, why) = without_strays(|| Reply::Hang, 20).await;
    assert!(why.contains("no answer"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_came_while_the_watch_was_dead_is_seen_within_90_seconds() {
    for reply in [|| Reply::Hang, || Reply::Silent] {
        let (context, client, _) =
            context(move |asked, before| match asked.contains("watch=true") {
                true => reply(),
                false if before == 0 => list("PodClique"),
                false => Reply::Answer(
                    200,
                    json!({
                        "kind": "PodCliqueList", "apiVersion": "grove.io/v1alpha1",
                        "metadata": {"resourceVersion": "9"}, "items": [podclique("a")],
                    }),
                ),
            });
        watch_for(70, &context, client).await;
        assert_eq!(context.caches.of::<PodClique>().len(), 1);
    }
}

/// Another operator led before: the view may lack that operator's last writes.
#[tokio::test(start_paused = true)]
async fn a_kind_to_be_listed_again_holds_keys_back_until_it_is() {
    let (context, client, asked) = context(|asked, _| {
        if asked.contains("watch=true") {
            return Reply::Silent;
        }
        list("PodClique")
    });
    context.expect::<PodClique>();
    watch_for(1, &context, client.clone()).await;
    let key = Key {
        namespace: "default".into(),
        name: "late".into(),
    };
    context.list_anew();
    assert!(context.has_listed_all(), "it is no reason not to be ready");
    context.enqueue(Idle::NAME, key);
    assert_eq!(context.queue(Idle::NAME).depth(), 0);
    watch_for(1, &context, client.clone()).await;
    assert_eq!((context.queue(Idle::NAME).depth(), lists(&asked)), (1, 2));
    // Also for a watch that is open.
    let listing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        context.list_anew();
    };
    tokio::join!(watch_for(2, &context, client), listing);
    assert_eq!(lists(&asked), 4);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_under_way_when_another_was_asked_for_lets_no_key_go() {
    let asks = Arc::new(OnceLock::<Arc<Context>>::new());
    let asks_for_another = asks.clone();
    let (context, client, asked) = context(move |asked, before| match asked {
        _ if asked.contains("watch=true") => Reply::Silent,
        _ if before > 0 => Reply::Hang,
        _ => {
            asks_for_another.get().unwrap().list_anew();
            list("PodClique")
        }
    });
    let _ = asks.set(context.clone());
    context.expect::<PodClique>();
    context.enqueue(Idle::NAME, Key::new("default", "late"));
    watch_for(5, &context, client).await;
    assert_eq!((context.queue(Idle::NAME).depth(), lists(&asked)), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_request_other_than_a_watch_makes_no_kind_unknown() {
    let (context, _, _) = context(|_, _| Reply::Hang);
    context.set_problem("Webhook", Some("no certificate".into()));
    assert!(context.has_listed_all());
    assert_eq!(context.unsynced()["Webhook"], "no certificate");
    context.set_problem("Webhook", None);
    assert!(context.unsynced().is_empty());
}

/// The cached view was true once. The view of a watch that is closed and restarted is not lost.
#[tokio::test(start_paused = true)]
async fn the_view_of_a_lost_watch_is_out_of_date_until_it_is_listed_again() {
    let (context, client, _) = context(|asked, before| match asked {
        _ if asked.contains("watch=true") => Reply::Silent,
        _ if (1..4).contains(&before) => Reply::Answer(500, failure(500, "InternalError")),
        _ => list("PodClique"),
    });
    context.expect::<PodClique>();
    let is_outdated = || context.caches.is_outdated::<PodClique>("default");
    let watch = informer::watch::<PodClique>(context.clone(), client);
    let watch = tokio::spawn(watch);
    tokio::time::sleep(Duration::from_secs(58)).await;
    assert!(!is_outdated(), "it may still speak");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(is_outdated());
    assert!(context.caches.is_served::<PodClique>("default"));
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(!is_outdated(), "listed again");
    watch.abort();
}

/// The watch is closed before the list is requested, and a large one takes its time.
#[tokio::test(start_paused = true)]
async fn so_is_the_view_before_a_list_of_every_half_an_hour() {
    let (context, client, _) = context(|asked, before| match asked {
        _ if asked.contains("watch=true") => bookmarks(),
        _ if before == 0 => list("PodClique"),
        _ => Reply::Hang,
    });
    context.expect::<PodClique>();
    let is_outdated = || context.caches.is_outdated::<PodClique>("default");
    let watch = informer::watch::<PodClique>(context.clone(), client);
    let watch = tokio::spawn(watch);
    tokio::time::sleep(Duration::from_mins(30) - Duration::from_secs(1)).await;
    assert!(!is_outdated());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(is_outdated());
    watch.abort();
}

/// A proxy in front of the API server, or a server that is about to end.
#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_at_once_is_restarted_once_a_second() {
    let (context, client, asked) = context(|asked, _| {
        if asked.contains("watch=true") {
            Reply::Empty
        } else {
            list("PodClique")
        }
    });
    watch_for(60, &context, client).await;
    let lists = lists(&asked);
    let watches = asked.lock().unwrap().len() - lists;
    assert!((50..=61).contains(&watches), "{watches} watches");
    assert_eq!(lists, 1);
}

/// Objects deleted meanwhile need not be remembered until the API server lists again.
#[tokio::test(start_paused = true)]
async fn a_list_that_fails_is_no_longer_under_way() {
    let (context, client, _) = context(|_, _| Reply::Answer(500, failure(500, "InternalError")));
    let cache = context.caches.of::<PodClique>();
    let gone: PodClique = serde_json::from_value(podclique("a")).unwrap();
    cache.apply(gone.clone());
    cache.delete(&gone.metadata);
    assert!(cache.apply(gone.clone()).is_none(), "known to be gone");
    watch_for(301, &context, client).await;
    cache.tidy();
    assert!(
        cache.apply(gone).is_some(),
        "nothing that old arrives any more"
    );
}
