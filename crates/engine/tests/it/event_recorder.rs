//! What makes two events one.

use api::{PodCliqueSet, events};
use domain::plan::{Event, Kind, Target};
use engine::event_recorder::EventRecorder;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Service;
use serde_json::{Value, json};

use crate::server::{Asked, context_that_keeps_bodies, failure};

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn object() -> Service {
    serde_json::from_value(json!({
        "metadata": {"name": "demo", "namespace": "default", "uid": "uid-demo"},
    }))
    .unwrap()
}

/// Says each event after a restart of the operator; the API server knows no event yet.
async fn post_events(events: &[Event]) -> Vec<Value> {
    let answers = events
        .iter()
        .map(|_| (409, failure(409, "AlreadyExists")))
        .collect();
    let (context, _, bodies) = context_that_keeps_bodies(answers);
    for (number, event) in (0..).zip(events) {
        let now = START + SignedDuration::from_secs(number);
        EventRecorder::default()
            .publish(
                &context.requests,
                context.reference(&object(), event),
                event,
                now,
            )
            .await;
    }
    let bodies = bodies.lock().unwrap();
    bodies.clone()
}

fn name(event: &Value) -> &str {
    event["metadata"]["name"].as_str().unwrap()
}

#[tokio::test]
async fn what_has_an_identity_is_one_event_over_restarts() {
    let terminated =
        |identity: &str| Event::warning(events::GANG_TERMINATED, "text").once(identity);
    let events = post_events(&[terminated("0/1"), terminated("0/1"), terminated("0/2")]).await;
    assert_eq!(name(&events[0]), name(&events[1]));
    assert_ne!(name(&events[0]), name(&events[2]));
}

#[tokio::test]
async fn what_was_done_is_done_each_time_and_a_warning_is_repeated() {
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
    let about = &events[0]["involvedObject"];
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
        events
            .publish(&context.requests, about, &event, START)
            .await;
    }
    assert_eq!(asked.lock().unwrap().len(), 2);
}
