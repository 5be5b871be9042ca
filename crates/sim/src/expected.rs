//! The objects that have to exist in the end, computed from the sets and the live replica counts
//! without any code of the operator.

mod attempts;
mod autoscalers;
mod claims;
mod gangs;
mod jobs;
mod queues;
mod ready;
mod requested;
mod revisions;
mod schedulers;
mod suspended;
mod topology;
mod updates;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use api::labels;
use serde_json::Value;

use super::check::units::has_partitions;
use super::check::updates::is_paused;
use super::resource::{Id, Resource};
use super::store::Store;
use super::{layout, view};

const GROUP_COUNTS: [&str; 4] = [
    "replicas",
    "scheduledReplicas",
    "availableReplicas",
    UPDATED,
];

/// This count may be lower if pods keep an older template.
const UPDATED: &str = "updatedReplicas";

/// The errors in a cluster at rest; empty if it is as it should be.
pub fn problems(store: &Store) -> Vec<String> {
    let namespaces = store.namespaces();
    namespaces
        .into_iter()
        .map(|name| store.within(&name))
        .flat_map(|store| problems_within(&store))
        .collect()
}

fn problems_within(store: &Store) -> Vec<String> {
    let mut problems = Vec::new();
    let mut wanted: BTreeSet<Id> = BTreeSet::new();
    // The objects that may be missing.
    let mut needless: BTreeSet<Id> = BTreeSet::new();
    for (id, set) in store.all(Resource::PodCliqueSet) {
        if view::is_terminating(set) {
            problems.push(format!("{id} is still being deleted"));
        }
        let gangs = children(store, set, &mut wanted);
        if suspended::is_meant(set) {
            problems.extend(suspended::problems(store, set));
            // Its gangs may have to start yet.
            needless.extend(gangs.keys().map(|gang| Id::new(Resource::PodGang, gang)));
            continue;
        }
        if view::is_job(set) {
            problems.extend(jobs::problems(store, set, &gangs));
            needless.extend(jobs::needless(set, &wanted, &gangs));
            continue;
        }
        for (gang, parts) in gangs {
            problems.extend(gangs::check_gang(store, &gang, &parts));
            problems.extend(gangs::check_phase(store, &gang));
        }
        problems.extend(check_set(store, set));
        problems.extend(requested::problems(set));
        problems.extend(updates::problems(store, set));
        problems.extend(revisions::problems(store, set));
        problems.extend(autoscalers::problems(store, set));
    }
    problems.extend(misplaced(store, &wanted, &needless));
    problems.extend(check_parts(store));
    problems.extend(attempts::problems(store));
    problems.extend(schedulers::problems(store));
    problems.extend(topology::problems(store));
    problems.extend(claims::problems(store));
    problems.extend(queues::problems(store));
    let pods = store.all(Resource::Pod);
    problems.extend(pods.filter_map(|(id, pod)| check_owner(store, id, pod)));
    problems
}

/// Objects that are missing, left over or without a controller.
fn misplaced(store: &Store, wanted: &BTreeSet<Id>, needless: &BTreeSet<Id>) -> Vec<String> {
    let is_child = |id: &&Id| {
        !matches!(
            id.resource,
            Resource::PodCliqueSet | Resource::Pod | Resource::Event | Resource::ControllerRevision
        ) && !schedulers::is_theirs(id.resource)
            && !matches!(
                id.resource,
                Resource::ResourceClaim | Resource::ComputeDomain | Resource::ResourceClaimTemplate
            )
    };
    let found: BTreeSet<Id> = store
        .objects()
        .map(|(id, _)| id)
        .filter(is_child)
        .cloned()
        .collect();
    let missing = wanted
        .difference(&found)
        .filter(|id| !needless.contains(id))
        .map(|id| format!("{id} is missing"));
    let left = found
        .difference(wanted)
        .filter(|id| is_rooted(store, id))
        .map(|id| format!("{id} is left over"));
    let loose = found.intersection(wanted);
    // Its adopter was deleted, and need not be recreated.
    let has_adopter = |id: &&Id| {
        let group = store
            .get(id)
            .map_or("", |o| view::label(o, labels::SCALING_GROUP));
        let group = id.beside(Resource::PodCliqueScalingGroup, group);
        found.contains(&group) || !needless.contains(&group)
    };
    let loose = loose
        .filter(|id| !is_rooted(store, id))
        .filter(has_adopter)
        .filter(|id| !attempts::is_earlier(store, id))
        .map(|id| format!("{id} was not adopted"));
    missing.chain(left).chain(loose).collect()
}

