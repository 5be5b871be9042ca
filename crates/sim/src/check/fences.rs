//! I13, I15, I19, I20 and the attempt fence: the cause, time and number of terminations.

use api::labels;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::units::Unit;
use super::window::Window;
use super::{
    Checked, OPERATOR, demand, group_budget, group_starts, job, refused_templates, revisions,
    shortage, updates,
};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view::{self, attempt};

/// Reason of an attempt that a breach raised.
const BREACH: &str = "MinAvailableBreached";

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match record.id.resource {
        Resource::PodCliqueSet | Resource::PodCliqueScalingGroup => raised(window, record),
        Resource::PodClique => {
            deleted(window, record)?;
            created(window, record)
        }
        Resource::Pod => created(window, record),
        _ => Ok(()),
    }
}

fn attempts(object: &Value) -> impl Iterator<Item = &Value> {
    view::list(object, "/status/replicaAttempts")
}

fn label(object: &Value, key: &str) -> i64 {
    view::label(object, key).parse().unwrap_or(0)
}

/// I20: attempts are raised one by one and never lowered; a group's are emptied only when it
/// follows the attempt of its whole replica. I13, I15: each has a breach that was due.
fn raised(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let is_new_life = view::number(before, "/status/observedAttempt")
        != view::number(after, "/status/observedAttempt");
    for entry in attempts(before) {
        let replica = view::number(entry, "/replica");
        let kept = attempt(after, replica) >= view::number(entry, "/attempt");
        demand(kept || is_new_life, "I20", || {
            format!("{}: the attempt of {replica} was lowered", record.id)
        })?;
    }
    for entry in attempts(after) {
        let replica = view::number(entry, "/replica");
        let (was, is) = (attempt(before, replica), view::number(entry, "/attempt"));
        if is == was || view::text(entry, "/reason") != BREACH {
            continue;
        }
        demand(is == was + 1, "I20", || {
            format!("{}: {replica} went from attempt {was} to {is}", record.id)
        })?;
        updates::check_suspended(window, before, replica)?;
        let causes = causes(window, before, replica, was);
        let is_due = causes.iter().any(|c| *c <= record.time);
        demand(is_due, "I13", || {
            let at = record.time;
            format!(
                "{}: {replica} fenced at {at}; breaches are due at {causes:?}",
                record.id
            )
        })?;
        demand(
            shortage::is_possible(window, before, replica),
            "I15",
            || {
                format!(
                    "{}: {replica} fenced, but its pods were all Ready",
                    record.id
                )
            },
        )?;
    }
    Ok(())
}

/// When the breaches that count for a replica in this attempt are due, in all observable states.
fn causes(window: &Window<'_>, owner: &Value, replica: i64, attempt: i64) -> Vec<Timestamp> {
    let kind = view::text(owner, "/kind");
    let mut due = Vec::new();
    let is_current = |c: &Value| match kind {
        "PodCliqueSet" => {
            shortage::is_of_set(c, owner, replica)
                && label(c, labels::ATTEMPT) == attempt
                && view::label(c, labels::SCALING_GROUP).is_empty()
        }
        _ => {
            view::owner(c).is_some_and(|o| o.2 == view::uid(owner))
                && label(c, labels::SCALING_GROUP_REPLICA_INDEX) == replica
                && label(c, labels::GROUP_ATTEMPT) == attempt
        }
    };
    // A clique below its minimum has run once all of its pods have.
    let has_run = |c: &Value| view::was_available(c) || view::scaled_below_to(c).is_some();
    for set in job::sets(window, owner) {
        let cliques = window.versions(Resource::PodClique, |c| is_current(c) && has_run(c));
        due.extend(cliques.iter().filter_map(|c| due_at(c, set)));
        if kind == "PodCliqueSet" {
            let of_replica = |g: &Value| {
                shortage::is_of_set(g, owner, replica)
                    && view::number(g, "/status/observedAttempt") == attempt
            };
            let groups = window.versions(Resource::PodCliqueScalingGroup, of_replica);
            due.extend(groups.iter().filter_map(|g| due_at(g, set)));
            let since = updates::without_room_since(set);
            let is_turn = updates::turn(set) == Some(replica);
            let delay = view::duration(set, "/spec/template/terminationDelay");
            let due_then = since.filter(|_| is_turn).zip(delay);
            due.extend(due_then.and_then(|(since, delay)| since.checked_add(delay).ok()));
        }
    }
    due
}

/// When the stored breach of an object is due.
fn due_at(object: &Value, set: &Value) -> Option<Timestamp> {
    let breach = view::list(object, "/status/conditions")
        .find(|c| view::text(c, "/type") == BREACH && view::text(c, "/status") == "True")?;
    // A crash loop is one breach, and its condition changes all the time.
    let since = match view::text(object, "/status/breachedSince") {
        "" => view::text(breach, "/lastTransitionTime"),
        since => since,
    };
    let since: Timestamp = since.parse().ok()?;
    since.checked_add(delay(object, set)?).ok()
}

/// The delay that counts for the object: its group's own, else the set's.
pub(super) fn delay(object: &Value, set: &Value) -> Option<SignedDuration> {
    let seconds = |text: &str| text.strip_suffix('s')?.parse().ok();
    let of_set: Option<i64> = seconds(view::text(set, "/spec/template/terminationDelay"));
    // A group's own delay counts only if its set has one; in a job it counts by itself.
    if of_set.is_none() && !view::is_job(set) {
        return None;
    }
    let group = match view::label(object, labels::SCALING_GROUP) {
        "" if view::text(object, "/kind") == "PodCliqueScalingGroup" => view::name(object),
        "" => return of_set.map(SignedDuration::from_secs),
        group => group,
    };
    let own = view::list(set, "/spec/template/podCliqueScalingGroups")
        .find(|g| group.ends_with(&format!("-{}", view::text(g, "/name"))))
        .and_then(|g| seconds(view::text(g, "/terminationDelay")));
    own.or(of_set).map(SignedDuration::from_secs)
}

