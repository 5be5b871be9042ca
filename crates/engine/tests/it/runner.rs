//! One controller from key to written status.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api::{PodClique, PodCliqueStatus, events};
use domain::Key;
use domain::plan::{Event, Plan};
use engine::metrics::ByController;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler, runner, worker};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::events::v1::Event as ApiEvent;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;
use tokio::sync::Notify;

use crate::server::{Asked, PODCLIQUE, Reply, context, context_of, failure, scripted};

/// Wants `replicas` in the status; panics on an object called `bad`.
struct Rules {
    decided: Arc<AtomicUsize>,
}

impl Reconciler for Rules {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = Arc<PodClique>;
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(_: &mut TriggersOf<'_>) {}

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, object: &Arc<PodClique>, _: &Caches) -> Arc<PodClique> {
        object.clone()
    }

    fn decide(&self, snapshot: &Arc<PodClique>, _: Timestamp) -> Plan<PodCliqueStatus> {
        self.decided.fetch_add(1, Ordering::SeqCst);
        assert_ne!(snapshot.metadata.name.as_deref(), Some("bad"));
        let status = PodCliqueStatus {
            replicas: 3,
            ..PodCliqueStatus::default()
        };
        Plan {
            status: Some(status),
            ..Plan::default()
        }
    }
}

/// Waits for a time that has passed.
struct Overdue;

impl Reconciler for Overdue {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = ();
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(_: &mut TriggersOf<'_>) {}

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, _: &Arc<PodClique>, _: &Caches) {}

    fn decide(&self, (): &(), _: Timestamp) -> Plan<PodCliqueStatus> {
        Plan {
            wake_at: Some(Timestamp::UNIX_EPOCH),
            ..Plan::default()
        }
    }
}

fn podclique(name: &str, version: &str) -> PodClique {
    PodClique {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("default".into()),
            uid: Some(format!("uid-{name}")),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        },
        ..PodClique::default()
    }
}

/// Runs the controller on these objects until `done` holds of its requests.
async fn run_until(names: &[&str], done: impl Fn(&[String]) -> bool) -> (Vec<String>, usize) {
    let mut written = podclique("good", "8");
    written.status = Some(PodCliqueStatus {
        replicas: 3,
        ..PodCliqueStatus::default()
    });
    let (context, asked) = context(vec![(200, json!(written))]);
    for name in names {
        context.publish(context.caches.of::<PodClique>().apply(podclique(name, "7")));
    }
    let decided = Arc::new(AtomicUsize::new(0));
    let stop = Arc::new(Notify::new());
    let stopped = stop.clone();
    let rules = Rules {
        decided: decided.clone(),
    };
    let task = tokio::spawn(runner::run(rules, context, 2, async move {
        stopped.notified().await;
    }));
    wait(&asked, done).await;
    stop.notify_one();
    task.await.unwrap();
    (
        asked.lock().unwrap().clone(),
        decided.load(Ordering::SeqCst),
    )
}

async fn wait(asked: &Asked, done: impl Fn(&[String]) -> bool) {
    let poll = async {
        while !done(&asked.lock().unwrap()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), poll)
        .await
        .expect("never done");
}

#[tokio::test]
async fn writes_the_status_once_and_is_quiet_when_it_is_right() {
    let (asked, decided) = run_until(&["good"], |asked| !asked.is_empty()).await;
    assert_eq!(
        asked,
        ["PUT /apis/grove.io/v1alpha1/namespaces/default/podcliques/good/status"]
    );
    assert!((1..=2).contains(&decided), "{decided}");
}

#[tokio::test]
async fn goes_on_with_others_when_a_rule_panics() {
    let (asked, _) = run_until(&["bad", "good"], |asked| !asked.is_empty()).await;
    assert_eq!(asked.len(), 1);
}

