//! The dependencies of a PodClique's pods, as observed (docs/semantics.md §8.6).

use std::collections::HashSet;
use std::sync::Arc;

use admission::defaults;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, names};
use domain::health::fence;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::roster::{self, Slot};
use domain::workload::layout::{self, LayoutSlot};
use domain::workload::pod::start_order::Dependency;
use domain::workload::start_order::{self, StartOrder};
use domain::workload::{gang, limits};
use domain::{Key, Pod};
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The present dependencies among `spec.startsAfter`: those not scaled to zero, and of a scaling
/// group those in the base gang by its live replicas. Without the set this is unknown, and all
/// count.
pub(crate) fn find_dependencies(
    podclique: &PodClique,
    set: Option<&PodCliqueSet>,
    caches: &Caches,
) -> Vec<Dependency> {
    let said = &podclique.spec.starts_after;
    if said.is_empty() {
        return Vec::new();
    }
    let name = ownership::name(&podclique.metadata);
    let found = set.and_then(|set| Some((set, find(set, name)?)));
    let Some((set, part)) = found else {
        let unknown = |name: &String| Dependency {
            name: name.clone(),
            pods: 1,
            is_up: false,
        };
        return said.iter().map(unknown).collect();
    };
    let minimum =
        |name: &str, config: &PodCliqueScalingGroupConfig| group_minimum(set, name, config, caches);
    let in_base = |name: &str, config: &PodCliqueScalingGroupConfig| {
        let live = group(set, name, caches).map(|g| g.spec.replicas);
        let replicas = limits::bounded(live.or(config.replicas).unwrap_or(1));
        replicas.min(minimum(name, config))
    };
    let said: HashSet<&String> = said.iter().collect();
    order(set, &minimum, &in_base)
        .dependencies(&part)
        .into_iter()
        .filter(|dependency| said.contains(&dependency.name))
        .filter_map(|part| look_at_dependency(set, &part, caches))
        .collect()
}

/// The observed dependency; `None` if it is scaled to zero.
fn look_at_dependency(
    set: &PodCliqueSet,
    part: &LayoutSlot<'_>,
    caches: &Caches,
) -> Option<Dependency> {
    let seen = find_slot(set, part, caches).standing();
    let pods = match &seen {
        Some(podclique) => gang::clique_minimum(&podclique.spec),
        None => minimum_to_be(set, part),
    };
    let is_done = || {
        let attempts = fence::attempts_of_set(set);
        fence::is_stored_as_succeeded(attempts, part.replica, &part.name)
    };
    let is_up = |podclique: Arc<PodClique>| {
        let pods = caches.of::<Pod>().owned_by(&*podclique);
        is_up(&podclique, &pods)
    };
    (pods > 0).then(|| Dependency {
        name: part.name.clone(),
        pods,
        is_up: seen.is_some_and(is_up) || is_done(),
    })
}

/// Whether as many of its pods are Ready or done as dependents wait for.
pub(crate) fn is_up(podclique: &PodClique, pods: &[Arc<Pod>]) -> bool {
    start_order::is_up(podclique, pods.iter().map(AsRef::as_ref))
}

/// The slot of a PodClique. Only this slot is looked up: each PodClique of a set reads only its few
/// dependencies.
fn find_slot(set: &PodCliqueSet, part: &LayoutSlot<'_>, caches: &Caches) -> Slot<Arc<PodClique>> {
    let Some(found) = caches.of::<PodClique>().get(&key(set, &part.name)) else {
        return Slot::Empty;
    };
    classify(set, part, found.clone(), &found.metadata, caches)
}

/// The state of the PodClique that was found in a slot.
pub(crate) fn classify<T>(
    set: &PodCliqueSet,
    part: &LayoutSlot<'_>,
    found: T,
    meta: &ObjectMeta,
    caches: &Caches,
) -> Slot<T> {
    let owner = caches.owner_of(ownership::uid(&set.metadata), meta);
    roster::classify(found, meta, present_attempt(set, part, caches), owner)
}

/// The attempt in which a new PodClique of this slot is created.
fn present_attempt(set: &PodCliqueSet, part: &LayoutSlot<'_>, caches: &Caches) -> Attempt {
    let of_group = |(config, j): (&PodCliqueScalingGroupConfig, i32)| {
        let name = names::scaling_group(name(set), part.replica, &config.name);
        let group = group(set, &name, caches)?;
        Some(fence::current_attempt(fence::attempts_of_group(&group), j))
    };
    let place = part.group.zip(part.group_replica);
    Attempt {
        set: fence::current_attempt(fence::attempts_of_set(set), part.replica),
        group: place.and_then(of_group).unwrap_or(0),
    }
}

/// The minimum of a PodClique that does not exist yet.
fn minimum_to_be(set: &PodCliqueSet, part: &LayoutSlot<'_>) -> i32 {
    let mut cliques = set.spec.template.cliques.iter();
    let Some(template) = cliques.find(|c| c.name == part.clique) else {
        return 0;
    };
    let mut to_be = PodCliqueTemplateSpec::default();
    to_be.spec.replicas = template.spec.replicas;
    to_be.spec.min_available = template.spec.min_available;
    defaults::apply_to_clique(&mut to_be, set.spec.workload_type.unwrap_or_default());
    if part.group.is_none() {
        let remembered = set.status.as_ref().map_or(&[][..], |s| &s.live_replicas);
        let (i, replicas) = (part.replica, to_be.spec.replicas);
        let count = fence::count_to_create(remembered, i, part.clique, replicas);
        to_be.spec.replicas = count.replicas;
    }
    gang::clique_minimum(&to_be.spec)
}

/// How many replicas of a scaling group are in the base gang by its minimum, which is fixed once
/// the group exists.
pub(crate) fn group_minimum(
    set: &PodCliqueSet,
    name: &str,
    config: &PodCliqueScalingGroupConfig,
    caches: &Caches,
) -> i32 {
    let live = group(set, name, caches).and_then(|g| g.spec.min_available);
    limits::bounded(live.unwrap_or_else(|| gang::group_minimum(config)))
}

/// The start order of the set, by the minimums of its scaling groups and the number of replicas of
/// each in the base gang.
pub(crate) fn order<'a>(
    set: &'a PodCliqueSet,
    minimum: &'a dyn Fn(&str, &PodCliqueScalingGroupConfig) -> i32,
    in_base: &'a dyn Fn(&str, &PodCliqueScalingGroupConfig) -> i32,
) -> StartOrder<'a> {
    StartOrder {
        set: name(set),
        template: &set.spec.template,
        minimum,
        in_base,
    }
}

/// The slot of a PodClique in the set.
pub(crate) fn find<'a>(set: &'a PodCliqueSet, podclique: &str) -> Option<LayoutSlot<'a>> {
    layout::find(name(set), &set.spec.template, podclique)
}

/// The key of an object in the namespace of the set.
pub(crate) fn key(set: &PodCliqueSet, name: &str) -> Key {
    Key::new(set.metadata.namespace.clone().unwrap_or_default(), name)
}

fn group(set: &PodCliqueSet, name: &str, caches: &Caches) -> Option<Arc<PodCliqueScalingGroup>> {
    caches.of::<PodCliqueScalingGroup>().get(&key(set, name))
}

fn name(set: &PodCliqueSet) -> &str {
    ownership::name(&set.metadata)
}
