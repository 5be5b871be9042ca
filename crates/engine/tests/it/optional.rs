//! A kind of the cluster whose CustomResourceDefinition comes and goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use api::ClusterTopologyBinding;
use api::{PodClique, PodCliqueStatus};
use domain::Key;
use domain::plan::Plan;
use domain::scheduling::Backend;
use engine::metrics::{ByKind, Metrics};
use engine::requests::Requests;
use engine::triggers::TriggersOf;
use engine::{Caches, Context, ControllerName, Controllers, Kinds, Pace, Reconciler, Watched};
use jiff::Timestamp;
use k8s_openapi::api::scheduling::v1beta1::PodGroup;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Client, Resource};
use serde::Deserialize;
use serde_json::json;

use crate::server::{Reply, failure, scripted};

#[derive(Clone, Debug, Deserialize, Resource)]
#[resource(inherit = ClusterTopologyBinding)]
struct Binding {
    metadata: ObjectMeta,
}

impl Watched for Binding {
    const IS_OPTIONAL: bool = true;
}

const READER: ControllerName = ControllerName("reader");

/// Reads bindings when it decides about PodCliques.
struct Reader;

impl Reconciler for Reader {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = ();
    const NAME: ControllerName = READER;

    fn triggers(on: &mut TriggersOf<'_>) {
        on.on_change::<Binding>(|change, _| {
            let name = change.newest().and_then(|b| b.metadata.name.clone());
            name.map(|name| Key::new("default", name))
                .into_iter()
                .collect()
        });
    }

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, _: &Arc<PodClique>, _: &Caches) {}

    fn decide(&self, (): &(), _: Timestamp) -> Plan<PodCliqueStatus> {
        Plan::default()
    }
}

/// An operator whose only controller is the reader.
fn reading(client: &Client) -> Context {
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client.clone(), metrics.clone());
    Context::new(requests, metrics, Controllers::default().with::<Reader>())
}

fn podclique(name: &str) -> PodClique {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        namespace: Some("default".into()),
        uid: Some(name.into()),
        resource_version: Some("3".into()),
        ..ObjectMeta::default()
    };
    PodClique {
        metadata,
        ..PodClique::default()
    }
}

fn list() -> Reply {
    let binding = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "ClusterTopologyBinding",
        "metadata": {"name": "rack", "uid": "rack", "resourceVersion": "4"}, "spec": {},
    });
    Reply::Answer(
        200,
        json!({
            "kind": "ClusterTopologyBindingList", "apiVersion": "grove.io/v1alpha1",
            "metadata": {"resourceVersion": "5"}, "items": [binding],
        }),
    )
}

#[tokio::test(start_paused = true)]
async fn nothing_waits_for_it_and_its_readers_are_triggered_when_it_comes_and_goes() {
    let is_installed = Arc::new(AtomicBool::new(false));
    let is_served = is_installed.clone();
    let (client, asked) = scripted(move |asked, _| {
        if !is_served.load(Ordering::SeqCst) {
            return Reply::Answer(404, failure(404, "NotFound"));
        }
        if asked.contains("watch=true") {
            return Reply::Silent;
        }
        list()
    });
    let context = Arc::new(reading(&client));
    let (_, watch) = Kinds::none()
        .with::<Binding>()
        .watches(&context, &client)
        .remove(0);
    assert_eq!(context.unsynced().len(), 1, "it may be there");
    context.caches.of::<PodClique>().apply(podclique("a"));
    let watch = tokio::spawn(watch);
    let triggered = || context.queue(READER).take_all();

    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(context.unsynced().is_empty(), "{:?}", context.unsynced());
    assert!(!context.caches.is_served::<Binding>(""));
    assert_eq!(
        triggered(),
        [Key::new("default", "a")],
        "it is known to be absent"
    );
    let before = asked.lock().unwrap().len();
    tokio::time::sleep(Duration::from_mins(10)).await;
    let polls = asked.lock().unwrap().len() - before;
    assert!(
        (15..=25).contains(&polls),
        "{polls} requests in ten minutes"
    );
    assert!(context.unsynced().is_empty(), "its silence means nothing");

    is_installed.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert!(context.caches.is_served::<Binding>(""));
    assert_eq!(context.caches.of::<Binding>().len(), 1);
    assert_eq!(
        triggered().len(),
        2,
        "the object, and all readers of the kind"
    );
    let path = "GET /apis/grove.io/v1alpha1/clustertopologybindings?";
    assert!(asked.lock().unwrap().iter().all(|a| a.starts_with(path)));

    is_installed.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert!(!context.caches.is_served::<Binding>(""));
    assert!(context.caches.of::<Binding>().is_empty());
    assert_eq!(triggered().len(), 2);
    assert!(context.unsynced().is_empty());
    watch.abort();
}