fn check_parts(store: &Store) -> Vec<String> {
    let is_suspended = |object: &Value| {
        let set = store.get(&Id::new(Resource::PodCliqueSet, view::set_of(object)));
        set.is_some_and(|set| suspended::is_meant(set))
    };
    let is_checked = |id: &Id, object: &Value| {
        !view::is_job(object) && !is_suspended(object) && is_rooted(store, id)
    };
    let groups = store
        .all(Resource::PodCliqueScalingGroup)
        .filter(|(id, group)| is_checked(id, group));
    let cliques = store
        .all(Resource::PodClique)
        .filter(|(id, clique)| is_checked(id, clique));
    groups
        .flat_map(|(_, group)| check_group(store, group))
        .chain(cliques.flat_map(|(_, clique)| check_clique(store, clique)))
        .collect()
}

fn check_owner(store: &Store, id: &Id, pod: &Value) -> Option<String> {
    match view::owner(pod) {
        Some((_, _, uid)) if store.by_uid(uid).is_none() => Some(format!("{id} is left over")),
        None if is_claimed(store, pod) => Some(format!("{id} was not adopted")),
        _ => None,
    }
}

/// Whether a set is the topmost controller: an object without a controller, and all objects that it
/// controls, are left to the user who removed its owner. So are objects that control each other in
/// a circle, which chaos may create.
fn is_rooted(store: &Store, id: &Id) -> bool {
    let mut below = BTreeSet::new();
    let mut next = id;
    while next.resource != Resource::PodCliqueSet {
        if !below.insert(next) {
            return false;
        }
        let Some((_, _, uid)) = store.get(next).and_then(|o| view::owner(o)) else {
            return false;
        };
        // An object whose owner is gone is left over.
        let Some((owner, _)) = store.by_uid(uid) else {
            return true;
        };
        next = owner;
    }
    true
}

/// Whether the labels of a pod without a controller name a PodClique that stays, and it is of the
/// same attempt: pods of another attempt are left alone.
fn is_claimed(store: &Store, pod: &Value) -> bool {
    let podclique = Id::new(Resource::PodClique, view::label(pod, labels::POD_CLIQUE));
    let is_labelled = view::label(pod, labels::MANAGED_BY) == labels::MANAGER;
    let found = store.get(&podclique);
    let is_of_attempt = |c: &Value| {
        let keys = [labels::ATTEMPT, labels::GROUP_ATTEMPT];
        keys.iter()
            .all(|key| view::label(pod, key) == view::label(c, key))
    };
    let stays = |c: &Value| !view::is_terminating(c) && is_rooted(store, &podclique);
    is_labelled && found.is_some_and(|c| stays(c) && is_of_attempt(c))
}

type Gangs = BTreeMap<String, BTreeSet<String>>;

/// Adds all children of the set to `wanted`; returns its gangs with their parts. Parts that are
/// scaled to zero are in no gang.
fn children(store: &Store, set: &Value, wanted: &mut BTreeSet<Id>) -> Gangs {
    let mut gangs = Gangs::new();
    let mut want = |resource, name: &str| wanted.insert(Id::new(resource, name));
    let live = |group: &str, config: &Value| {
        let live = store.get(&Id::new(Resource::PodCliqueScalingGroup, group));
        // A job has the size of its manifest, even if parts of it are gone.
        let count = match live {
            Some(live) => view::number(live, "/spec/replicas"),
            None if view::is_job(set) => view::number(config, "/replicas"),
            None => 0,
        };
        let surge = live.map_or(0..0, |live| surge_of(set, live));
        (0..count).chain(surge).collect()
    };
    for i in 0..view::number(set, "/spec/replicas") {
        let base = format!("{}-{i}", view::name(set));
        want(Resource::Service, &base);
        for name in autoscalers::names(set, &base) {
            want(Resource::HorizontalPodAutoscaler, &name);
        }
        for (group, _) in layout::groups(set, i) {
            want(Resource::PodCliqueScalingGroup, &group);
        }
        for slot in layout::slots(set, i, live) {
            want(Resource::PodClique, &slot.name);
            let live = store.get(&Id::new(Resource::PodClique, &slot.name));
            if live.is_some_and(|c| view::number(c, "/spec/replicas") == 0) {
                continue;
            }
            want(Resource::PodGang, &slot.gang);
            gangs.entry(slot.gang).or_default().insert(slot.name);
        }
    }
    gangs
}

/// The indexes of the surge replicas that a paused update keeps.
fn surge_of(set: &Value, group: &Value) -> Range<i64> {
    let from = view::number(group, "/status/updateProgress/surgeFrom");
    let from = from.max(view::number(group, "/spec/replicas"));
    let count = kept_surge(Some(set), group);
    from..from + count
}

/// How many surge units the part of a set keeps: none, unless its update is paused.
fn kept_surge(set: Option<&Value>, part: &Value) -> i64 {
    let is_kept = set.is_some_and(is_paused);
    if is_kept {
        view::number(part, "/status/surgeReplicas")
    } else {
        0
    }
}

fn pods_of<'a>(store: &'a Store, owner: &'a str) -> impl Iterator<Item = &'a Value> {
    let pods = store.all(Resource::Pod).map(|(_, p)| &**p);
    pods.filter(move |p| view::owner(p).is_some_and(|o| o.2 == owner))
}

