//! `explain`: cause, chain, evidence, remedy and next steps.

mod autoscalers;
mod chain;
mod claims;
mod domains;
mod evidence;
mod next;
mod readme;
mod reasons;
mod remedies;
mod scarce_devices;
mod stuck;
mod terminations;
mod trees;

use chrono::Utc;
use cli::explain::{Explanation, draw_explanation, search};
use cli::workload::Workload;
use k8s_openapi::api::core::v1::Event;

use crate::read::{now, plain};

/// The answer about the set.
fn explain(workload: &Workload, events: &[Event]) -> Explanation {
    let podcliques = workload.observe();
    let found = search(workload, &podcliques, None, now());
    found.unwrap().explain(events)
}

/// The answer about a pod of the set.
fn explain_pod(workload: &Workload, pod: &str) -> Explanation {
    let podcliques = workload.observe();
    let found = search(workload, &podcliques, Some(pod), now());
    found.unwrap().explain(&[])
}

/// The output without colours; it has to fit a terminal.
fn draw(answer: &Explanation) -> String {
    let text = plain(&draw_explanation(answer, now(), &Utc));
    let is_narrow = text.lines().all(|line| line.chars().count() <= 80);
    assert!(is_narrow, "{text}");
    text
}

/// The next steps of an answer.
fn next_of(answer: &Explanation) -> String {
    let text = draw(answer);
    let (_, next) = text.split_once("\nNext\n").unwrap_or_default();
    next.to_owned()
}
