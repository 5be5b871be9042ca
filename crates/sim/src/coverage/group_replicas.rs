//! The group replicas that updates replace.

use std::collections::BTreeMap;

use api::labels;
use serde_json::Value;

use crate::check::OPERATOR;
use crate::check::units::Unit;
use crate::check::updates::{is_on_delete, turn, version};
use crate::resource::{Id, Resource};
use crate::store::{Record, Store, Stored};
use crate::view;

/// The objects at one moment.
type Present<'a> = BTreeMap<&'a Id, &'a Stored>;

/// The case of each group replica that the operator began to replace.
pub(super) fn replaced(store: &Store) -> Vec<&'static str> {
    const KINDS: [Resource; 4] = [
        Resource::PodCliqueSet,
        Resource::PodCliqueScalingGroup,
        Resource::PodClique,
        Resource::Pod,
    ];
    let mut present = Present::new();
    let mut cases = Vec::new();
    let is_read = |record: &&Record| KINDS.contains(&record.id.resource);
    for record in store.log.iter().filter(is_read) {
        cases.extend(case_of(record, &present));
        match &record.after {
            Some(after) => present.insert(&record.id, after),
            None => present.remove(&record.id),
        };
    }
    cases
}

/// The case, if the record is the first deletion of a PodClique in a group replica that is replaced.
fn case_of(record: &Record, present: &Present<'_>) -> Option<&'static str> {
    let goes = |o: &Stored| view::is_terminating(o);
    let is_deletion = record.actor == OPERATOR
        && record.id.resource == Resource::PodClique
        && record.after.as_ref().is_none_or(goes);
    let deleted = record.before.as_ref().filter(|o| is_deletion && !goes(o))?;
    let unit = Unit::of_podclique(deleted)?;
    let (_, group, uid) = view::owner(deleted)?;
    let group = record.id.beside(Resource::PodCliqueScalingGroup, group);
    let group = *present.get(&group)?;
    let set = record
        .id
        .beside(Resource::PodCliqueSet, view::set_of(deleted));
    let set = *present.get(&set)?;
    let is_mate = |object: &Value| {
        let is_own = view::owner(object).is_some_and(|owner| owner.2 == uid);
        is_own && Unit::of_podclique(object).is_some_and(|mate| mate.index == unit.index)
    };
    let mates: Vec<&Stored> = present
        .iter()
        .filter(|(id, object)| id.resource == Resource::PodClique && is_mate(object))
        .map(|(_, object)| *object)
        .collect();
    let is_updated = turn(set) == Some(unit.replica)
        && !is_on_delete(set)
        && mates.iter().any(|mate| is_old(mate, set))
        && !mates.iter().any(|mate| goes(mate));
    if !is_updated || !is_wanted(deleted, unit, set, group) {
        return None;
    }
    let is_available = mates.len() == view::list(group, "/spec/cliqueNames").count()
        && mates.iter().all(|mate| has_ready_pods(mate, present));
    Some(if is_available {
        "available group replica replaced by an update"
    } else {
        "group replica that is down replaced by an update"
    })
}

/// Whether it is neither scaled in, nor surge, nor terminated.
fn is_wanted(podclique: &Value, unit: Unit<'_>, set: &Value, group: &Value) -> bool {
    let attempt = |key| view::label(podclique, key).parse().unwrap_or(0);
    unit.index < view::number(group, "/spec/replicas")
        && attempt(labels::ATTEMPT) >= view::attempt(set, unit.replica)
        && attempt(labels::GROUP_ATTEMPT) >= view::attempt(group, unit.index)
}

fn is_old(podclique: &Value, set: &Value) -> bool {
    let clique = view::name(podclique).rsplit('-').next();
    let newest = version(set, clique.unwrap_or_default());
    view::annotation(podclique, "example.com/version") != newest
}

fn has_ready_pods(podclique: &Value, present: &Present<'_>) -> bool {
    let uid = view::uid(podclique);
    let is_own = |pod: &Value| view::owner(pod).is_some_and(|owner| owner.2 == uid);
    let ready = present
        .iter()
        .filter(|(id, pod)| id.resource == Resource::Pod && is_own(pod) && view::is_ready(pod));
    let replicas = view::number(podclique, "/spec/replicas");
    let minimum = view::at(podclique, "/spec/minAvailable").and_then(Value::as_i64);
    let needed = minimum.unwrap_or(replicas).min(replicas);
    i64::try_from(ready.count()).unwrap_or(i64::MAX) >= needed
}
