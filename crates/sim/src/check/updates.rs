//! I18, I32: pods of an older template are replaced on their replica's turn only; a turn ends when its
//! replica is updated, and no gang of it is terminated before.

use std::collections::{BTreeMap, BTreeSet};

use api::labels;
use jiff::Timestamp;
use serde_json::Value;

use super::units::{Unit, partition};
use super::window::Window;
use super::{Checked, demand, job, shortage};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

/// This annotation distinguishes the users' templates.
pub(super) const VERSION: &str = "/metadata/annotations/example.com~1version";

/// Whether an update may have taken the object down: its template may have been observed as an
/// older one, and its replica as having the turn.
pub(super) fn may_be_replaced(window: &Window<'_>, object: &Value) -> bool {
    let sets = job::sets(window, object);
    let clique = clique_of(object);
    let has = view::text(object, VERSION);
    // A PodClique that was edited in place may still have older pods.
    let uid = view::uid(object);
    let is_own = |p: &Value| view::owner(p).is_some_and(|o| o.2 == uid);
    let pods = window.versions(Resource::Pod, is_own);
    let versions: Vec<&str> = pods
        .iter()
        .map(|p| view::text(p, VERSION))
        .chain([has])
        .collect();
    let is_old = sets
        .iter()
        .any(|set| versions.iter().any(|has| version(set, clique) != *has));
    is_old && sets.iter().any(|set| is_in_turn(set, object))
}

/// The clique is the end of the name; no name here has a hyphen.
fn clique_of(object: &Value) -> &str {
    let podclique = view::label(object, labels::POD_CLIQUE);
    let name = if podclique.is_empty() {
        view::name(object)
    } else {
        podclique
    };
    name.rsplit('-').next().unwrap_or_default()
}

/// The version in the template of a clique.
pub(crate) fn version<'a>(set: &'a Value, clique: &str) -> &'a str {
    let mut cliques = view::list(set, "/spec/template/cliques");
    let found = cliques.find(|c| view::text(c, "/name") == clique);
    found.map_or("", |c| view::text(c, "/annotations/example.com~1version"))
}

fn is_in_turn(set: &Value, object: &Value) -> bool {
    let turn = turn(set);
    !is_on_delete(set) && turn.is_some() && turn == view::replica(object)
}

/// Whether pods take a changed template only when a user deletes them.
pub(crate) fn is_on_delete(set: &Value) -> bool {
    view::text(set, "/spec/updateStrategy/type") == "OnDelete"
}

/// Whether the user paused the update.
pub(crate) fn is_paused(set: &Value) -> bool {
    view::at(set, "/spec/updateStrategy/paused") == Some(&Value::Bool(true))
}

/// Whether replicas of the set keep older templates because of its partition.
pub(crate) fn is_partitioned(set: &Value) -> bool {
    view::number(set, "/spec/updateStrategy/partition") > 0
}

/// The replica that has the turn in an update that runs.
pub(crate) fn turn(set: &Value) -> Option<i64> {
    let progress = set.pointer("/status/updateProgress")?;
    let runs = view::text(progress, "/updateEndedAt").is_empty();
    let turn = progress.pointer("/currentlyUpdating/0/replicaIndex")?;
    turn.as_i64().filter(|_| runs)
}

/// Since when pods that have to run find no room, in the replica that has the turn.
pub(super) fn without_room_since(set: &Value) -> Option<Timestamp> {
    view::time(
        set,
        "/status/updateProgress/currentlyUpdating/0/withoutRoomSince",
    )
}

/// I18: gang termination is suspended in the replica that is being updated, unless its pods find no
/// room.
pub(super) fn check_suspended(window: &Window<'_>, owner: &Value, replica: i64) -> Checked {
    let is_set = view::text(owner, "/kind") == "PodCliqueSet";
    let index = if is_set {
        Some(replica)
    } else {
        view::replica(owner)
    };
    let sets = job::sets(window, owner);
    let is_updated = !sets.is_empty()
        && sets.iter().all(|set| {
            let turn = turn(set);
            turn.is_some() && turn == index && without_room_since(set).is_none()
        });
    demand(!is_updated, "I18", || {
        let name = view::name(owner);
        format!("{name}: {replica} fenced while it is being updated")
    })
}

