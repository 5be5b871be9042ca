//! I1, I2, I3, I6, I8, I19: the operator's actions on pods.

use api::labels;
use jiff::SignedDuration;
use serde_json::Value;

use super::late_requests::LateRequests;
use super::units::Unit;
use super::window::Window;
use super::{
    Checked, Checker, LATE, OPERATOR, budget, demand, exits, pace, pins, quota, refused_templates,
    revisions, stored_failures, suspended, updates,
};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

impl Checker {
    pub(super) fn pod(&mut self, window: &Window<'_>, record: &Record) -> Checked {
        match (&record.before, &record.after) {
            (None, Some(pod)) => self.created(window, record, pod),
            (Some(before), Some(after))
                if view::is_terminating(after) == view::is_terminating(before) =>
            {
                if record.actor == LATE && owner_uid(before) != owner_uid(after) {
                    self.late.note(after, window.position);
                }
                patched(window, before, after)?;
                pins::check(window, before, after)?;
                ungated(window, record, before, after)
            }
            (Some(before), _) if !view::is_terminating(before) => {
                stored_failures::check(window, before)?;
                exits::check_kept(window, before)?;
                deleted(window, before, is_job_over(window, before))
            }
            _ => Ok(()),
        }
    }

    fn created(&mut self, window: &Window<'_>, record: &Record, pod: &Value) -> Checked {
        if record.actor == LATE {
            self.late.note(pod, window.position);
        } else {
            over_created(window, pod, &self.late)?;
            runaway(window, record, pod)?;
            index_taken(window, record, pod, &self.late)?;
            pace::check(window, pod, self.started)?;
            revisions::check_pod(window, pod)?;
        }
        demand(
            view::gates(pod).contains(&labels::POD_GANG_GATE),
            "I8",
            || format!("pod {} is created without our gate", view::name(pod)),
        )
    }
}

fn owner_uid(pod: &Value) -> &str {
    view::owner(pod).map_or("", |(_, _, uid)| uid)
}

fn of(owner: &str) -> impl Fn(&Value) -> bool + '_ {
    move |pod| owner_uid(pod) == owner
}

/// An index with a twin that came late counts once until one of the two is gone.
fn over_created(window: &Window<'_>, pod: &Value, late: &LateRequests) -> Checked {
    let owner = owner_uid(pod);
    let is_own = of(owner);
    let pods: Vec<&Value> = window
        .all(Resource::Pod)
        .map(|(_, p)| &**p)
        .filter(|p| is_own(p) && view::is_live(p) && !late.is_unseen(window, p))
        .collect();
    let live = pods.len() - late.twins(pods.iter().copied());
    let wanted = window
        .of_uid(Resource::PodClique, owner)
        .iter()
        .map(|q| view::number(q, "/spec/replicas"))
        .max()
        .unwrap_or(0)
        + budget::allowed_surge(window, pod);
    demand(
        i64::try_from(live).unwrap_or(i64::MAX) <= wanted,
        "I1",
        || format!("{} is pod {live} of {wanted} wanted", view::name(pod)),
    )
}

fn runaway(window: &Window<'_>, record: &Record, pod: &Value) -> Checked {
    let owner = owner_uid(pod);
    let since = record.time - SignedDuration::from_secs(10);
    let creates = window
        .store
        .log
        .iter()
        .rev()
        .take_while(|r| r.time >= since)
        .filter(|r| {
            let is_ours = r.actor == OPERATOR || r.actor == LATE;
            let is_new = r.before.is_none() && r.id.resource == Resource::Pod;
            is_ours && is_new && r.after.as_ref().is_some_and(|p| owner_uid(p) == owner)
        });
    let count = creates.count();
    demand(count <= 40, "I2", || {
        format!("{count} pods of {owner} created in 10 s")
    })
}

fn index_taken(window: &Window<'_>, record: &Record, pod: &Value, late: &LateRequests) -> Checked {
    let (owner, index) = (owner_uid(pod), view::index(pod));
    let holder = window.all(Resource::Pod).find(|(_, other)| {
        view::uid(other) != view::uid(pod)
            && owner_uid(other) == owner
            && view::index(other) == index
            && !is_stuck(other, record)
            && !late.is_unseen(window, other)
    });
    demand(holder.is_none(), "I3", || {
        let holder = holder.map_or("", |(_, p)| view::name(p));
        format!(
            "{} takes index {index:?}, which {holder} still holds",
            view::name(pod)
        )
    })
}

/// Past its deletionTimestamp by the timeout, and out of the Service.
fn is_stuck(pod: &Value, record: &Record) -> bool {
    let deleted: Option<jiff::Timestamp> =
        view::text(pod, "/metadata/deletionTimestamp").parse().ok();
    deleted.is_some_and(|at| at + SignedDuration::from_secs(60) <= record.time)
        && view::label(pod, labels::PCS_REPLICA_INDEX).is_empty()
}

