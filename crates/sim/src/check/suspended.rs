//! I59: while `Suspended` is stored no pod is made, no attempt raised and no restart counted; a PodClique
//! that was available stores first that it starts like a new one; a set is resumed once it has no pod.
//! I60: a job that is over is deleted when its time has come, and never if it has none.

use api::podcliqueset::ReplicaAttempt;
use serde_json::Value;

use super::window::Window;
use super::{Checked, LATE, demand, job, terminal};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match (record.id.resource, &record.before, &record.after) {
        (Resource::Pod, None, Some(pod)) if record.actor != LATE => created(window, pod),
        (Resource::PodCliqueSet, Some(before), after) if !view::is_terminating(before) => {
            match after.as_ref().filter(|o| !view::is_terminating(o)) {
                Some(after) => {
                    judged(record, before, after)?;
                    resumed(window, record, before, after)
                }
                None => expired(record, before),
            }
        }
        (Resource::PodCliqueScalingGroup, Some(before), Some(after)) => {
            fenced(window, record, before, after)
        }
        _ => Ok(()),
    }
}

/// Whether the set of the object may have been observed as suspended.
pub(super) fn may_be_suspended(window: &Window<'_>, object: &Value) -> bool {
    let sets = job::sets(window, object);
    sets.iter().any(|set| view::is_suspended(set))
}

/// The operator deletes a pod that runs, of a set that may be suspended.
pub(super) fn check_deletion(window: &Window<'_>, pod: &Value) -> Checked {
    let owners = job::owners(window, pod);
    let is_noted = |c: &&Stored| view::was_idle(c) || !view::was_available(c);
    let is_explained = owners.is_empty() || owners.iter().any(is_noted);
    demand(is_explained, "I59", || {
        let pod = view::name(pod);
        format!("{pod} is deleted, and its PodClique has not stored that it starts like a new one")
    })
}

fn created(window: &Window<'_>, pod: &Value) -> Checked {
    let sets = job::sets(window, pod);
    let is_suspended = !sets.is_empty() && sets.iter().all(|set| view::is_suspended(set));
    demand(!is_suspended, "I59", || {
        format!("{} is made for a suspended set", view::name(pod))
    })
}

/// A status is written with the version that it was decided on.
fn judged(record: &Record, before: &Value, after: &Value) -> Checked {
    if !view::is_suspended(before) || !view::is_suspended(after) {
        return Ok(());
    }
    let count = |set: &Value| view::number(set, "/status/restartCount");
    let is_same = count(before) == count(after) && !raises(before, after);
    demand(is_same, "I59", || {
        format!("{}: a restart while it is suspended", record.id)
    })
}

/// A group reads the set of some moment.
fn fenced(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let sets = job::sets(window, after);
    let is_suspended = !sets.is_empty() && sets.iter().all(|set| view::is_suspended(set));
    demand(!(is_suspended && raises(before, after)), "I59", || {
        format!("{}: a termination while it is suspended", record.id)
    })
}

/// Whether a failure, a breach or a user raised an attempt.
fn raises(before: &Value, after: &Value) -> bool {
    const JUDGED: [&str; 3] = [
        ReplicaAttempt::BREACHED,
        ReplicaAttempt::PODCLIQUE_FAILED,
        ReplicaAttempt::REQUESTED,
    ];
    view::list(after, "/status/replicaAttempts")
        .filter(|entry| JUDGED.contains(&view::text(entry, "/reason")))
        .any(|entry| {
            let replica = view::number(entry, "/replica");
            view::number(entry, "/attempt") > view::attempt(before, replica)
        })
}

fn resumed(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let is_stored = |set: &Value| view::has_condition(set, "Suspended");
    if !is_stored(before) || is_stored(after) {
        return Ok(());
    }
    let is_held = |pod: &Value| {
        let roots = job::sets(window, pod);
        let mut roots = roots.iter();
        let is_own = roots
            .next()
            .is_some_and(|s| view::uid(s) == view::uid(after));
        let versions = window.of_uid(Resource::Pod, view::uid(pod));
        is_own
            && versions.iter().all(|p| !view::has_ended(p))
            && terminal::is_held_on_to(window, pod)
            && !terminal::is_stuck(pod, record)
            && !terminal::is_late(window, pod)
    };
    let mut pods = window.all(Resource::Pod);
    let left = pods.find(|(_, pod)| is_held(pod));
    demand(left.is_none(), "I59", || {
        let pod = left.map_or("", |(id, _)| &id.name);
        format!("{}: resumed, but {pod} has not ended", record.id)
    })
}

/// The request names the version that it was decided on.
fn expired(record: &Record, set: &Value) -> Checked {
    let kept = view::duration(set, "/spec/trainingSpec/ttlAfterFinished");
    let phase = view::text(set, "/status/phase");
    let mut conditions = view::list(set, "/status/conditions");
    let end = conditions.find(|c| view::text(c, "/type") == phase);
    let end = end.and_then(|c| view::time(c, "/lastTransitionTime"));
    let due = end
        .zip(kept)
        .and_then(|(end, kept)| end.checked_add(kept).ok());
    let is_due = view::is_terminal(set) && due.is_some_and(|due| due <= record.time);
    demand(is_due, "I60", || {
        format!("{} deleted at {}, due at {due:?}", record.id, record.time)
    })
}
