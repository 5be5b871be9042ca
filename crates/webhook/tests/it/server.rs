//! The server over TLS on loopback.

mod caller;
mod crowds;
mod known_clients;
mod reload;
mod running;
mod siege;
mod stop;
mod victims;

use std::time::Duration;

use http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, FRONTEND, at, edited, good};
use tokio::time::Instant;
use webhook::answers::Hook;
use webhook::metrics::{ByAnswer, ByField};
use webhook::server::{Bounds, MAX_BODY};

use crate::questions::{SETS, create};
use caller::{pieces, whole};
use running::Running;

const VALIDATE: &str = "/webhooks/validate-podcliqueset";
const MIB: usize = 1024 * 1024;
/// Longer than any expected event takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn good_question() -> String {
    create(SETS, &good()).to_string()
}

fn is_allowed(text: &str) -> bool {
    let answer: Value = serde_json::from_str(text).unwrap();
    answer["response"]["allowed"] == json!(true)
}

/// Bounds that no client of these tests exceeds.
fn patient() -> Bounds {
    Bounds {
        deadline: PATIENCE,
        lag: PATIENCE,
        patience: PATIENCE,
        ..Bounds::default()
    }
}

fn impatient() -> Bounds {
    Bounds {
        lag: Duration::from_millis(300),
        ..Bounds::default()
    }
}

#[tokio::test]
async fn a_connection_answers_one_question_after_the_other() {
    let server = Running::start(Bounds::default());
    let mut connection = server.connect().await;
    for hook in [Hook::DefaultSet, Hook::ValidateSet, Hook::Authorize] {
        let answer = connection.ask(hook.path(), whole(good_question())).await;
        let (status, text) = answer.unwrap();
        assert_eq!(status, StatusCode::OK);
        assert!(is_allowed(&text), "{text}");
    }
    let bad = create(SETS, &edited(&[(CLIQUES, json!([]))]));
    let answer = connection.ask(VALIDATE, whole(bad.to_string())).await;
    assert!(!is_allowed(&answer.unwrap().1));
}

#[tokio::test]
async fn other_requests_are_refused_with_a_reason() {
    let server = Running::start(Bounds::default());
    let mut connection = server.connect().await;
    let (status, text) = connection.ask(VALIDATE, whole("{}")).await.unwrap();
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.starts_with("no AdmissionReview"), "{text}");
    let (status, _) = connection.ask("/other", whole("{}")).await.unwrap();
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_request_that_is_too_long_is_refused_and_the_refusal_arrives() {
    let server = Running::start(patient());
    for _ in 0..5 {
        let mut connection = server.connect().await;
        let body = whole(vec![b' '; MAX_BODY + MIB]);
        let (status, text) = connection.ask(VALIDATE, body).await.unwrap();
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE, "{text}");
        assert_eq!(text, "the object is too large: at most 8 MiB are read\n");
    }
    let mut connection = server.connect().await;
    let answer = connection.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
}

#[tokio::test]
async fn a_question_of_unknown_length_that_becomes_too_long_is_refused() {
    let server = Running::start(Bounds::default());
    let mut connection = server.connect().await;
    let (sender, body) = pieces();
    for _ in 0..=MAX_BODY / MIB {
        sender.unbounded_send(vec![b' '; MIB].into()).unwrap();
    }
    drop(sender);
    let (status, _) = connection.ask(VALIDATE, body).await.unwrap();
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_question_that_stops_is_given_up() {
    let server = Running::start(impatient());
    let mut connection = server.connect().await;
    let (sender, body) = pieces();
    sender.unbounded_send("{\"request\":".into()).unwrap();
    let began = Instant::now();
    let (status, text) = connection.ask(VALIDATE, body).await.unwrap();
    assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
    assert!(text.starts_with("the request came too slowly"), "{text}");
    assert!(began.elapsed() >= impatient().lag);
}

#[tokio::test]
async fn a_question_that_is_too_long_and_stops_is_answered() {
    let server = Running::start(Bounds::default());
    let mut connection = server.connect().await;
    let (sender, body) = pieces();
    let many = vec![b' '; MAX_BODY + 1];
    sender.unbounded_send(many.into()).unwrap();
    let (status, _) = connection.ask(VALIDATE, body).await.unwrap();
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

/// One byte now and then is no progress.
#[tokio::test]
async fn a_question_that_drips_is_given_up() {
    let server = Running::start(impatient());
    let mut connection = server.connect().await;
    let (sender, body) = pieces();
    let dripping = async {
        while sender.unbounded_send(" ".into()).is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (answer, ()) = futures::join!(connection.ask(VALIDATE, body), dripping);
    assert_eq!(answer.unwrap().0, StatusCode::REQUEST_TIMEOUT);
}

#[tokio::test]
async fn answers_are_counted() {
    let server = Running::start(impatient());
    let mut connection = server.connect().await;
    let bad = create(SETS, &edited(&[(CLIQUES, json!([]))])).to_string();
    for body in [good_question(), bad, "{}".to_owned()] {
        connection.ask(VALIDATE, whole(body)).await.unwrap();
    }
    let count = |operation, result| {
        let webhook = "validate-podcliqueset";
        let labels = ByAnswer {
            webhook,
            operation,
            result,
        };
        server.metrics.answers.get_or_create(&labels).get()
    };
    assert_eq!(count("create", "allowed"), 1);
    assert_eq!(count("create", "refused"), 1);
    assert_eq!(count("unknown", "failed"), 1);
    let labels = ByField {
        webhook: "validate-podcliqueset",
        field: "spec.template.cliques".into(),
    };
    assert_eq!(server.metrics.refusals.get_or_create(&labels).get(), 1);
}

/// A series for each key would fill the memory of the operator and of the metrics' readers.
#[tokio::test]
async fn keys_of_labels_are_no_names_of_fields() {
    let server = Running::start(impatient());
    let mut connection = server.connect().await;
    for key in ["x]a", "0].abc", "[x", "a].labels[b"] {
        let bad = edited(&[(&at(FRONTEND, "labels"), json!({key: "v"}))]);
        let bad = create(SETS, &bad).to_string();
        connection.ask(VALIDATE, whole(bad)).await.unwrap();
    }
    let mut registry = Registry::default();
    server.metrics.register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    let series = text
        .lines()
        .filter(|line| line.starts_with("admission_refusals_total{"));
    let labels = r#"webhook="validate-podcliqueset",field="spec.template.cliques.labels""#;
    assert_eq!(
        series.collect::<Vec<_>>(),
        [format!("admission_refusals_total{{{labels}}} 4")]
    );
}
