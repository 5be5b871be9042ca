//! Evidence is printed once, and only as far as there is some.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use serde_json::json;
use testkit::builders::after;

use super::{draw, explain};
use crate::read::{demo_with, event, on_node, ready};

/// The recorder puts the message of an event in one line and drops the end of a long one.
#[test]
fn a_sentence_that_an_event_repeats_is_printed_once() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let words = "spec.containers[0].image: Required value,\n ".repeat(60);
    let message = format!("1/1 replicas available; clique worker: {words}nothing was changed");
    let status = workload.set.status.as_mut().unwrap();
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::UpdateRefused,
        message: message.clone(),
    };
    set(&mut status.conditions, verdict, Some(1), after(5));
    let shortened: String = message.chars().take(1000).collect();
    let told = event(
        ("PodCliqueSet", "demo"),
        ("Warning", "UpdateRefused"),
        &format!("{shortened}…"),
        (6, 6, 1),
    );
    let text = draw(&explain(&workload, &[told]));
    assert!(
        text.contains("event      podcliqueset/demo UpdateRefused"),
        "{text}"
    );
    assert_eq!(
        text.matches("replicas available; clique worker").count(),
        1,
        "{text}"
    );
}

/// A pod may be not Ready without a reason.
#[test]
fn a_condition_without_a_reason_ends_with_its_time() {
    let mut pod = on_node(&json!({"running": {}}), &json!({}), 0);
    let last = after(3).to_string();
    pod["status"]["conditions"][1] =
        json!({"type": "Ready", "status": "False", "lastTransitionTime": last});
    let text = draw(&explain(&demo_with(&[ready(), pod], &[]), &[]));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "condition pod/demo-0-worker-bcdf1 Ready=False since 2026-01-01 00:00:03 (4m ago) ";
    assert!(flat.contains(words), "{text}");
    assert!(!flat.contains(", now Remedy"), "{text}");
}
