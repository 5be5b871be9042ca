//! A part of a step, with its units by index.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::limits::{minimum, surge_from};
use super::super::units::{Unit, component, partition};
use super::super::updates::{VERSION, version};
use super::super::window::Window;
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// A clique or group that has a target.
pub(super) struct Part {
    /// Its name in the template.
    pub(super) name: String,
    /// The least number of units that serve.
    pub(super) minimum: i64,
    /// Its units, without surge and without those that a partition keeps.
    pub(super) all: i64,
    /// The indexes of the old ones.
    old: Vec<i64>,
    /// The lowest index that may be replaced after the step.
    from: i64,
}

impl Part {
    pub(super) fn count_old(&self) -> i64 {
        to_i64(self.old.len())
    }

    pub(super) fn count_old_after(&self) -> i64 {
        let kept = self.old.iter().filter(|index| **index < self.from);
        to_i64(kept.count())
    }

    pub(super) fn count_new(&self) -> i64 {
        self.all - self.count_old()
    }

    pub(super) fn count_new_after(&self) -> i64 {
        self.all - self.count_old_after()
    }
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Whether each unit is old, by index.
type Units = BTreeMap<i64, bool>;

/// The part with this target; `None` if a unit of it is not up, or the operator may have observed
/// another state of it.
pub(super) fn read_part(
    window: &Window<'_>,
    set: &Value,
    replica: i64,
    target: &Value,
) -> Option<Part> {
    let name = view::text(target, "/component");
    let config = component(set, name)?;
    let full = format!("{}-{replica}-{name}", view::name(set));
    let is_group = config.get("cliqueNames").is_some();
    let (owner, units) = if is_group {
        let group = find_settled(window, set, Resource::PodCliqueScalingGroup, &full)?;
        (group, units_of_group(window, set, config, group)?)
    } else {
        let podclique = find_settled(window, set, Resource::PodClique, &full)?;
        (podclique, units_of_clique(window, set, name, podclique)?)
    };
    let replicas = view::number(owner, "/spec/replicas");
    let surge = surge_from(owner).map_or(i64::MAX, |from| from.max(replicas));
    let real: Units = units.into_iter().filter(|(k, _)| *k < surge).collect();
    let least = if is_group {
        view::at(owner, "/spec/minAvailable").and_then(Value::as_i64)
    } else {
        Some(minimum(owner))
    };
    let minimum = least.unwrap_or(1).min(replicas).max(1);
    let is_whole = to_i64(real.len()) == replicas && allows(config, minimum);
    let partition = partition(set, name);
    let replaced: Units = real.into_iter().filter(|(k, _)| *k >= partition).collect();
    let old = replaced.iter().filter(|(_, is_old)| **is_old);
    is_whole.then(|| Part {
        name: name.to_owned(),
        minimum,
        all: to_i64(replaced.len()),
        old: old.map(|(index, _)| *index).collect(),
        from: view::number(target, "/from"),
    })
}

/// Whether a whole version of it may be taken down at once: surge may have to come first.
fn allows(config: &Value, minimum: i64) -> bool {
    let given = view::at(config, "/rollingUpdate/maxUnavailable").and_then(Value::as_i64);
    given.is_none_or(|given| given >= minimum)
}

/// The PodClique or group of this name, if all its states agree on the number of units, and on that
/// all of them were available in this update.
fn find_settled<'a>(
    window: &Window<'a>,
    set: &Value,
    resource: Resource,
    name: &str,
) -> Option<&'a Stored> {
    let states = window.versions(resource, |o| view::name(o) == name);
    let first = states.first().copied()?;
    let replicas = view::number(first, "/spec/replicas");
    let generation = view::text(set, "/status/currentGenerationHash");
    let is_settled = |o: &Value| {
        let Some(progress) = view::at(o, "/status/updateProgress") else {
            return false;
        };
        view::uid(o) == view::uid(first)
            && !view::is_terminating(o)
            && view::number(o, "/spec/replicas") == replicas
            && view::number(progress, "/reached") == replicas
            && view::text(progress, "/podCliqueSetGenerationHash") == generation
            && progress.get("waitingSince").is_none()
            && progress.get("updateEndedAt").is_none()
    };
    let is_new = is_born_or_gone(window, resource, first);
    (!is_new && states.iter().all(|o| is_settled(o))).then_some(first)
}

fn is_born_or_gone(window: &Window<'_>, resource: Resource, object: &Value) -> bool {
    let mut moved = window.born_or_gone(resource);
    moved.any(|uid| uid == view::uid(object))
}

/// The pods of a PodClique, if all of them are Ready in all states.
fn ready_pods<'a>(window: &Window<'a>, podclique: &Value) -> Option<Vec<&'a Stored>> {
    let owner = view::uid(podclique);
    let is_own = |p: &Value| view::owner(p).is_some_and(|(_, _, uid)| uid == owner);
    let pods = window.versions(Resource::Pod, is_own);
    let is_up = |p: &Value| view::is_ready(p) && !is_born_or_gone(window, Resource::Pod, p);
    pods.iter().all(|p| is_up(p)).then_some(pods)
}

fn units_of_clique(
    window: &Window<'_>,
    set: &Value,
    name: &str,
    podclique: &Value,
) -> Option<Units> {
    let newest = version(set, name);
    let states = window.of_uid(Resource::PodClique, view::uid(podclique));
    let has_newest = states.iter().all(|c| view::text(c, VERSION) == newest);
    let pods = ready_pods(window, podclique).filter(|_| has_newest)?;
    let units = pods.iter().map(|pod| {
        let is_old = view::text(pod, VERSION) != newest;
        Some((view::index(pod)?, is_old))
    });
    let units = units.collect::<Option<Units>>()?;
    (units.len() == count_objects(&pods)).then_some(units)
}

/// How many objects these states are of.
fn count_objects(states: &[&Stored]) -> usize {
    let uids: BTreeSet<&str> = states.iter().map(|o| view::uid(o)).collect();
    uids.len()
}

/// A group replica is old if a PodClique of it is.
fn units_of_group(
    window: &Window<'_>,
    set: &Value,
    config: &Value,
    group: &Value,
) -> Option<Units> {
    let owner = view::uid(group);
    let is_own = |c: &Value| view::owner(c).is_some_and(|(_, _, uid)| uid == owner);
    let mut units = Units::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for podclique in window.versions(Resource::PodClique, is_own) {
        let is_new = is_born_or_gone(window, Resource::PodClique, podclique);
        if is_new || view::is_terminating(podclique) {
            return None;
        }
        let pods = ready_pods(window, podclique)?;
        if to_i64(count_objects(&pods)) != view::number(podclique, "/spec/replicas") {
            return None;
        }
        let clique = view::name(podclique).rsplit('-').next()?;
        let is_old = view::text(podclique, VERSION) != version(set, clique);
        let unit = Unit::of_podclique(podclique)?;
        *units.entry(unit.index).or_insert(false) |= is_old;
        names.insert(view::name(podclique));
    }
    let members = view::list(config, "/cliqueNames").count();
    (names.len() == units.len() * members).then_some(units)
}
