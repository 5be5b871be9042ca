//! The writes and their authors, as the API server recorded them.

use jiff::Timestamp;
use serde::Deserialize;

use crate::harness::audit::Record;
use crate::harness::operator::Operator;
use crate::harness::site;

/// A completed write.
#[derive(Clone, Debug)]
pub struct Write {
    pub by: String,
    /// Verb, resource and subresource.
    pub signature: String,
    /// The times of arrival and of the answer.
    pub received: Timestamp,
    pub answered: Timestamp,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    verb: String,
    #[serde(default)]
    user_agent: String,
    #[serde(default)]
    object_ref: Object,
    #[serde(default)]
    response_status: Status,
    request_received_timestamp: Timestamp,
    stage_timestamp: Timestamp,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Object {
    namespace: String,
    resource: String,
    subresource: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
}

/// A point in time, and in the API server's log.
pub struct Moment {
    record: Record,
    at: Timestamp,
}

impl Moment {
    /// The present one.
    pub fn now() -> Self {
        // In this order: what arrives after `at` is in the record.
        let record = Record::begin(&site::lanes().control_plane).unwrap();
        Self { record, at: now() }
    }
}

/// The time, by the clock of the API server's log.
#[allow(
    clippy::disallowed_methods,
    reason = "compared with what is written down"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// All writes in this namespace since then, in order of arrival.
pub fn writes_in(namespace: &str, since: &Moment) -> Vec<Write> {
    let log = since.record.text();
    let events = log.lines().filter(|line| line.contains(namespace));
    // The last line may be incomplete.
    let events = events.filter_map(|line| serde_json::from_str::<Event>(line).ok());
    let is_write = |event: &Event| {
        ["create", "update", "patch", "delete"].contains(&event.verb.as_str())
            && event.object_ref.namespace == namespace
            && event.response_status.code < 300
            && event.request_received_timestamp >= since.at
    };
    let mut writes: Vec<Write> = events.filter(is_write).map(describe).collect();
    writes.sort_by_key(|write| write.received);
    writes
}

fn describe(event: Event) -> Write {
    let Object {
        resource,
        subresource,
        ..
    } = event.object_ref;
    // grove-operator/<version> (<identity>)
    let by = event.user_agent.split_once(" (").map(|(_, by)| by);
    Write {
        by: by.unwrap_or_default().trim_end_matches(')').to_owned(),
        signature: format!("{} {resource} {subresource}", event.verb),
        received: event.request_received_timestamp,
        answered: event.stage_timestamp,
    }
}

/// Fails unless the first operator wrote nothing after the first write of the second.
pub fn expect_no_overlap(writes: &[Write], first: &Operator, second: &Operator) {
    let of = |operator: &Operator| {
        let identity = operator.identity();
        writes.iter().filter(move |write| write.by == identity)
    };
    let began = of(second).map(|write| write.received).min();
    let ended = of(first).map(|write| write.answered).max();
    if let (Some(began), Some(ended)) = (began, ended) {
        assert!(ended < began, "{ended} {began} {writes:#?}");
    }
    let known = of(first).count() + of(second).count();
    assert_eq!(known, writes.len(), "another client wrote: {writes:#?}");
}