fn patched(window: &Window<'_>, before: &Value, after: &Value) -> Checked {
    let (mut was, mut is) = (before.clone(), after.clone());
    let foreign: Vec<&str> = view::gates(before)
        .into_iter()
        .filter(|g| *g != labels::POD_GANG_GATE)
        .collect();
    let kept: Vec<&str> = view::gates(after)
        .into_iter()
        .filter(|g| *g != labels::POD_GANG_GATE)
        .collect();
    let is_gate_kept = foreign == kept;
    pins::take_off(before, &mut is);
    quota::take_off(window, before, &mut is);
    for object in [&mut was, &mut is] {
        if let Some(spec) = object["spec"].as_object_mut() {
            spec.remove("schedulingGates");
        }
        let Some(meta) = object["metadata"].as_object_mut() else {
            continue;
        };
        for key in ["resourceVersion", "generation", "labels"] {
            meta.remove(key);
        }
        // Another check decides when the start of a pod may be released.
        if let Some(annotations) = meta.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(labels::START);
            annotations.remove(labels::START_AT);
        }
        // It was adopted; another check decides whether its new owner is right.
        if view::owner(before).is_none() {
            meta.remove("ownerReferences");
        }
    }
    demand(is_gate_kept && was == is, "I6", || {
        format!(
            "pod {}: more was changed than our gate and labels",
            view::name(after)
        )
    })
}

fn ungated(window: &Window<'_>, record: &Record, before: &Value, after: &Value) -> Checked {
    let has_gate = |p: &Value| view::gates(p).contains(&labels::POD_GANG_GATE);
    if !has_gate(before) || has_gate(after) {
        return Ok(());
    }
    let (name, uid) = (view::name(after), view::uid(after));
    let log = window.store.log.get(..window.position).unwrap_or_default();
    let since_birth = log.iter().rev().take_while(|r| {
        r.id.resource != Resource::Pod
            || r.before.is_some()
            || r.after.as_ref().is_none_or(|p| view::uid(p) != uid)
    });
    let is_gang =
        |r: &&Record| r.id.resource == Resource::PodGang && r.id.namespace == record.id.namespace;
    let mut gangs = since_birth.filter(is_gang);
    let lists = |r: &Record| {
        r.after
            .as_ref()
            .is_some_and(|g| super::gangs::lists(g, name))
    };
    // A gang written late by a dead process may list an earlier pod of that name, which the next
    // process could not know of when it chose the name.
    let is_late = |r: &&Record| r.actor == LATE && is_gang(r);
    let is_listed = gangs.any(lists) || log.iter().any(|r| is_late(&r) && lists(r));
    demand(is_listed, "I8", || {
        let time = record.time;
        format!("pod {name} ungated at {time}, but no PodGang listed it since it exists")
    })
}

/// Whether the pod may have been observed as part of a job that is over, which ends its pods.
fn is_job_over(window: &Window<'_>, pod: &Value) -> bool {
    let sets = super::job::sets(window, pod);
    sets.iter().any(|s| view::is_job(s) && view::is_over(s))
}

fn deleted(window: &Window<'_>, pod: &Value, is_job_over: bool) -> Checked {
    let owner = owner_uid(pod);
    if !view::is_live(pod) || is_job_over {
        return Ok(());
    }
    if suspended::may_be_suspended(window, pod) {
        return suspended::check_deletion(window, pod);
    }
    if quota::may_be_lost(window, pod) {
        return quota::check_deletion(window, pod);
    }
    let is_ready = view::is_ready(pod);
    let versions = window.of_uid(Resource::PodClique, owner);
    let is_staying = window
        .store
        .by_uid(owner)
        .is_some_and(|(_, q)| !view::is_terminating(q) || view::is_orphaning(q));
    let is_own = of(owner);
    let wanted = versions
        .iter()
        .map(|q| view::number(q, "/spec/replicas"))
        .min()
        .unwrap_or(0);
    let is_counted =
        |p: &Value| is_own(p) && !view::is_terminating(p) && !budget::is_surge(window, p);
    let most = window.most_pods(is_counted);
    if is_staying && budget::is_surge(window, pod) {
        return if is_ready {
            budget::check_surge(window, pod)
        } else {
            Ok(())
        };
    }
    let is_twin = |p: &Value| {
        is_own(p)
            && view::uid(p) != view::uid(pod)
            && view::index(p) == view::index(pod)
            && !view::is_terminating(p)
    };
    let has_twin = !window.versions(Resource::Pod, is_twin).is_empty();
    let is_surplus = i64::try_from(most).unwrap_or(i64::MAX) > wanted;
    let is_explained = !is_staying || is_surplus || has_twin;
    if !is_explained && pins::may_be_freed(window, pod) {
        return Ok(());
    }
    if !is_explained && updates::may_be_replaced(window, pod) {
        return replaced(window, pod, is_ready);
    }
    demand(is_explained || !is_ready, "I19", || {
        format!(
            "healthy pod {} deleted: {most} of {wanted} wanted",
            view::name(pod)
        )
    })
}

/// An update deletes the pod.
fn replaced(window: &Window<'_>, pod: &Value, is_ready: bool) -> Checked {
    revisions::check_replaced(window, pod, Unit::of_pod(pod))?;
    if !is_ready {
        return Ok(());
    }
    refused_templates::check(window, pod)?;
    budget::check(window, pod)
}
