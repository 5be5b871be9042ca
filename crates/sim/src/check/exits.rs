//! I40: a job is restarted, or given up, only for a failure: not for a pod that merely is not
//! Ready. I42: at the end of a job pods whose containers have all ended stay, with their logs.

use jiff::SignedDuration;
use serde_json::Value;

use super::window::Window;
use super::{Checked, LATE, OPERATOR, demand, job};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// A restart of the replica, or the end of the job for a failure of it, was just decided.
pub(super) fn check_reason(window: &Window<'_>, record: &Record, replica: i64) -> Checked {
    let Some(before) = &record.before else {
        return Ok(());
    };
    let sets = window.of_uid(Resource::PodCliqueSet, view::uid(before));
    // With a delay, a pod that was not Ready for that long is a failure.
    if sets.iter().any(|set| may_wait(set)) {
        return Ok(());
    }
    let since = last_restart(window, before, replica);
    let log = window.store.log.get(since..window.position);
    let has_failed = log
        .unwrap_or_default()
        .iter()
        .any(|r| r.id.namespace == record.id.namespace && is_failure(r, replica));
    demand(has_failed, "I40", || {
        format!("{}: replica {replica}, and nothing of it failed", record.id)
    })
}

/// Whether any part of the job has a terminationDelay.
fn may_wait(set: &Value) -> bool {
    let is_some = |of: &Value| {
        let delay = view::duration(of, "/terminationDelay");
        delay.is_some_and(|delay| delay > SignedDuration::ZERO)
    };
    let template = &set["spec"]["template"];
    is_some(template) || view::list(template, "/podCliqueScalingGroups").any(is_some)
}

/// The position in the log at which the present attempt of the replica began.
fn last_restart(window: &Window<'_>, set: &Stored, replica: i64) -> usize {
    let log = window.store.log.get(..window.position).unwrap_or_default();
    let is_raised = |r: &Record| {
        let attempt = |set: &Option<Stored>| set.as_ref().map(|s| view::attempt(s, replica));
        let is_changed = r.before.is_some() && attempt(&r.before) != attempt(&r.after);
        view::uid(&r.last) == view::uid(set) && is_changed
    };
    let last = log.iter().rposition(is_raised);
    last.map_or(0, |at| at + 1)
}

/// Whether a process ended badly, or an actor other than the operator deleted, took away or edited
/// an object of the replica.
fn is_failure(record: &Record, replica: i64) -> bool {
    let is_part = matches!(
        record.id.resource,
        Resource::Pod | Resource::PodClique | Resource::PodCliqueScalingGroup
    );
    if !is_part || view::replica(&record.last) != Some(replica) {
        return false;
    }
    let Some(after) = &record.after else {
        return true;
    };
    let is_ours = [OPERATOR, LATE].contains(&record.actor);
    let was_going = record
        .before
        .as_ref()
        .is_some_and(|o| view::is_terminating(o));
    let is_deleted = view::is_terminating(after) && !was_going;
    let is_edited = record.before.as_ref().is_some_and(|before| {
        let differs = |key: &str| before["metadata"][key] != after["metadata"][key];
        differs("labels") || differs("ownerReferences")
    });
    has_failed(after) || (!is_ours && (is_deleted || is_edited))
}

fn has_failed(pod: &Value) -> bool {
    let init = view::list(pod, "/status/initContainerStatuses");
    let mut containers = view::list(pod, "/status/containerStatuses").chain(init);
    let is_bad = |c: &Value| {
        let code = |pointer| view::number(c, pointer) != 0;
        code("/state/terminated/exitCode") || code("/lastState/terminated/exitCode")
    };
    view::text(pod, "/status/phase") == "Failed" || containers.any(is_bad)
}

/// The operator deletes the pod.
pub(super) fn check_kept(window: &Window<'_>, pod: &Value) -> Checked {
    let stays = |o: &Stored| !view::is_terminating(o);
    let sets = job::sets(window, pod);
    let is_over = !sets.is_empty()
        && sets
            .iter()
            .all(|s| view::is_job(s) && view::is_over(s) && stays(s));
    let owners = job::owners(window, pod);
    let is_owned = !owners.is_empty() && owners.iter().all(|c| stays(c));
    demand(
        !(is_over && is_owned && view::has_run_out(pod)),
        "I42",
        || {
            format!(
                "{}: it had ended, and is deleted with its logs",
                view::name(pod)
            )
        },
    )
}