#[tokio::test]
async fn a_rule_that_panics_is_counted() {
    let (context, _) = context(Vec::new());
    context.publish(
        context
            .caches
            .of::<PodClique>()
            .apply(podclique("bad", "7")),
    );
    let decided = Arc::new(AtomicUsize::new(0));
    let worker = worker::Worker::new(Rules { decided }, context.clone());
    worker.reconcile(&Key::new("default", "bad")).await;
    let labels = ByController {
        controller: PODCLIQUE.0,
    };
    assert_eq!(context.metrics.panics.get_or_create(&labels).get(), 1);
}

/// An admission policy that refuses the operator's writes.
#[tokio::test(start_paused = true)]
async fn a_refused_status_is_tried_a_few_times_and_reported_by_an_event() {
    let (context, asked) = context_of(scripted(|asked, _| {
        if asked.ends_with("/status?") {
            Reply::Answer(422, failure(422, "Invalid"))
        } else {
            Reply::Answer(
                201,
                json!({"kind": "Event", "apiVersion": "events.k8s.io/v1", "metadata": {}}),
            )
        }
    }));
    context.publish(
        context
            .caches
            .of::<PodClique>()
            .apply(podclique("good", "7")),
    );
    let rules = Rules {
        decided: Arc::default(),
    };
    let began = tokio::time::Instant::now();
    let controller = runner::run(rules, context.clone(), 2, std::future::pending());
    let noise = async {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            context.queue(PODCLIQUE).add(Key::new("default", "good"));
        }
    };
    let both = futures::future::join(controller, noise);
    let _ = tokio::time::timeout(Duration::from_secs(45), both).await;
    assert_eq!(began.elapsed().as_secs(), 45);
    let asked = asked.lock().unwrap();
    let count = |end: &str| asked.iter().filter(|a| a.ends_with(end)).count();
    assert!((4..=8).contains(&count("/status?")), "{asked:?}");
    assert_eq!(count("/events?"), 1, "{asked:?}");
    assert_eq!(
        asked.len(),
        count("/status?") + 1,
        "nothing is read: {asked:?}"
    );
}

/// One of two is not answered; none of these failures follows another.
#[tokio::test(start_paused = true)]
async fn a_status_that_was_written_ends_the_row_of_those_that_were_not() {
    let written = |version: usize| (200, json!(podclique("good", &version.to_string())));
    let unavailable = (503, failure(503, "ServiceUnavailable"));
    let answers = (10..20).flat_map(|version| [unavailable.clone(), written(version)]);
    let (context, asked) = context(answers.collect());
    let good = podclique("good", "7");
    context.caches.of::<PodClique>().apply(good);
    let decided = Arc::default();
    let worker = worker::Worker::new(Rules { decided }, context);
    let mut waits = Vec::new();
    for _ in 10..20 {
        let key = Key::new("default", "good");
        waits.push(worker.reconcile(&key).await.again);
        tokio::time::advance(Duration::from_secs(1)).await;
        worker.reconcile(&key).await;
    }
    assert_eq!(asked.lock().unwrap().len(), 20);
    assert!(waits[0].is_some());
    assert!(waits.iter().all(|wait| *wait == waits[0]), "{waits:?}");
}

/// A time that has passed was due in this decision, and waits for something else.
#[tokio::test(start_paused = true)]
async fn a_time_that_has_passed_makes_nobody_decide_all_the_time() {
    let (context, _) = context(Vec::new());
    let overdue = podclique("overdue", "7");
    context.caches.of::<PodClique>().apply(overdue);
    let worker = worker::Worker::new(Overdue, context);
    let end = worker.reconcile(&Key::new("default", "overdue")).await;
    assert_eq!(end.again, Some(Duration::from_secs(1)));
}

