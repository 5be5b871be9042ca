//! The replicas of the group in an update, each in its stage (docs/semantics.md §14.3).

use std::collections::BTreeSet;

use api::podcliquescalinggroup::PcsgUpdateProgress;
use api::podcliqueset::{PodCliqueTemplateSpec, ReplicaUpdateProgress};
use api::{LastError, PodClique};
use domain::Pod;
use domain::object::ownership;
use domain::roster::Slot;
use domain::update::{self, Component, Limits, Record, Stage, SurgeUnit, UnitMember, UnitReplica};
use domain::workload::gang;
use domain::workload::layout::{self, Members};
use jiff::{SignedDuration, Timestamp};

use crate::observe::Snapshot;
use crate::status::stored_errors;

/// The cliques of the template with the hash of their newest pods.
pub type Hashed<'a> = Vec<(&'a PodCliqueTemplateSpec, String)>;

/// All live group replicas and the surge ones, by index, with their stages.
pub fn survey<'a>(
    snapshot: &'a Snapshot,
    hashed: &Hashed<'_>,
    now: Timestamp,
) -> Vec<(Members<'a>, Stage)> {
    let min_ready = min_ready(snapshot, hashed);
    members(snapshot)
        .map(|members| {
            let unit = unit(snapshot, hashed, &members);
            let stage = update::stage_of_replica(&unit, min_ready, now);
            (members, stage)
        })
        .collect()
}

fn members(snapshot: &Snapshot) -> impl Iterator<Item = Members<'_>> {
    layout::members_of_group(&snapshot.group).chain(surge_members(snapshot))
}

/// The PodCliques of surge replicas, whether they exist or not.
pub fn surge_members(snapshot: &Snapshot) -> impl Iterator<Item = Members<'_>> {
    layout::enumerate_members(
        ownership::name(&snapshot.group.metadata),
        &snapshot.group.spec.clique_names,
        snapshot.surge_indexes(),
    )
}