/// I32: a turn ends when no pod of its replica has an older template, unless a partition keeps it, and
/// the required number of those that ran before is Ready, not when the turn was requested. Units
/// without room may be missing, so only the required number is demanded; and none of a replica whose
/// room other replicas of the set have got.
pub(super) fn check_turn(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let sets = window.of_uid(Resource::PodCliqueSet, view::uid(after));
    let Some(ended) = turn(before).filter(|t| turn(after) != Some(*t)) else {
        return Ok(());
    };
    let is_moot = |set: &Value| {
        is_on_delete(set)
            || is_paused(set)
            || view::is_terminating(set)
            || view::number(set, "/spec/replicas") <= ended
    };
    if sets.iter().any(|set| is_moot(set)) || is_replaced_by_others(before, after) {
        return Ok(());
    }
    let is_counted = |c: &Value| shortage::is_of_set(c, after, ended) && !is_surplus(window, c);
    let podcliques: Vec<_> = window
        .all(Resource::PodClique)
        .map(|(_, podclique)| podclique)
        .filter(|podclique| is_counted(podclique))
        .collect();
    let groups = podcliques
        .iter()
        .map(|c| view::label(c, labels::SCALING_GROUP));
    for group in groups.collect::<BTreeSet<_>>() {
        let members = podcliques
            .iter()
            .filter(|c| view::label(c, labels::SCALING_GROUP) == group);
        if group.is_empty() {
            for podclique in members {
                let needed = needed(window, Resource::PodClique, view::uid(podclique));
                demand_up(view::name(podclique), up(window, podclique), needed)?;
            }
        } else {
            check_group(window, group, members.map(|c| &***c))?;
        }
    }
    Ok(())
}

/// Whether the replica in turn was known to find no room, and as many replicas are available as at
/// any time since the update began.
fn is_replaced_by_others(before: &Value, after: &Value) -> bool {
    let reached = view::at(before, "/status/updateProgress/reached").and_then(Value::as_i64);
    let available = view::number(after, "/status/availableReplicas");
    without_room_since(before).is_some() && reached.is_some_and(|reached| available >= reached)
}

/// The group replicas whose PodCliques all have their minimum.
fn check_group<'a>(
    window: &Window<'_>,
    group: &str,
    members: impl Iterator<Item = &'a Value>,
) -> Checked {
    let mut replicas: BTreeMap<&str, bool> = BTreeMap::new();
    for podclique in members {
        let least = view::number(podclique, "/spec/minAvailable")
            .min(view::number(podclique, "/spec/replicas"));
        let is_up = up(window, podclique) >= least;
        let index = view::label(podclique, labels::SCALING_GROUP_REPLICA_INDEX);
        *replicas.entry(index).or_insert(true) &= is_up;
    }
    let found = window.versions(Resource::PodCliqueScalingGroup, |g| view::name(g) == group);
    let uid = found.first().map_or("", |group| view::uid(group));
    let needed = needed(window, Resource::PodCliqueScalingGroup, uid);
    let up = replicas.values().filter(|is_up| **is_up).count();
    demand_up(group, i64::try_from(up).unwrap_or(i64::MAX), needed)
}

fn demand_up(name: &str, up: i64, needed: i64) -> Checked {
    demand(up >= needed, "I32", || {
        format!("a turn ended with {up} of {needed} updated units of {name}")
    })
}

/// The least number that has to run: at most those that ran when the turn began.
fn needed(window: &Window<'_>, resource: Resource, uid: &str) -> i64 {
    let states = window.of_uid(resource, uid);
    states
        .iter()
        .map(|object| {
            let minimum = view::number(object, "/spec/minAvailable");
            let reached = view::number(object, "/status/updateProgress/reached");
            minimum
                .min(view::number(object, "/spec/replicas"))
                .min(reached)
        })
        .min()
        .unwrap_or(0)
}

/// Whether its group may have been observed with fewer replicas; the group need not be the
/// PodClique's owner any more.
fn is_surplus(window: &Window<'_>, podclique: &Value) -> bool {
    let group = view::label(podclique, labels::SCALING_GROUP);
    let index = view::label(podclique, labels::SCALING_GROUP_REPLICA_INDEX).parse::<i64>();
    let groups = window.versions(Resource::PodCliqueScalingGroup, |g| view::name(g) == group);
    index.is_ok_and(|j| {
        groups
            .iter()
            .any(|g| view::number(g, "/spec/replicas") <= j)
    })
}

/// How many Ready pods the PodClique may have been observed with that have its newest template, or
/// that a partition keeps.
fn up(window: &Window<'_>, podclique: &Value) -> i64 {
    let sets = job::sets(window, podclique);
    let clique = clique_of(podclique);
    let is_kept = |set: &Value, pod: &Value| {
        let unit = Unit::of_pod(pod);
        unit.is_some_and(|unit| unit.index < partition(set, unit.component))
    };
    let is_up = |p: &Value| {
        let is_own = view::owner(p).is_some_and(|o| o.2 == view::uid(podclique));
        let has = view::text(p, VERSION);
        // No update brings a kept pod back, so a turn does not wait for it.
        let is_up = |set: &Value| view::is_ready(p) && version(set, clique) == has;
        is_own && sets.iter().any(|set| is_kept(set, p) || is_up(set))
    };
    let up = window.versions(Resource::Pod, is_up);
    let up: BTreeSet<&str> = up.iter().map(|pod| view::uid(pod)).collect();
    i64::try_from(up.len()).unwrap_or(i64::MAX)
}
