//! When two events are one.

use api::{ClusterTopologyBinding, PodCliqueScalingGroup, PodCliqueSet, events};
use domain::plan::{Event, Kind, Target};
use engine::apply::Outcome;
use engine::event_recorder::{EventRecorder, REPEAT_AFTER, summaries};
use engine::metrics::ByDrop;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Pod, Service};
use serde_json::{Value, json};

use crate::server::{Asked, context_that_keeps_bodies, failure};

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn object() -> Service {
    serde_json::from_value(json!({
        "metadata": {"name": "demo", "namespace": "default", "uid": "uid-demo"},
    }))
    .unwrap()
}

/// Publishes each event after a restart of the operator; the API server has no events yet.
async fn post_events(events: &[Event]) -> Vec<Value> {
    let answers = events
        .iter()
        .map(|_| (409, failure(409, "AlreadyExists")))
        .collect();
    let (context, _, bodies) = context_that_keeps_bodies(answers);
    for (number, event) in (0..).zip(events) {
        let now = START + SignedDuration::from_secs(number);
        EventRecorder::default()
            .publish(&context, context.reference(&object(), event), event, now)
            .await;
    }
    let bodies = bodies.lock().unwrap();
    bodies.clone()
}

fn name(event: &Value) -> &str {
    event["metadata"]["name"].as_str().unwrap()
}

#[tokio::test]
async fn an_event_with_an_identity_is_posted_once_over_restarts() {
    let terminated =
        |identity: &str| Event::warning(events::GANG_TERMINATED, "text").once(identity);
    let events = post_events(&[terminated("0/1"), terminated("0/1"), terminated("0/2")]).await;
    assert_eq!(name(&events[0]), name(&events[1]));
    assert_ne!(name(&events[0]), name(&events[2]));
}

#[tokio::test]
async fn a_deed_is_posted_each_time_and_a_warning_is_repeated() {
    let (success, failure) = events::of_writes("create", "Pod").unwrap();
    let created = Event::normal(success, "a");
    let refused = Event::warning(failure, "quota");
    let events = post_events(&[created.clone(), created, refused.clone(), refused]).await;
    assert_ne!(name(&events[0]), name(&events[1]));
    assert_eq!(name(&events[2]), name(&events[3]));
}

#[tokio::test]
async fn an_event_may_be_about_another_object() {
    let target = Target {
        kind: Kind::of::<PodCliqueSet>(),
        key: domain::Key::new("default", "set"),
        uid: "uid-set".into(),
    };
    let events =
        post_events(&[Event::normal(events::GANG_TERMINATION_SCHEDULED, "text").about(target)])
            .await;
    let about = &events[0]["regarding"];
    assert_eq!(
        (&about["kind"], &about["apiVersion"], &about["uid"]),
        (
            &json!("PodCliqueSet"),
            &json!("grove.io/v1alpha1"),
            &json!("uid-set")
        )
    );
    assert!(name(&events[0]).starts_with("set."));
}

/// API servers take no other namespace for it.
#[tokio::test]
async fn an_event_about_an_object_of_the_cluster_is_in_namespace_default() {
    let (context, asked, bodies) = context_that_keeps_bodies(vec![(201, json!({}))]);
    let mut binding = ClusterTopologyBinding::default();
    binding.metadata.name = Some("fabric".into());
    binding.metadata.uid = Some("uid-fabric".into());
    let event = Event::normal(events::TOPOLOGY_IN_SYNC, "text").once("1");
    let about = context.reference(&binding, &event);
    EventRecorder::default()
        .publish(&context, about, &event, START)
        .await;
    let path = "POST /apis/events.k8s.io/v1/namespaces/default/events";
    assert!(asked.lock().unwrap()[0].starts_with(path), "{asked:?}");
    let bodies = bodies.lock().unwrap();
    assert_eq!(bodies[0]["metadata"]["namespace"], "default");
    assert_eq!(bodies[0]["regarding"]["kind"], "ClusterTopologyBinding");
    assert_eq!(bodies[0]["regarding"]["namespace"], Value::Null);
}

#[tokio::test]
async fn is_posted_again_only_if_it_could_not_be_posted_before() {
    let (context, asked): (_, Asked) = crate::server::context(vec![
        (503, failure(503, "ServiceUnavailable")),
        (201, json!({})),
    ]);
    let events = EventRecorder::default();
    let event = Event::warning(events::GANG_TERMINATED, "text").once("0/1");
    for _ in 0..3 {
        let about = context.reference(&object(), &event);
        events.publish(&context, about, &event, START).await;
    }
    assert_eq!(asked.lock().unwrap().len(), 2);
}

/// Publishes the event at these times; returns the requests to the API server with their bodies.
async fn repeat(event: &Event, times: &[SignedDuration], answers: Answers) -> Vec<(String, Value)> {
    let (context, asked, bodies) = context_that_keeps_bodies(answers);
    let events = EventRecorder::default();
    for time in times {
        let about = context.reference(&object(), event);
        events.publish(&context, about, event, START + *time).await;
    }
    let (asked, bodies) = (asked.lock().unwrap(), bodies.lock().unwrap());
    asked.iter().cloned().zip(bodies.iter().cloned()).collect()
}

