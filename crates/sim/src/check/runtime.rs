//! I24: when a job started, and how long it may take.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, job};
use crate::resource::Resource;
use crate::store::{Record, Store};
use crate::view;

const START: &str = "/status/startTime";
/// How late a job may be ended without disturbances: some rounds of waiting for a while.
const GRACE: SignedDuration = SignedDuration::from_secs(120);

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    if record.id.resource != Resource::PodCliqueSet || !view::is_job(after) {
        return Ok(());
    }
    kept(record, before, after)?;
    plausible(window, record, before, after)?;
    not_early(window, record, before, after)
}

/// A stored time is never reset.
fn kept(record: &Record, before: &Value, after: &Value) -> Checked {
    let (was, is) = (view::text(before, START), view::text(after, START));
    demand(was.is_empty() || was == is, "I24", || {
        format!("{}: startTime {was} became {is}", record.id)
    })
}

/// A job starts within its life, with a pod that runs.
fn plausible(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let Some(start) = view::time(after, START).filter(|_| view::text(before, START).is_empty())
    else {
        return Ok(());
    };
    let born = view::time(after, "/metadata/creationTimestamp");
    let ran = |p: &Value| {
        matches!(
            view::text(p, "/status/phase"),
            "Running" | "Succeeded" | "Failed"
        )
    };
    let has_begun = !window.versions(Resource::Pod, ran).is_empty();
    let is_within = born.is_none_or(|born| born <= start) && start <= record.time;
    demand(is_within && has_begun, "I24", || {
        format!("{}: startTime {start} is none", record.id)
    })
}

/// A job is given up for its time only when that is over.
fn not_early(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    if job::failed_because(before).is_some()
        || job::failed_because(after) != Some("MaxRuntimeExceeded")
    {
        return Ok(());
    }
    let versions = window.of_uid(Resource::PodCliqueSet, view::uid(after));
    let deadline = versions.iter().filter_map(|s| view::deadline(s)).min();
    demand(deadline.is_some_and(|at| at <= record.time), "I24", || {
        let at = record.time;
        format!("{}: given up at {at}, due at {deadline:?}", record.id)
    })
}

/// I24: a job that takes too long is ended soon, counted from the end of all trouble.
pub fn in_time(store: &Store, calm_since: Timestamp) -> Checked {
    for (id, set) in store.all(Resource::PodCliqueSet) {
        let Some(deadline) = view::deadline(set).filter(|_| view::is_job(set)) else {
            continue;
        };
        let latest = deadline.max(calm_since) + GRACE;
        let is_late = store.now > latest && !view::is_over(set) && !view::is_terminating(set);
        demand(!is_late, "I24", || {
            let now = store.now;
            format!("{id}: at {now} it still runs, {deadline} was its deadline")
        })?;
    }
    Ok(())
}