/// Its watch ends with it. A definition that is replaced is found within seconds.
#[tokio::test(start_paused = true)]
async fn an_operator_stays_ready_while_a_definition_goes_and_comes_back() {
    let is_installed = Arc::new(AtomicBool::new(true));
    let is_served = is_installed.clone();
    let (client, _) = scripted(move |asked, _| match asked {
        _ if !is_served.load(Ordering::SeqCst) => Reply::Answer(404, failure(404, "NotFound")),
        _ if asked.contains("watch=true") => Reply::Brief(Duration::from_secs(5)),
        _ => list(),
    });
    let context = Arc::new(reading(&client));
    let (_, watch) = Kinds::none()
        .with::<Binding>()
        .watches(&context, &client)
        .remove(0);
    let watch = tokio::spawn(watch);
    tokio::time::sleep(Duration::from_secs(1)).await;
    for is_there in [true, false, true] {
        is_installed.store(is_there, Ordering::SeqCst);
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert!(context.unsynced().is_empty(), "{:?}", context.unsynced());
        }
        assert_eq!(context.caches.is_served::<Binding>(""), is_there);
        assert_eq!(context.caches.of::<Binding>().is_empty(), !is_there);
    }
    watch.abort();
}

/// An API server that has just started, and does not know the permissions yet.
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_refused_once_takes_nothing_away() {
    let (client, _) = scripted(|asked, before| match asked {
        _ if asked.contains("watch=true") && (1..4).contains(&before) => {
            Reply::Answer(403, failure(403, "Forbidden"))
        }
        _ if asked.contains("watch=true") => Reply::Silent,
        _ => list(),
    });
    let context = Arc::new(reading(&client));
    let (_, watch) = Kinds::none()
        .with::<Binding>()
        .watches(&context, &client)
        .remove(0);
    let watch = tokio::spawn(watch);
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(context.caches.is_served::<Binding>(""));
    }
    assert_eq!(context.caches.of::<Binding>().len(), 1);
    watch.abort();
}

/// Of an API server that was away. The gauge kept its last value, for ever.
#[tokio::test(start_paused = true)]
async fn one_that_is_found_to_be_absent_is_silent_no_longer() {
    let is_away = Arc::new(AtomicBool::new(true));
    let does_hang = is_away.clone();
    let (client, _) = scripted(move |_, _| {
        if does_hang.load(Ordering::SeqCst) {
            return Reply::Hang;
        }
        Reply::Answer(404, failure(404, "NotFound"))
    });
    let context = Arc::new(reading(&client));
    let kinds = Kinds::none().with::<Binding>();
    let watches = kinds.watches(&context, &client).into_iter();
    let watches: Vec<_> = watches.map(|(_, watch)| tokio::spawn(watch)).collect();
    let silence = || {
        context.measure();
        let kind = "ClusterTopologyBinding";
        let gauge = context.metrics.watch_silence.get(&ByKind { kind });
        gauge.map(|gauge| gauge.get()).unwrap_or_default()
    };
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert!(silence() > 180.0);
    is_away.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(silence().abs() < f64::EPSILON);
    for watch in watches {
        watch.abort();
    }
}

/// It may not read them.
#[tokio::test(start_paused = true)]
async fn an_operator_of_some_namespaces_lists_no_cluster_scoped_kinds() {
    let (client, asked) = scripted(|_, _| Reply::Answer(403, failure(403, "Forbidden")));
    let context = Arc::new(reading(&client).in_namespaces(&["default".into()]));
    let watches = Kinds::none().with::<Binding>().watches(&context, &client);
    let watches = watches.into_iter().map(|(_, watch)| tokio::spawn(watch));
    let watches: Vec<_> = watches.collect();
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(*asked.lock().unwrap(), [""; 0]);
    assert!(context.unsynced().is_empty(), "nothing waits for it");
    assert!(!context.caches.is_served::<Binding>(""));
    watches.iter().for_each(tokio::task::JoinHandle::abort);
}

/// Its account has the rights of an older release.
#[tokio::test(start_paused = true)]
async fn one_without_the_right_goes_on_without_them() {
    let (client, _) = scripted(|_, _| Reply::Answer(403, failure(403, "Forbidden")));
    let context = Arc::new(reading(&client));
    let (_, watch) = Kinds::none()
        .with::<Binding>()
        .watches(&context, &client)
        .remove(0);
    let watch = tokio::spawn(watch);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(context.unsynced().is_empty(), "{:?}", context.unsynced());
    assert!(!context.caches.is_served::<Binding>(""));
    watch.abort();
}

/// Its Role there is of an older release, or the namespace and the Role are gone.
#[tokio::test(start_paused = true)]
async fn one_without_the_right_in_a_namespace_takes_nothing_from_the_others() {
    let (client, _) = scripted(|asked, _| match asked {
        _ if asked.contains("/namespaces/b/") => Reply::Answer(403, failure(403, "Forbidden")),
        _ if asked.contains("watch=true") => Reply::Silent,
        _ => {
            let metadata = json!({"resourceVersion": "5"});
            let body = json!({"kind": "PodGroupList", "metadata": metadata, "items": [],
                "apiVersion": "scheduling.k8s.io/v1beta1"});
            Reply::Answer(200, body)
        }
    });
    let context = Arc::new(reading(&client).in_namespaces(&["a".into(), "b".into()]));
    let watches = Kinds::none().with::<PodGroup>().watches(&context, &client);
    let watches = watches.into_iter().map(|(_, watch)| tokio::spawn(watch));
    let watches: Vec<_> = watches.collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(context.unsynced().is_empty(), "{:?}", context.unsynced());
    let serves = |namespace| context.caches.serves(Backend::Kubernetes, namespace);
    assert!(serves("a") && !serves("b"));
    watches.iter().for_each(tokio::task::JoinHandle::abort);
}