#[tokio::test]
async fn a_waiting_key_is_not_begun_when_it_has_to_stop() {
    let (context, asked) = context(Vec::new());
    for name in ["a", "b", "c"] {
        context.publish(context.caches.of::<PodClique>().apply(podclique(name, "7")));
    }
    let decided = Arc::new(AtomicUsize::new(0));
    let rules = Rules {
        decided: decided.clone(),
    };
    runner::run(rules, context, 1, std::future::ready(())).await;
    assert_eq!(decided.load(Ordering::SeqCst), 0);
    assert_eq!(asked.lock().unwrap().len(), 0);
}

/// Decides on objects that go at that very moment.
struct Vanishing;

impl Reconciler for Vanishing {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = ();
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(_: &mut TriggersOf<'_>) {}

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, object: &Arc<PodClique>, caches: &Caches) {
        caches.of::<PodClique>().delete(&object.metadata);
    }

    fn decide(&self, (): &(), _: Timestamp) -> Plan<PodCliqueStatus> {
        Plan {
            status: Some(PodCliqueStatus::default()),
            ..Plan::default()
        }
    }
}

#[tokio::test]
async fn remembers_no_failure_of_an_object_that_went_meanwhile() {
    let (context, _) = context(vec![(503, failure(503, "ServiceUnavailable"))]);
    context
        .caches
        .of::<PodClique>()
        .apply(podclique("good", "7"));
    let worker = worker::Worker::new(Vanishing, context);
    let key = domain::Key::new("default", "good");
    assert_eq!(worker.reconcile(&key).await.again, None);
    assert!(!worker.remembers(&key));
}

/// Publishes many events.
struct Talkative;

impl Reconciler for Talkative {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = ();
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(_: &mut TriggersOf<'_>) {}

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, _: &Arc<PodClique>, _: &Caches) {}

    fn decide(&self, (): &(), _: Timestamp) -> Plan<PodCliqueStatus> {
        let event = |i: i32| Event::warning(events::GANG_TERMINATED, "text").once(i.to_string());
        Plan {
            events: (0..500).map(event).collect(),
            status: Some(PodCliqueStatus::default()),
            ..Plan::default()
        }
    }
}

/// Behind a webhook for events that hangs, for example. They are posted later, if they still hold.
#[tokio::test(start_paused = true)]
async fn events_without_an_answer_hold_a_decision_up_for_ten_seconds_together() {
    let (context, asked) = context_of(scripted(|asked, _| {
        if asked.ends_with("/status?") {
            Reply::Answer(200, json!(podclique("good", "8")))
        } else {
            Reply::Hang
        }
    }));
    let key = Key::new("default", "good");
    context
        .caches
        .of::<PodClique>()
        .apply(podclique("good", "7"));
    let worker = worker::Worker::new(Talkative, context.clone());
    for turn in 1..=2 {
        let began = tokio::time::Instant::now();
        worker.reconcile(&key).await;
        assert_eq!(began.elapsed().as_secs(), 10);
        let asked = asked.lock().unwrap();
        let events = asked.iter().filter(|a| a.ends_with("/events?")).count();
        assert_eq!(events, 8 * turn, "posted again");
    }
}

/// A hanging event must not delay the creation of pods.
#[tokio::test(start_paused = true)]
async fn events_take_no_turn_from_other_writes_of_their_namespace() {
    let (context, asked) = context_of(scripted(|_, _| Reply::Hang));
    let context = &context;
    let events = (0..100).map(|_| context.requests.create::<ApiEvent>("default", Vec::new()));
    let pods = (0..100).map(|_| context.requests.create::<Pod>("default", Vec::new()));
    let all = futures::future::join(
        futures::future::join_all(events),
        futures::future::join_all(pods),
    );
    // One event of each is sent first, and the others once that one is known to hang.
    let _ = tokio::time::timeout(Duration::from_secs(2), all).await;
    let asked = asked.lock().unwrap();
    let count = |end: &str| asked.iter().filter(|a| a.ends_with(end)).count();
    assert_eq!((count("/events?"), count("/pods?")), (8, 8), "{asked:?}");
}