/// I19: a PodClique is deleted only with its owner, because its replica is scaled in, or because
/// its replica is terminated and it is of an earlier attempt.
fn deleted(window: &Window<'_>, record: &Record) -> Checked {
    let Some(before) = record.before.as_ref().filter(|b| !view::is_terminating(b)) else {
        return Ok(());
    };
    let stays = |o: &Stored| !view::is_terminating(o);
    if record.actor != OPERATOR || record.after.as_ref().is_some_and(stays) {
        return Ok(());
    }
    let (kind, _, uid) = view::owner(before).unwrap_or_default();
    let owners = window.of_uid(kind.parse().unwrap_or(Resource::Event), uid);
    // Its labels, too, may have been edited since it was observed.
    let seen = window.of_uid(Resource::PodClique, view::uid(before));
    let is_unwanted = |owner: &Value| seen.iter().any(|c| is_unwanted(c, owner));
    let is_explained = owners.is_empty()
        || owners.iter().any(|owner| is_unwanted(owner))
        || owners
            .iter()
            .flat_map(|owner| job::sets(window, owner))
            .any(|set| is_unwanted(set));
    if is_explained {
        return Ok(());
    }
    let is_of_group = kind == "PodCliqueScalingGroup";
    demand(
        is_of_group && is_replaced_as_a_whole(window, before),
        "I19",
        || format!("{} deleted for no reason", record.id),
    )?;
    refused_templates::check(window, before)?;
    // The rest of a group replica goes with a PodClique of it that is being deleted: it is down.
    let is_going = |mate: &Value| {
        let is_other = view::uid(mate) != view::uid(before);
        is_other && view::is_terminating(mate)
    };
    if mates(window, before).iter().any(|mate| is_going(mate)) {
        return Ok(());
    }
    revisions::check_replaced(window, before, Unit::of_podclique(before))?;
    group_budget::check(window, before)?;
    group_starts::check(window, before)
}

/// Whether an update may have taken down any PodClique of the same group replica.
fn is_replaced_as_a_whole(window: &Window<'_>, podclique: &Value) -> bool {
    mates(window, podclique)
        .iter()
        .map(|mate| &***mate)
        .chain([podclique])
        .any(|c| updates::may_be_replaced(window, c))
}

/// The states of the PodCliques in the same group replica.
fn mates<'a>(window: &Window<'a>, podclique: &Value) -> Vec<&'a Stored> {
    let place = |c: &Value| {
        let index = label(c, labels::SCALING_GROUP_REPLICA_INDEX);
        (view::owner(c).map(|o| o.2.to_owned()), index)
    };
    window.versions(Resource::PodClique, |c| place(c) == place(podclique))
}

/// Whether the owner, as observed, has no slot for the PodClique.
pub(super) fn is_unwanted(podclique: &Value, owner: &Value) -> bool {
    let is_group = view::text(owner, "/kind") == "PodCliqueScalingGroup";
    let (replica, mark) = if is_group {
        let replica = label(podclique, labels::SCALING_GROUP_REPLICA_INDEX);
        (replica, labels::GROUP_ATTEMPT)
    } else {
        (view::replica(podclique).unwrap_or(0), labels::ATTEMPT)
    };
    view::is_terminating(owner)
        || replica >= view::number(owner, "/spec/replicas")
        || label(podclique, mark) < attempt(owner, replica)
}

/// The fence, step 4: nothing is created in a replica while a PodClique of an earlier attempt
/// exists there and may be known.
fn created(window: &Window<'_>, record: &Record) -> Checked {
    let (None, Some(child)) = (&record.before, &record.after) else {
        return Ok(());
    };
    if record.actor != OPERATOR {
        return Ok(());
    }
    let Some(replica) = view::replica(child) else {
        return Ok(());
    };
    let set = view::set_of(child);
    let sets = window.versions(Resource::PodCliqueSet, |s| view::name(s) == set);
    // The attempt that every observable state of the set has reached.
    let Some(fence) = sets.iter().map(|s| attempt(s, replica)).min() else {
        return Ok(());
    };
    let is_earlier = |c: &Value| {
        is_held(window, c)
            && view::set_of(c) == set
            && view::replica(c) == Some(replica)
            && label(c, labels::ATTEMPT) < fence
    };
    let left = window.all(Resource::PodClique).find(|(_, c)| is_earlier(c));
    demand(left.is_none(), "fence", || {
        let old = left.map_or("", |(_, c)| view::name(c));
        format!(
            "{} created while {old} of an earlier attempt exists",
            record.id
        )
    })
}

/// Whether a set controls it, or a group that a set controlled in every observable state. A
/// PodClique without such a controller blocks nothing.
fn is_held(window: &Window<'_>, podclique: &Value) -> bool {
    let of_ours = |o: &Value, kind: &str| view::owner(o).is_some_and(|o| o.0 == kind);
    let groups = job::owners(window, podclique);
    let is_held = groups.iter().all(|g| of_ours(g, "PodCliqueSet"));
    of_ours(podclique, "PodCliqueSet") || (of_ours(podclique, "PodCliqueScalingGroup") && is_held)
}
