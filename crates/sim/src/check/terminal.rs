//! I26: a job that is over stays over, and holds nothing.

use jiff::SignedDuration;
use serde_json::Value;

use super::window::Window;
use super::{Checked, LATE, demand, job};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

/// How long after its deletionTimestamp the operator waits for a pod.
const STUCK: SignedDuration = SignedDuration::from_secs(60);

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match (&record.before, &record.after) {
        (None, Some(child)) => created(window, record, child),
        (Some(before), Some(after))
            if record.id.resource == Resource::PodCliqueSet && view::is_job(after) =>
        {
            kept(record, before, after)?;
            released(window, record, before, after)
        }
        _ => Ok(()),
    }
}

/// Nothing is created any more.
fn created(window: &Window<'_>, record: &Record, child: &Value) -> Checked {
    let sets = job::sets(window, child);
    let is_over = !sets.is_empty() && sets.iter().all(|s| view::is_job(s) && view::is_over(s));
    demand(!is_over, "I26", || {
        format!("{} created for a job that is over", record.id)
    })
}

fn kept(record: &Record, before: &Value, after: &Value) -> Checked {
    let phase = |set| view::text(set, "/status/phase").to_owned();
    let (was, is) = (phase(before), phase(after));
    let is_kept = !view::is_terminal(before) || was == is;
    demand(is_kept, "I26", || {
        format!("{}: {was} became {is}", record.id)
    })?;
    let reasons = (job::failed_because(before), job::failed_because(after));
    demand(reasons.0.is_none() || reasons.0 == reasons.1, "I26", || {
        format!("{}: failed because of {reasons:?}", record.id)
    })?;
    let is_given_up = is != "Failed" || reasons.1.is_some();
    demand(is_given_up, "I26", || {
        format!("{}: Failed, but nobody said why", record.id)
    })
}

/// Phase Failed means that no pod holds a GPU any more.
fn released(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let has_failed = |set| view::text(set, "/status/phase") == "Failed";
    if has_failed(before) || !has_failed(after) {
        return Ok(());
    }
    let is_held = |pod: &Value| {
        let roots = job::sets(window, pod);
        let is_own = roots
            .first()
            .is_some_and(|s| view::uid(s) == view::uid(after));
        let is_own = is_own && is_held_on_to(window, pod);
        is_own && !view::has_ended(pod) && !is_stuck(pod, record) && !is_late(window, pod)
    };
    let mut pods = window.all(Resource::Pod);
    let left = pods.find(|(_, pod)| is_held(pod));
    demand(left.is_none(), "I26", || {
        let pod = left.map_or("", |(id, _)| &id.name);
        format!("{}: Failed, but {pod} is not finished", record.id)
    })
}

/// Whether a set is the topmost controller: an object whose owner reference was removed does not
/// belong to the job any more.
pub(super) fn is_held_on_to(window: &Window<'_>, object: &Value) -> bool {
    let owner = view::owner(object)
        .filter(|(kind, ..)| kind.starts_with("PodClique"))
        .and_then(|(_, _, uid)| window.store.by_uid(uid));
    owner.is_some_and(|(id, o)| id.resource == Resource::PodCliqueSet || is_held_on_to(window, o))
}

pub(super) fn is_stuck(pod: &Value, record: &Record) -> bool {
    let asked = view::time(pod, "/metadata/deletionTimestamp");
    asked.is_some_and(|at| at + STUCK <= record.time)
}

/// A request of an operator that has died since created it; its successor could not know it.
pub(super) fn is_late(window: &Window<'_>, pod: &Value) -> bool {
    let is_birth = |r: &&Record| r.before.is_none() && view::uid(&r.last) == view::uid(pod);
    let birth = window.store.log.iter().find(is_birth);
    birth.is_some_and(|r| r.actor == LATE)
}
