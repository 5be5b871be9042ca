//! I21, I22, I23: restarts of training jobs: each is counted once, within the budget, before
//! anything is destroyed, and for a failure.

use serde_json::Value;

use super::window::Window;
use super::{Checked, OPERATOR, demand, job};
use super::{culprit, exits, failures};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// Reason of an attempt that a failure raised.
const FAILURE: &str = "PodCliqueFailed";

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match record.id.resource {
        Resource::PodCliqueSet => {
            let (Some(before), Some(after)) = (&record.before, &record.after) else {
                return Ok(());
            };
            if !view::is_job(after) {
                return Ok(());
            }
            counted(window, record, before, after)?;
            given_up(window, record, before, after)
        }
        Resource::PodClique => fenced(window, record),
        _ => Ok(()),
    }
}

/// I21, I22: each raised attempt counts as one restart, in one write, and never more than allowed.
fn counted(window: &Window<'_>, record: &Record, before: &Stored, after: &Stored) -> Checked {
    let count = |set| view::number(set, "/status/restartCount");
    let (was, is) = (count(before), count(after));
    let raised = raised(before, after);
    let counted = is - was;
    let right = i64::try_from(raised.len()).unwrap_or(i64::MAX);
    demand(counted == right, "I21", || {
        format!(
            "{}: {counted} restarts counted, {right} replicas fenced",
            record.id
        )
    })?;
    for replica in &raised {
        let (from, to) = (
            view::attempt(before, *replica),
            view::attempt(after, *replica),
        );
        demand(to == from + 1, "I21", || {
            format!("{}: {replica} went from attempt {from} to {to}", record.id)
        })?;
        demand(
            failures::has_failed(window, before, *replica, record.time),
            "I25",
            || {
                format!(
                    "{}: {replica} restarted, but nothing of it failed",
                    record.id
                )
            },
        )?;
    }
    for replica in &raised {
        exits::check_reason(window, record, *replica)?;
    }
    if !raised.is_empty() {
        culprit::check(window, record, &raised)?;
    }
    let allowed = versions(window, after)
        .map(job::max_restarts)
        .max()
        .unwrap_or(0);
    demand(right == 0 || is <= allowed, "I22", || {
        format!("{}: restart {is} of {allowed}", record.id)
    })
}

/// Replicas whose attempt was raised because of a failure.
fn raised(before: &Value, after: &Value) -> Vec<i64> {
    let entries = view::list(after, "/status/replicaAttempts");
    entries
        .filter(|e| view::text(e, "/reason") == FAILURE)
        .filter(|e| {
            let replica = view::number(e, "/replica");
            view::number(e, "/attempt") != view::attempt(before, replica)
        })
        .map(|e| view::number(e, "/replica"))
        .collect()
}

/// I22: a job is given up for its restarts only when one more would be too many.
fn given_up(window: &Window<'_>, record: &Record, before: &Stored, after: &Stored) -> Checked {
    if job::failed_because(before).is_some()
        || job::failed_because(after) != Some("MaxRestartsExceeded")
    {
        return Ok(());
    }
    let replicas = 0..view::number(after, "/spec/replicas");
    let due: Vec<i64> = replicas
        .filter(|i| failures::has_failed(window, before, *i, record.time))
        .collect();
    if let [only] = due[..] {
        exits::check_reason(window, record, only)?;
    }
    culprit::check(window, record, &due)?;
    let failed = i64::try_from(due.len()).unwrap_or(i64::MAX);
    let used = view::number(before, "/status/restartCount");
    let allowed = versions(window, after)
        .map(job::max_restarts)
        .min()
        .unwrap_or(0);
    demand(failed > 0 && used + failed > allowed, "I22", || {
        format!(
            "{}: given up with {used} of {allowed} restarts used and {failed} failed replicas",
            record.id
        )
    })
}

fn versions<'a>(window: &Window<'a>, set: &Value) -> impl Iterator<Item = &'a Value> {
    let all = window.of_uid(Resource::PodCliqueSet, view::uid(set));
    all.into_iter().map(|s| &**s)
}

/// I23: a PodClique of a job is deleted with its owner, or after its restart was counted.
fn fenced(window: &Window<'_>, record: &Record) -> Checked {
    let Some(before) = record.before.as_ref().filter(|b| !view::is_terminating(b)) else {
        return Ok(());
    };
    let stays = |o: &Stored| !view::is_terminating(o);
    let is_kept = record.after.as_ref().is_some_and(stays);
    if record.actor != OPERATOR || is_kept || !view::is_job(before) {
        return Ok(());
    }
    let versions = window.of_uid(Resource::PodClique, view::uid(before));
    let is_earlier = |set: &Value| {
        versions.iter().copied().chain([before]).any(|c| {
            let present = view::replica(c).map_or(0, |i| view::attempt(set, i));
            job::attempt_of(c) < present
        })
    };
    let (owners, sets) = (job::owners(window, before), job::sets(window, before));
    let is_explained = owners.is_empty()
        || owners.iter().chain(&sets).any(|o| view::is_terminating(o))
        || sets.iter().any(|s| is_earlier(s));
    demand(is_explained, "I23", || {
        format!("{} deleted before a restart was counted", record.id)
    })
}