/// The surge replicas that exist.
pub fn surge_units(snapshot: &Snapshot, surveyed: &[(Members<'_>, Stage)]) -> Vec<SurgeUnit> {
    let surge = snapshot.surge_indexes();
    let units = surveyed.iter().filter_map(|(members, stage)| {
        let index = members.group_replica;
        let exists = surge.contains(&index) && stage.stays();
        exists.then_some(SurgeUnit {
            index,
            is_available: stage.is_available(),
        })
    });
    units.collect()
}

/// The numbers of the group, with those that its status stores.
pub fn component(
    snapshot: &Snapshot,
    surveyed: &[(Members<'_>, Stage)],
    now: Timestamp,
) -> Component {
    let units = surveyed.iter().map(|(m, stage)| (m.group_replica, *stage));
    let (desired, minimum) = (snapshot.replicas(), snapshot.min_available());
    let progress = update_progress(snapshot);
    let waiting = progress.and_then(|progress| progress.waiting_since.as_ref());
    let surge_from = progress.and_then(|progress| progress.surge_from);
    Component {
        reached: progress.and_then(|progress| progress.reached),
        is_short_of_room: is_short_of_room(snapshot, waiting, now),
        must_return: must_return(snapshot),
        is_recreated: turn(snapshot)
            .is_some_and(|turn| update::is_recreated(turn, &snapshot.group.metadata)),
        limits: limits(snapshot, surge_from),
        is_without_surge: progress.is_some_and(|progress| progress.without_surge.is_some())
            || is_turn_without_surge(snapshot),
        held: i32::try_from(held_indexes(snapshot).len()).unwrap_or(i32::MAX),
        ..Component::count(units, &snapshot.surge_indexes(), desired, minimum)
    }
}

/// The indexes that stay vacant in the turn: an update of others needs the room of their replicas. The
/// base gang has none of them.
pub fn held_indexes(snapshot: &Snapshot) -> BTreeSet<i32> {
    let listed = turn(snapshot)
        .zip(snapshot.config())
        .map_or(&[][..], |(turn, config)| {
            update::listed_vacant(turn, &config.name)
        });
    let (desired, minimum) = (snapshot.replicas(), snapshot.min_available());
    let listed = listed.iter().copied();
    let listed = listed.filter(|j| (minimum..desired).contains(j));
    let reached = update_progress(snapshot).and_then(|progress| progress.reached);
    update::held_indexes(listed, desired, minimum, reached)
}

/// The limits of the group's update, by the `surgeFrom` of its record.
pub fn limits(snapshot: &Snapshot, surge_from: Option<i32>) -> Limits {
    let rolling = snapshot.rolling_update();
    let (desired, minimum) = (snapshot.replicas(), snapshot.min_available());
    Limits::of_group(rolling.as_deref(), desired, minimum, surge_from)
}

/// Whether the turn goes on without surge in all its parts.
pub fn is_turn_without_surge(snapshot: &Snapshot) -> bool {
    turn(snapshot).is_some_and(|turn| turn.without_surge.is_some())
}

/// Whether surge replicas of an older template stay while they serve.
pub fn holds_old_surge(snapshot: &Snapshot) -> bool {
    let set = snapshot.owner.as_ref().map(|owner| &owner.set);
    let turn = turn(snapshot).zip(set);
    turn.is_some_and(|(turn, set)| update::holds_old_surge(set, turn))
}

/// The turn of the group's replica of the set.
pub fn turn(snapshot: &Snapshot) -> Option<&ReplicaUpdateProgress> {
    let turn = update::turn(&snapshot.owner.as_ref()?.set);
    turn.filter(|turn| snapshot.replica() == Some(turn.replica_index))
}

/// Whether the group has to be available again before its turn ends.
fn must_return(snapshot: &Snapshot) -> bool {
    turn(snapshot)
        .zip(snapshot.config())
        .is_some_and(|(turn, config)| update::must_return(turn, &config.name))
}

/// Whether a pod of the group finds no node, or a quota refuses one.
pub fn is_short_of_room(
    snapshot: &Snapshot,
    waiting: Option<&api::podclique::WaitingPod>,
    now: Timestamp,
) -> bool {
    update::is_short(waiting, errors(snapshot), now)
}

/// The refused requests that the group and its PodCliques store.
pub fn errors(snapshot: &Snapshot) -> impl Iterator<Item = &LastError> {
    let podcliques = snapshot.podcliques.values();
    podcliques
        .filter_map(|podclique| podclique.status.as_ref())
        .flat_map(|status| &status.last_errors)
        .chain(stored_errors(snapshot))
}

/// The pods of the group that wait for a node, or as surge for the base gang.
pub fn waiting_pods(snapshot: &Snapshot) -> impl Iterator<Item = &Pod> {
    let surge = snapshot.surge_indexes();
    snapshot.podcliques.values().flat_map(move |podclique| {
        let index = snapshot.replica_of(podclique);
        let is_surge = index.is_some_and(|index| surge.contains(&index));
        let waits = if is_surge {
            update::waits
        } else {
            update::waits_for_node
        };
        let pods = snapshot.staying_pods(podclique).map(AsRef::as_ref);
        pods.filter(move |pod| waits(pod))
    })
}

/// When a stage, or the room of the group, changes if nothing happens.
pub fn next_change(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    if !snapshot.is_updating() {
        return None;
    }
    let hashed = newest_hashes(snapshot);
    let min_ready = min_ready(snapshot, &hashed);
    let progress = update_progress(snapshot);
    let waiting = progress.and_then(|progress| progress.waiting_since.as_ref());
    let short = update::short_at(waiting).filter(|at| *at > now);
    members(snapshot)
        .filter_map(|members| {
            let unit = unit(snapshot, &hashed, &members);
            update::next_stage_of_replica_at(&unit, min_ready, now)
        })
        .chain(short)
        .min()
}

/// The stored record of the update to the accepted generation, if it is of this turn.
pub fn update_progress(snapshot: &Snapshot) -> Option<&PcsgUpdateProgress> {
    let set = &snapshot.owner.as_ref()?.set;
    let generation = set.status.as_ref()?.current_generation_hash.as_ref()?;
    let progress = snapshot.group.status.as_ref()?.update_progress.as_ref()?;
    let turn = turn(snapshot).map(|turn| &turn.update_started_at);
    let is_of_turn = Record::from(progress).is_of_turn(generation, turn);
    is_of_turn.then_some(progress)
}

/// The newest hashes of the group's cliques.
pub fn newest_hashes(snapshot: &Snapshot) -> Hashed<'_> {
    let Some(owner) = &snapshot.owner else {
        return Vec::new();
    };
    let template = &owner.set.spec.template;
    let names = &snapshot.group.spec.clique_names;
    let members = template.cliques.iter().filter(|c| names.contains(&c.name));
    owner.hash_cliques(members)
}

fn min_ready(snapshot: &Snapshot, hashed: &Hashed<'_>) -> SignedDuration {
    let rolling = snapshot.config().and_then(|c| c.rolling_update.as_ref());
    update::min_ready(rolling, hashed.iter().map(|(clique, _)| *clique))
}

/// The PodCliques of a group replica that count in this update, one that is being deleted among them.
fn unit<'a>(snapshot: &'a Snapshot, hashed: &Hashed<'_>, members: &Members<'_>) -> UnitReplica<'a> {
    let slots = members.cliques.iter();
    let found = slots.filter_map(|member| match snapshot.slot(&member.name) {
        Slot::Current(found) | Slot::Terminating(found) => Some(UnitMember {
            is_old: is_outdated(snapshot, hashed, member.clique, found),
            is_terminating: ownership::is_terminating(&found.metadata),
            minimum: gang::clique_minimum(&found.spec),
            pods: snapshot.staying_pods(found).map(AsRef::as_ref).collect(),
        }),
        _ => None,
    });
    UnitReplica {
        members: found.collect(),
        wanted: members.cliques.len(),
        is_below_partition: members.group_replica < snapshot.partition(),
        is_surge: members.group_replica >= snapshot.replicas(),
    }
}

/// Whether the PodClique or a pod of it has an older template.
pub fn is_outdated(
    snapshot: &Snapshot,
    hashed: &Hashed<'_>,
    clique: &str,
    podclique: &PodClique,
) -> bool {
    let newest = hashed
        .iter()
        .find(|(member, _)| member.name == clique)
        .map(|(_, hash)| hash.as_str());
    let pods = snapshot.staying_pods(podclique);
    update::is_podclique_outdated(&podclique.metadata, newest, pods.map(|p| &**p))
}

/// How many of the group's PodCliques have the newest template throughout, and how many there are.
pub fn updated_podcliques(snapshot: &Snapshot, hashed: &Hashed<'_>) -> (i32, i32) {
    let all = || layout::members_of_group(&snapshot.group).flat_map(|m| m.cliques);
    let updated = all().filter(|member| {
        let podclique = snapshot.slot(&member.name).standing();
        podclique.is_some_and(|c| !is_outdated(snapshot, hashed, member.clique, c))
    });
    let to_i32 = |count| i32::try_from(count).unwrap_or(i32::MAX);
    (to_i32(updated.count()), to_i32(all().count()))
}
