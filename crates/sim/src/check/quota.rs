//! I62: a pod of a gang that waits in a queue starts only with quota, and none of an earlier round starts.
//! I63: quota is given back, or a request for it removed, once no pod of the gang that may run needs it.

use api::labels;
use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, job, terminal};
use crate::queue;
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match (record.id.resource, &record.before, &record.after) {
        (Resource::Pod, Some(before), Some(after)) => started(window, before, after),
        (Resource::KueueWorkload, Some(before), after) => {
            let holds = |workload: &Stored| queue::holds_quota(workload);
            let is_kept = after.as_ref().is_some_and(holds);
            if holds(before) && !is_kept {
                returned(window, record, before)
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

/// The PodGang of the pod, in each state that the operator may have known.
fn gangs<'a>(window: &Window<'a>, name: &str) -> Vec<&'a Stored> {
    window.versions(Resource::PodGang, |gang| view::name(gang) == name)
}

fn started(window: &Window<'_>, before: &Value, after: &Value) -> Checked {
    if queue::may_run(before) || !queue::may_run(after) {
        return Ok(());
    }
    let gangs = gangs(window, view::label(after, labels::POD_GANG));
    if gangs.is_empty() || !gangs.iter().all(|gang| queue::is_queued(gang)) {
        return Ok(());
    }
    let part = view::label(after, labels::POD_CLIQUE);
    let round = queue::round_of_pod(after);
    let reserved = gangs
        .iter()
        .filter(|gang| queue::is_reserved(gang) && queue::round_of(gang) <= round);
    let granted = reserved.map(|gang| queue::granted(gang, part)).max();
    let is_beside = |pod: &Value| {
        view::label(pod, labels::POD_CLIQUE) == part
            && view::uid(pod) != view::uid(after)
            && view::is_live(pod)
            && queue::may_run(pod)
    };
    let beside = i64::try_from(window.fewest_pods(is_beside)).unwrap_or(i64::MAX);
    demand(
        granted.is_some_and(|granted| beside < granted),
        "I62",
        || {
            let name = view::name(after);
            format!("{name} starts beside {beside} pods, with quota for {granted:?} in its round")
        },
    )
}

/// Of a request for added pods, those that run beyond the quota of the others.
fn returned(window: &Window<'_>, record: &Record, workload: &Value) -> Checked {
    let (_, gang, _) = view::owner(workload).unwrap_or_default();
    let gangs = gangs(window, gang);
    if gangs.is_empty() || gangs.iter().any(|gang| view::is_terminating(gang)) {
        return Ok(());
    }
    let is_added = view::name(workload) != gang;
    let kept = |found: &&Stored| queue::granted_in_all(found);
    let kept = gangs.iter().map(kept).max().filter(|_| is_added);
    let runs = |pod: &Value| {
        view::label(pod, labels::POD_GANG) == gang
            && queue::may_run(pod)
            && !view::is_finished(pod)
            && !terminal::is_stuck(pod, record)
    };
    let running = i64::try_from(window.fewest_pods(runs)).unwrap_or(i64::MAX);
    demand(running <= kept.unwrap_or(0), "I63", || {
        format!(
            "{}: quota is given back while {running} pods run",
            record.id
        )
    })
}

/// Whether the gang of the pod may have been observed without quota for it.
pub(super) fn may_be_lost(window: &Window<'_>, pod: &Value) -> bool {
    let gangs = gangs(window, view::label(pod, labels::POD_GANG));
    let part = view::label(pod, labels::POD_CLIQUE);
    let is_beside = |other: &Value| {
        view::label(other, labels::POD_CLIQUE) == part
            && queue::may_run(other)
            && view::is_live(other)
    };
    let running = i64::try_from(window.most_pods(is_beside)).unwrap_or(i64::MAX);
    gangs.iter().any(|gang| {
        let is_earlier = queue::round_of_pod(pod) < queue::round_of(gang);
        let is_beyond = queue::is_reserved(gang) && queue::granted(gang, part) < running;
        queue::is_queued(gang) && (is_earlier || is_beyond)
    })
}

/// Removes the node labels that a pod with quota gets together with the removal of our gate: those of a
/// flavor of which its PodClique has quota.
pub(super) fn take_off(window: &Window<'_>, before: &Value, after: &mut Value) {
    if queue::may_run(before) || !queue::may_run(after) {
        return;
    }
    let part = view::label(after, labels::POD_CLIQUE).to_owned();
    let gangs = gangs(window, view::label(after, labels::POD_GANG));
    let granted = gangs.iter().flat_map(|gang| queue::granted_pods(gang));
    let own = granted.filter(|pods| view::text(pods, "/name") == part);
    let flavors: Vec<&Value> = own.filter_map(|pods| pods.get("nodeSelector")).collect();
    let had = view::at(before, "/spec/nodeSelector");
    let Some(Value::Object(selector)) = after.pointer_mut("/spec/nodeSelector") else {
        return;
    };
    selector.retain(|key, value| {
        let value = &*value;
        let is_old = had.is_some_and(|had| had.get(key).is_some());
        is_old || !flavors.iter().any(|labels| labels.get(key) == Some(value))
    });
    let is_empty = selector.is_empty() && had.is_none();
    if let Some(spec) = after["spec"].as_object_mut().filter(|_| is_empty) {
        spec.remove("nodeSelector");
    }
}

/// A PodClique that loses all its pods stores first that it starts like a new one.
pub(super) fn check_deletion(window: &Window<'_>, pod: &Value) -> Checked {
    let gangs = gangs(window, view::label(pod, labels::POD_GANG));
    if gangs.iter().any(|gang| queue::is_reserved(gang)) {
        return Ok(());
    }
    let owners = job::owners(window, pod);
    let is_noted = |c: &&Stored| view::was_idle(c) || !view::was_available(c);
    let is_explained = owners.is_empty() || owners.iter().any(is_noted);
    demand(is_explained, "I63", || {
        let pod = view::name(pod);
        format!("{pod} goes with its quota, and its PodClique has not stored that it starts anew")
    })
}
