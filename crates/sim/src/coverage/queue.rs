//! What happened to quota of queues.

use serde_json::Value;

use crate::check::OPERATOR;
use crate::queue::{asked_by, held_by, holds_quota, is_evicted, may_run, round_of_pod};
use crate::resource::Resource;
use crate::store::{Record, Store};

/// The cases in the log, each as often as it happened.
pub(super) fn cases(store: &Store) -> Vec<&'static str> {
    store.log.iter().flat_map(cases_of).collect()
}

fn cases_of(record: &Record) -> Vec<&'static str> {
    let states = (record.before.as_deref(), record.after.as_deref());
    match (record.id.resource, states) {
        (Resource::KueueWorkload, (Some(before), Some(after))) => changed(record, before, after),
        (Resource::KueueWorkload, (Some(before), None))
            if is_ours(record) && holds_quota(before) =>
        {
            vec!["quota returned with its Workload"]
        }
        (Resource::Pod, (Some(before), Some(after)))
            if is_ours(record) && !may_run(before) && may_run(after) && round_of_pod(after) > 0 =>
        {
            vec!["pod started in a later round of quota"]
        }
        _ => Vec::new(),
    }
}

fn is_ours(record: &Record) -> bool {
    record.actor == OPERATOR
}

fn changed(record: &Record, before: &Value, after: &Value) -> Vec<&'static str> {
    let is_reserved = !holds_quota(before) && holds_quota(after);
    let is_kept = holds_quota(before) && holds_quota(after);
    let is_returned = holds_quota(before) && !holds_quota(after);
    let is_added = record.id.name.contains('.');
    let cases = [
        (is_reserved, "quota reserved"),
        (is_reserved && is_added, "quota reserved for added pods"),
        (
            is_reserved && held_by(after) < asked_by(after),
            "quota reserved for a part",
        ),
        (!is_evicted(before) && is_evicted(after), "quota evicted"),
        (
            is_returned && is_evicted(before) && is_ours(record),
            "evicted quota returned",
        ),
        (
            is_kept && held_by(after) < held_by(before),
            "quota of single pods returned",
        ),
    ];
    let met = cases.into_iter().filter(|(is_met, _)| *is_met);
    met.map(|(_, case)| case).collect()
}