fn check_clique(store: &Store, clique: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let (name, wanted) = (view::name(clique), view::number(clique, "/spec/replicas"));
    let pods: Vec<&Value> = pods_of(store, view::uid(clique)).collect();
    let ready = pods.iter().filter(|p| view::is_ready(p)).count();
    let indices: BTreeSet<_> = pods.iter().filter_map(|p| view::index(p)).collect();
    let set = store.get(&Id::new(Resource::PodCliqueSet, view::set_of(clique)));
    let surge = kept_surge(set.map(|set| &**set), clique);
    if [pods.len(), ready, indices.len()]
        .iter()
        .any(|n| i64::try_from(*n) != Ok(wanted + surge))
    {
        let (have, different) = (pods.len(), indices.len());
        problems.push(format!(
            "{name}: {have} pods, {ready} Ready, {different} indices; {wanted} wanted"
        ));
    }
    problems.extend(pods.iter().flat_map(|pod| wrong_labels(pod, clique)));
    for count in ["replicas", "readyReplicas", "scheduledReplicas", UPDATED] {
        if count == UPDATED && may_be_outdated(store, clique) {
            continue;
        }
        let said = view::number(clique, &format!("/status/{count}"));
        if said != wanted {
            problems.push(format!(
                "{name}: status.{count} is {said}, {wanted} is right"
            ));
        }
    }
    problems.extend(check_generation(clique));
    problems.extend(check_breach(clique));
    problems.extend(ready::all_of(clique));
    problems
}

fn wrong_labels(pod: &Value, clique: &Value) -> Vec<String> {
    let keys = [
        labels::PART_OF,
        labels::POD_GANG,
        labels::MANAGED_BY,
        labels::PCS_REPLICA_INDEX,
    ];
    let is_wrong = |key: &&str| {
        let right = view::label(clique, key);
        right.is_empty() || view::label(pod, key) != right
    };
    keys.into_iter()
        .filter(is_wrong)
        .map(|key| format!("pod {}: label {key} is wrong", view::name(pod)))
        .collect()
}

fn check_group(store: &Store, group: &Value) -> Vec<String> {
    let (name, wanted) = (view::name(group), view::number(group, "/spec/replicas"));
    let mut problems = Vec::from_iter(check_generation(group));
    problems.extend(check_breach(group));
    problems.extend(ready::all_of(group));
    for count in GROUP_COUNTS {
        if count == UPDATED && may_be_outdated(store, group) {
            continue;
        }
        let said = view::number(group, &format!("/status/{count}"));
        if said != wanted {
            problems.push(format!(
                "{name}: status.{count} is {said}, {wanted} is right"
            ));
        }
    }
    problems
}

fn may_be_outdated(store: &Store, child: &Value) -> bool {
    let set = store.get(&Id::new(Resource::PodCliqueSet, view::set_of(child)));
    set.is_some_and(|set| updates::keeps_old_pods_of(set, child))
}

/// I17: when all pods are Ready nothing is breached.
fn check_breach(object: &Value) -> Option<String> {
    let conditions: Vec<&Value> = view::list(object, "/status/conditions").collect();
    let breach = conditions
        .iter()
        .find(|c| view::text(c, "/type") == "MinAvailableBreached");
    let status = breach.map_or("", |c| view::text(c, "/status"));
    let name = view::name(object);
    (status != "False").then(|| format!("{name}: MinAvailableBreached is {status:?}"))
}

fn check_generation(object: &Value) -> Option<String> {
    let observed = view::number(object, "/status/observedGeneration");
    let generation = view::number(object, "/metadata/generation");
    let name = view::name(object);
    (observed != generation)
        .then(|| format!("{name}: observedGeneration {observed} of {generation}"))
}

fn check_set(store: &Store, set: &Value) -> Vec<String> {
    let wanted = view::number(set, "/spec/replicas");
    // A paused set keeps the generation that it accepted last.
    let generation = check_generation(set).filter(|_| !is_paused(set));
    let mut problems = Vec::from_iter(generation);
    let has_pods =
        |c: &Value| view::set_of(c) == view::name(set) && view::number(c, "/spec/replicas") > 0;
    let mut podcliques = store.all(Resource::PodClique);
    let is_any_running = podcliques.any(|(id, c)| has_pods(c) && is_rooted(store, id));
    problems.extend(ready::is_asked_for(set, wanted > 0 && is_any_running));
    for count in ["replicas", "availableReplicas", UPDATED] {
        if count == UPDATED && (updates::keeps_old_pods(set) || has_partitions(set)) {
            continue;
        }
        let said = view::number(set, &format!("/status/{count}"));
        if said != wanted {
            problems.push(format!("set: status.{count} is {said}, {wanted} is right"));
        }
    }
    if view::list(set, "/status/lastErrors").next().is_some() {
        problems.push("set: lastErrors is not empty".to_owned());
    }
    problems
}
