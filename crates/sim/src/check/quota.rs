//! I62: a gang has the quota that Kueue gave to a Workload of it, and lists no more pods than that; a pod
//! of a gang that waits in a queue starts only with quota, and none of an earlier round starts. Where the
//! scheduler waits for gates, a gang with quota gets no pod beyond it.
//! I63: quota is given back, or a request for it removed, once no pod of the gang that may run needs it.

use api::labels;
use serde_json::Value;

use super::gangs::{lists, references_of};
use super::window::Window;
use super::{Checked, demand, job, terminal};
use crate::queue;
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match (record.id.resource, &record.before, &record.after) {
        (Resource::Pod, None, Some(after)) if window.waits_for_gates => created(window, after),
        (Resource::Pod, Some(before), Some(after)) => started(window, before, after),
        (Resource::PodGang, before, Some(after)) => {
            listed(window, before.as_deref(), after)?;
            let Some(before) = before else { return Ok(()) };
            granted(window, before, after)?;
            lowered(window, record, before, after)
        }
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

/// It would keep the others of its gang from their nodes (decision 179).
fn created(window: &Window<'_>, pod: &Value) -> Checked {
    let gangs = gangs(window, view::label(pod, labels::POD_GANG));
    if gangs.is_empty() || !gangs.iter().all(|gang| queue::is_reserved(gang)) {
        return Ok(());
    }
    let part = view::label(pod, labels::POD_CLIQUE);
    let granted = gangs.iter().map(|gang| queue::granted(gang, part)).max();
    let granted = granted.unwrap_or(0);
    let (_, _, owner) = view::owner(pod).unwrap_or_default();
    let is_beside = |other: &Value| {
        let is_own = view::owner(other).is_some_and(|found| found.2 == owner);
        let is_other = view::uid(other) != view::uid(pod);
        is_own && is_other && view::is_live(other) && !view::has_run_out(other)
    };
    let beside = i64::try_from(window.fewest_pods(is_beside)).unwrap_or(i64::MAX);
    demand(beside < granted, "I62", || {
        let name = view::name(pod);
        format!("{name} is created beside {beside} pods, with quota for {granted}")
    })
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

/// A list is decided on the version of the PodGang that it replaces: new pods are added only to one that
/// has quota, and no more of them wait behind their gates than have it.
fn listed(window: &Window<'_>, before: Option<&Value>, after: &Value) -> Checked {
    let was_outside = before.is_some_and(|gang| !queue::is_queued(gang) && is_listing(gang));
    if !queue::names_queue(after) || was_outside {
        return Ok(());
    }
    let is_reserved = before.is_some_and(queue::is_reserved);
    for group in view::list(after, "/spec/podgroups") {
        let part = view::text(group, "/name");
        let is_new = |pod: &str| before.is_none_or(|gang| !lists(gang, pod));
        if !references_of(group).any(is_new) {
            continue;
        }
        let granted = before.map_or(0, |gang| queue::granted(gang, part));
        let waiting = references_of(group).filter(|pod| has_waited(window, pod));
        let waiting = i64::try_from(waiting.count()).unwrap_or(i64::MAX);
        demand(is_reserved && waiting <= granted, "I62", || {
            let gang = view::name(after);
            format!("{gang} lists {waiting} gated pods of {part}, with quota for {granted}")
        })?;
    }
    Ok(())
}

fn is_listing(gang: &Value) -> bool {
    let mut groups = view::list(gang, "/spec/podgroups");
    groups.any(|group| references_of(group).next().is_some())
}

/// Whether the pod was behind its gate in each state that the operator may have known.
fn has_waited(window: &Window<'_>, pod: &str) -> bool {
    let versions = window.versions(Resource::Pod, |p| view::name(p) == pod);
    let waits = |pod: &&Stored| !queue::may_run(pod) && view::is_live(pod);
    !versions.is_empty() && versions.iter().all(waits)
}

/// Quota is stored as Kueue gave it: a grant grows only with an admitted Workload of that size.
fn granted(window: &Window<'_>, before: &Value, after: &Value) -> Checked {
    for grant in queue::grants(after) {
        let (uid, count) = (view::text(grant, "/uid"), queue::size_of_grant(grant));
        let mut earlier = queue::grants(before);
        let earlier = earlier.find(|grant| view::text(grant, "/uid") == uid);
        if count <= earlier.map_or(0, queue::size_of_grant) {
            continue;
        }
        let workloads = window.of_uid(Resource::KueueWorkload, uid);
        let admitted = workloads.iter().filter(|w| queue::is_admitted(w));
        let given = admitted.map(|w| queue::held_by(w)).max();
        demand(given.is_some_and(|given| count <= given), "I62", || {
            let (gang, workload) = (view::name(after), view::text(grant, "/workload"));
            format!("{gang} has quota for {count} pods by {workload}, which had {given:?}")
        })?;
    }
    Ok(())
}

/// Quota that a gang gives back while it runs on is not used.
fn lowered(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let stays = queue::is_reserved(before) && queue::is_reserved(after);
    if !stays || may_have_lost_some(window, before, after) {
        return Ok(());
    }
    for pods in queue::granted_pods(before) {
        let part = view::text(pods, "/name");
        let (was, is) = (queue::granted(before, part), queue::granted(after, part));
        if is >= was {
            continue;
        }
        let gang = view::name(after);
        let is_user = |pod: &Value| {
            view::label(pod, labels::POD_GANG) == gang
                && view::label(pod, labels::POD_CLIQUE) == part
                && uses_quota(pod, record)
        };
        let running = i64::try_from(window.fewest_pods(is_user)).unwrap_or(i64::MAX);
        demand(running <= is, "I63", || {
            format!("{gang} keeps quota for {is} of {was} pods of {part}, and {running} run")
        })?;
    }
    Ok(())
}

/// Whether a grant is gone that Kueue may have taken away.
fn may_have_lost_some(window: &Window<'_>, before: &Value, after: &Value) -> bool {
    queue::grants(before).any(|grant| {
        let uid = view::text(grant, "/uid");
        let is_kept = queue::grants(after).any(|kept| view::text(kept, "/uid") == uid);
        let workloads = window.of_uid(Resource::KueueWorkload, uid);
        let is_steady = window
            .born_or_gone(Resource::KueueWorkload)
            .all(|other| other != uid);
        let is_admitted = !workloads.is_empty() && workloads.iter().all(|w| queue::is_admitted(w));
        let is_given_back = is_admitted && is_steady;
        !(is_kept || is_given_back)
    })
}

/// Whether the pod may run, or has not ended yet. A pod that hangs on a lost node is given up.
fn uses_quota(pod: &Value, record: &Record) -> bool {
    queue::may_run(pod) && !view::has_ended(pod) && !terminal::is_stuck(pod, record)
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
    let runs = |pod: &Value| view::label(pod, labels::POD_GANG) == gang && uses_quota(pod, record);
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
