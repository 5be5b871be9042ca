//! I41: `lastFailures` of a job that is restarted or given up has the end of the container that
//! ended first without being asked to.

use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, job};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// The number of failures that a set keeps: a failure that is not among them may be older.
const KEPT: usize = 5;

/// How a container ended.
#[derive(Debug)]
struct End<'a> {
    pod: &'a str,
    code: i64,
    at: &'a str,
    /// The runtime lost it when the machine restarted: the code is not the program's.
    is_lost: bool,
}

impl End<'_> {
    fn is_kept_in(&self, failure: &Value) -> bool {
        let is_same_end = if self.is_lost {
            failure["reason"] == "NodeRestarted" && failure["exitCode"].is_null()
        } else {
            failure["exitCode"] == self.code
        };
        failure["pod"] == self.pod && is_same_end
    }
}

/// A restart of these replicas, or the end of the job for failures of them, was just decided.
pub(super) fn check(window: &Window<'_>, record: &Record, replicas: &[i64]) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let failures: Vec<&Value> = view::list(after, "/status/lastFailures").collect();
    let pods = pods_seen(window, record);
    let is_meant = |pod: &Value| {
        let replica = view::replica(pod).filter(|i| replicas.contains(i));
        replica.is_some_and(|i| is_present(window, pod, view::attempt(before, i)))
    };
    let ends: Vec<End<'_>> = pods
        .iter()
        .filter(|pod| is_meant(pod))
        .filter_map(|pod| end_of(pod))
        .collect();
    let first = ends.iter().map(|end| end.at).min();
    let is_kept =
        |end: &End<'_>| Some(end.at) == first && failures.iter().any(|f| end.is_kept_in(f));
    let is_said = ends.is_empty() || failures.len() >= KEPT || ends.iter().any(is_kept);
    demand(is_said, "I41", || {
        format!(
            "{}: {ends:?} ended, and lastFailures is {failures:?}",
            record.id
        )
    })
}

/// All pods that the operator has certainly seen.
fn pods_seen<'a>(window: &Window<'a>, record: &Record) -> Vec<&'a Stored> {
    let seen = window.horizon.of(Resource::Pod).min(window.position);
    let log = window.store.log.get(..seen).unwrap_or_default();
    let is_pod =
        |r: &&Record| r.id.resource == Resource::Pod && r.id.namespace == record.id.namespace;
    let mut states = std::collections::BTreeMap::new();
    for record in log.iter().filter(is_pod) {
        states.insert(view::uid(&record.last), record.after.as_ref());
    }
    states.into_values().flatten().collect()
}

/// Whether its PodClique is of this attempt, and stays.
fn is_present(window: &Window<'_>, pod: &Value, attempt: i64) -> bool {
    let owners = job::owners(window, pod);
    let is_it = |c: &&Stored| job::attempt_of(c) == attempt && !view::is_terminating(c);
    !owners.is_empty() && owners.iter().all(is_it)
}

/// The end of its first container that ended badly, unless the pod was asked to end.
fn end_of(pod: &Stored) -> Option<End<'_>> {
    let was_asked = view::is_terminating(pod) || view::has_condition(pod, "DisruptionTarget");
    if was_asked || view::text(pod, "/spec/restartPolicy") != "Never" {
        return None;
    }
    view::list(pod, "/status/containerStatuses")
        .filter_map(|c| {
            let code = view::number(c, "/state/terminated/exitCode");
            let at = view::text(c, "/state/terminated/finishedAt");
            (code != 0).then_some(End {
                pod: view::name(pod),
                code,
                at,
                is_lost: code == 255 && view::text(c, "/state/terminated/reason") == "Unknown",
            })
        })
        .min_by_key(|end| end.at)
}
