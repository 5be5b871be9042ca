//! Refused, throttled or useless requests, and the rest of the plan.

use std::time::Duration;

use domain::plan::Kind;
use domain::{Key, Pod};
use engine::apply::{apply_plan, read_all_live};
use engine::backoff::Blocked;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::apply::{create, delete, first, run};
use crate::server::{Reply, context, context_of, failure, scripted};

fn unwilling(code: u16, message: &str) -> (u16, Value) {
    let mut refusal = failure(code, "InternalError");
    refusal["message"] = message.into();
    (code, refusal)
}

/// It was not carried out: no live read has to check that.
#[tokio::test]
async fn a_webhook_that_cannot_be_asked_is_a_refusal_and_no_doubt() {
    let message = "Internal error occurred: failed calling webhook \"pods.example.com\": failed to \
        call webhook: Post \"https://example.com\": context deadline exceeded";
    let answers = vec![unwilling(500, message), (200, json!({}))];
    let (context, asked) = context(answers);
    let waves = [vec![create("a")], vec![delete("e")]];
    let outcome = apply_plan(&context, &waves, &Blocked::default(), Timestamp::UNIX_EPOCH).await;
    assert_eq!(asked.lock().unwrap().len(), 2, "the rest goes on");
    assert!(
        context.caches.of::<Pod>().expired().is_empty(),
        "nothing to read"
    );
    assert!(!context.caches.of::<Pod>().may_have_more_of("owner"));
    assert!(outcome.failures[0].is_refused);
    assert_eq!(first(&outcome).code, "ERR_CREATE_POD");
    insta::assert_snapshot!(first(&outcome).description);
}

#[tokio::test]
async fn a_denial_by_a_webhook_is_a_refusal_whatever_its_code() {
    for code in [400, 403, 429, 500] {
        let message = "admission webhook \"pods.example.com\" denied the request: no";
        let (outcome, ..) = run(vec![unwilling(code, message)], vec![vec![create("a")]]).await;
        assert!(outcome.failures[0].is_refused, "{code}");
        let description = format!("create Pod a: {message}");
        assert_eq!(first(&outcome).description, description);
    }
}

/// It becomes part of a status, which has to be stored.
#[tokio::test]
async fn a_message_of_a_megabyte_is_cut() {
    let message = format!("Pod is invalid: spec.x: \"{}\"", "é".repeat(500_000));
    let (outcome, ..) = run(vec![unwilling(422, &message)], vec![vec![create("a")]]).await;
    let description = &first(&outcome).description;
    assert!(
        description.starts_with("create Pod a: Pod is invalid"),
        "{description}"
    );
    assert!(description.len() < 5_000, "{} bytes", description.len());
}

/// The text of the API server's priority and fairness is plain, not a Status object.
#[tokio::test(start_paused = true)]
async fn a_server_that_asks_to_wait_did_nothing_and_is_asked_nothing_more() {
    let (context, asked) = context_of(scripted(|_, before| match before {
        0 => Reply::Throttle(7),
        _ => Reply::Answer(200, json!({})),
    }));
    let began = tokio::time::Instant::now();
    let waves = [vec![create("a"), create("b")], vec![delete("e")]];
    let outcome = apply_plan(&context, &waves, &Blocked::default(), Timestamp::UNIX_EPOCH).await;
    assert_eq!(asked.lock().unwrap().len(), 1);
    assert!(
        context.caches.of::<Pod>().expired().is_empty(),
        "nothing to read"
    );
    assert_eq!(outcome.failures[0].after, Duration::from_secs(7));
    assert_eq!(first(&outcome).code, "ERR_API_THROTTLED");
    insta::assert_snapshot!(first(&outcome).description);
    let others = [vec![delete("f")]];
    apply_plan(
        &context,
        &others,
        &Blocked::default(),
        Timestamp::UNIX_EPOCH,
    )
    .await;
    assert_eq!(
        began.elapsed(),
        Duration::from_secs(7),
        "nor does another reconcile ask"
    );
}

/// A proxy in front of an API server, which does not know its load, may do so.
#[tokio::test(start_paused = true)]
async fn no_request_waits_for_hours_because_a_server_asks_for_it() {
    let throttled = scripted(|_, _| Reply::Throttle(u16::MAX));
    let (context, _) = context_of(throttled);
    let waves = [vec![create("a")]];
    let outcome = apply_plan(&context, &waves, &Blocked::default(), Timestamp::UNIX_EPOCH).await;
    assert_eq!(outcome.failures[0].after, Duration::from_mins(1));
}

#[tokio::test]
async fn a_namespace_that_is_being_deleted_stops_creations_in_it() {
    let (context, asked) = context_of(scripted(|asked, _| {
        if asked.starts_with("POST") {
            let message = "pods \"a\" is forbidden: unable to create new content in namespace default \
            because it is being terminated";
            let (code, answer) = unwilling(403, message);
            Reply::Answer(code, answer)
        } else {
            Reply::Answer(200, json!({}))
        }
    }));
    let all: Vec<_> = (0..500).map(|i| create(&format!("p{i}"))).collect();
    let waves = [all, vec![delete("e")]];
    let outcome = apply_plan(&context, &waves, &Blocked::default(), Timestamp::UNIX_EPOCH).await;
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2, "one POST, and the deletions");
    assert_eq!(outcome.errors().count(), 0, "not the user's problem");
    assert_eq!(outcome.conflicts.len(), 0, "nothing to read");
    assert!(outcome.has_failed());
}

/// 500 objects that were deleted meanwhile.
#[tokio::test(start_paused = true)]
async fn changed_objects_are_read_some_at_once_and_no_more_without_an_answer() {
    let changed: Vec<_> = (0..500)
        .map(|i| (Kind::of::<Pod>(), Key::new("default", format!("p{i}"))))
        .collect();
    let (context, asked) = context_of(scripted(|_, _| Reply::Hang));
    let began = tokio::time::Instant::now();
    read_all_live(&context, &changed).await;
    assert_eq!(began.elapsed(), Duration::from_secs(15));
    assert_eq!(asked.lock().unwrap().len(), 16);
    let (context, asked) = context_of(scripted(|_, _| {
        Reply::Answer(404, failure(404, "NotFound"))
    }));
    read_all_live(&context, &changed).await;
    assert_eq!(
        asked.lock().unwrap().len(),
        64,
        "the others after the next decision"
    );
}
