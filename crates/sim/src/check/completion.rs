//! I25: completed work stays completed.

use serde_json::Value;

use super::window::Window;
use super::{Checked, LATE, OPERATOR, demand, failures, job};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match (record.id.resource, &record.before, &record.after) {
        (Resource::PodClique, Some(before), Some(after)) => latched(record, before, after),
        (Resource::PodCliqueSet, Some(before), Some(after)) => remembered(record, before, after),
        (Resource::PodClique, None, Some(podclique)) => wanted(window, record, podclique),
        (Resource::Pod, None, Some(pod)) if record.actor != LATE => vacant(window, record, pod),
        (Resource::Pod, Some(before), _) => kept(window, record, before),
        _ => Ok(()),
    }
}

/// A completion that a PodClique has reported stays reported.
fn latched(record: &Record, before: &Value, after: &Value) -> Checked {
    let (was, is) = (view::completed(before), view::completed(after));
    let said = |c: &Value| view::has_condition(c, "Succeeded");
    let is_kept = was.is_subset(&is) && (!said(before) || said(after));
    demand(is_kept, "I25", || {
        format!("{}: {was:?} were done, {is:?} are", record.id)
    })
}

/// The same for a set, within an attempt.
fn remembered(record: &Record, before: &Value, after: &Value) -> Checked {
    for entry in view::list(before, "/status/replicaAttempts") {
        let replica = view::number(entry, "/replica");
        if view::attempt(after, replica) != view::number(entry, "/attempt") {
            continue;
        }
        let lost = view::list(entry, "/succeeded")
            .filter_map(Value::as_str)
            .find(|name| !view::is_latched(after, replica, name));
        demand(lost.is_none(), "I25", || {
            format!("{}: {lost:?} had done its work", record.id)
        })?;
    }
    Ok(())
}

/// A PodClique that has done its work is not recreated in the same attempt.
fn wanted(window: &Window<'_>, record: &Record, podclique: &Value) -> Checked {
    let (replica, name) = (view::replica(podclique), view::name(podclique));
    let replica = replica.unwrap_or(-1);
    let sets = job::sets(window, podclique);
    let is_done = |s: &Value| {
        view::attempt(s, replica) == job::attempt_of(podclique)
            && view::is_latched(s, replica, name)
    };
    let is_needless = !sets.is_empty() && sets.iter().all(|s| is_done(s));
    demand(!is_needless, "I25", || {
        format!("{} made again, though its work is done", record.id)
    })?;
    let was_there = |s: &Value| {
        let mut entries = view::list(s, "/status/replicaAttempts");
        let is_present = |e: &Value| {
            view::number(e, "/replica") == replica
                && view::number(e, "/attempt") == job::attempt_of(podclique)
        };
        view::is_job(s) && entries.any(|e| is_present(e) && e["complete"] == true)
    };
    let is_ours = record.actor == OPERATOR && !sets.is_empty();
    let is_beside_old_peers = is_ours && sets.iter().all(|s| was_there(s));
    demand(!is_beside_old_peers, "I25", || {
        format!("{} made again beside its old peers", record.id)
    })
}

/// A completed index gets no other pod.
fn vacant(window: &Window<'_>, record: &Record, pod: &Value) -> Checked {
    let owner = view::owner(pod).map_or("", |o| o.2);
    let owners = window.of_uid(Resource::PodClique, owner);
    let is_job = !owners.is_empty() && owners.iter().all(|c| view::is_job(c));
    let is_done = view::index(pod).is_some_and(|k| is_done(window, owner, k));
    demand(!(is_job && is_done), "I25", || {
        format!("{} takes a slot whose work is done", record.id)
    })
}

/// Whether the index was completed in all observable states.
fn is_done(window: &Window<'_>, podclique: &str, index: i64) -> bool {
    let mut pods = failures::steady_pods(window, podclique).into_values();
    let is_by = |states: &[&Stored]| {
        states
            .iter()
            .all(|p| view::is_completed(p) && view::index(p) == Some(index))
    };
    failures::surely_done(window, podclique).contains(&index) || pods.any(|states| is_by(&states))
}

/// A pod that has done its work keeps its logs until its PodClique is deleted.
fn kept(window: &Window<'_>, record: &Record, before: &Value) -> Checked {
    let stays = |o: &Value| !view::is_terminating(o);
    let is_kept = record.after.as_ref().is_some_and(|o| stays(o));
    if view::is_terminating(before) || is_kept {
        return Ok(());
    }
    let owners = job::owners(window, before);
    let is_job_staying = !owners.is_empty() && owners.iter().all(|c| view::is_job(c) && stays(c));
    let versions = window.of_uid(Resource::Pod, view::uid(before));
    let is_seen_done = versions
        .iter()
        .chain(record.before.as_ref().iter())
        .all(|p| view::is_completed(p));
    let is_twin = |p: &Value| {
        view::uid(p) != view::uid(before)
            && view::index(p) == view::index(before)
            && view::owner(p).map(|o| o.2) == view::owner(before).map(|o| o.2)
            && view::is_completed(p)
    };
    let has_twin = || !window.versions(Resource::Pod, is_twin).is_empty();
    demand(
        !(is_job_staying && is_seen_done) || has_twin(),
        "I25",
        || format!("{} had done its work and is deleted", record.id),
    )
}