type Answers = Vec<(u16, Value)>;

#[tokio::test]
async fn a_warning_that_goes_on_becomes_a_series() {
    let (_, failure) = events::of_writes("create", "Pod").unwrap();
    let event = Event::warning(failure, "quota");
    let minutes = [0, 1, 29, 30, 31, 60].map(SignedDuration::from_mins);
    let answers = vec![(201, json!({})), (200, json!({})), (200, json!({}))];
    let asked = repeat(&event, &minutes, answers).await;
    let counts: Vec<&Value> = asked
        .iter()
        .map(|(_, body)| &body["series"]["count"])
        .collect();
    assert_eq!(counts, [&Value::Null, &json!(2), &json!(3)], "{asked:?}");
    assert!(
        asked[0].0.starts_with("POST ") && asked[1].0.starts_with("PATCH "),
        "{asked:?}"
    );
    let last = &asked[2].1["series"]["lastObservedTime"];
    assert_eq!(last, "1970-01-01T01:00:00.000000Z");
}

#[tokio::test]
async fn an_event_that_the_api_server_has_forgotten_is_posted_again() {
    let event = Event::warning(events::SYNC_FAILED, "quota");
    let answers = vec![
        (201, json!({})),
        (404, failure(404, "NotFound")),
        (201, json!({})),
    ];
    let asked = repeat(&event, &[SignedDuration::ZERO, REPEAT_AFTER], answers).await;
    let verbs: Vec<&str> = asked
        .iter()
        .filter_map(|(asked, _)| asked.split(' ').next())
        .collect();
    assert_eq!(verbs, ["POST", "PATCH", "POST"]);
    assert_eq!(name(&asked[0].1), name(&asked[2].1));
}

#[tokio::test]
async fn a_success_is_no_series() {
    let event = Event::normal(events::REPLICA_RESTARTING, "text").once("0/1");
    let times = [SignedDuration::ZERO, REPEAT_AFTER];
    let asked = repeat(&event, &times, vec![(201, json!({}))]).await;
    assert_eq!(asked.len(), 1);
}

/// All fields that an API server requires of `events.k8s.io/v1`, within its limits.
#[tokio::test]
async fn an_event_is_as_api_servers_take_it() {
    let long = "ä".repeat(2000);
    let event = Event::warning(events::SYNC_FAILED, long);
    let posted = post_events(&[event]).await;
    for field in [
        "eventTime",
        "reportingController",
        "reportingInstance",
        "action",
        "reason",
    ] {
        assert!(
            posted[0][field].as_str().is_some_and(|s| !s.is_empty()),
            "{field}: {posted:?}"
        );
    }
    let note = posted[0]["note"].as_str().unwrap();
    assert!((990..=1024).contains(&note.len()), "{}", note.len());
    assert!(posted[0]["involvedObject"].is_null() && posted[0]["count"].is_null());
}

/// The namespace of a hundred sets: routine events beyond its budget are counted, the others
/// posted.
#[tokio::test(start_paused = true)]
async fn routine_events_keep_to_the_budget_of_their_namespace_and_others_do_not() {
    let answers = (0..100).map(|_| (201, json!({}))).collect();
    let (context, asked): (_, Asked) = crate::server::context(answers);
    let events = EventRecorder::default();
    let (created, _) = events::of_writes("create", "Pod").unwrap();
    let post = async |event: Event| {
        let about = context.reference(&object(), &event);
        events.publish(&context, about, &event, START).await;
    };
    for number in 0..30 {
        post(Event::normal(created, format!("pod {number}"))).await;
    }
    assert_eq!(asked.lock().unwrap().len(), 10);
    post(Event::normal(created, "pod 29")).await;
    for number in 0..20 {
        post(Event::warning(created, format!("refused {number}"))).await;
        post(Event::normal(events::REPLICA_RESTARTING, "text").once(number.to_string())).await;
    }
    assert_eq!(asked.lock().unwrap().len(), 50);
    let dropped = &context.metrics.events_dropped;
    let labels = ByDrop { reason: "Budget" };
    assert_eq!(dropped.get_or_create(&labels).get(), 20, "once for each");
}

#[test]
fn the_writes_of_one_decision_are_one_event_for_each_reason() {
    let mut outcome = Outcome::default();
    let pods = (0..10).map(|k| ("create", Kind::of::<Pod>(), format!("p{k}")));
    outcome.done.extend(pods);
    let group = Kind::of::<PodCliqueScalingGroup>();
    outcome.done.push(("create", group, "g".into()));
    outcome.done.push(("replace", group, "h".into()));
    let said = summaries(&outcome).into_iter();
    let said: Vec<_> = said.map(|e| (e.reason.as_str(), e.message)).collect();
    let groups = "created 1 PodCliqueScalingGroup: g; updated 1 PodCliqueScalingGroup: h";
    let pods = "created 10 Pods: p0, p1, p2, p3, p4, p5, p6, p7 and 2 more";
    assert_eq!(
        said,
        [
            ("PodCliqueScalingGroupCreateSuccessful", groups.to_owned()),
            ("PodCreateSuccessful", pods.to_owned()),
        ]
    );
}
