//! Whose pods may start because of a change of those that they start after: what
//! [`dependencies`](crate::dependencies) reads, looked at from the other end (docs/semantics.md §8.6).

use std::sync::Arc;

use api::podcliqueset::{CliqueStartupType, PodCliqueScalingGroupConfig};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use domain::workload::gang;
use domain::workload::layout::{self, Part};
use domain::{Key, Pod};
use engine::triggers::find;
use engine::{Caches, Change};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::dependencies::{self, is_up};

/// A dependency is up because of the pod, or is not any more.
pub(super) fn find_by_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let read = |pod: &Pod| {
        let owner = ownership::controller(&pod.metadata).map(|o| o.uid.clone());
        (pod.index(), pod.is_ready(), pod.is_completed(), owner)
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let dependencies = find::owners::<Pod, PodClique>(change, caches);
    let ordered = dependencies.iter().filter_map(|dependency| {
        let set = ordered_set(&dependency.metadata, caches)?;
        turns(dependency, change, caches).then_some((set, dependency))
    });
    ordered
        .flat_map(|(set, dependency)| find_dependents(&set, &dependency.metadata, caches))
        .collect()
}

/// Whether the PodClique is up with the pod as it is and was not with the pod as it was, or the other
/// way round.
fn turns(dependency: &PodClique, change: &Change<Pod>, caches: &Caches) -> bool {
    let uid = ownership::uid(&dependency.metadata);
    let mut pods = caches.of::<Pod>().owned_by(dependency);
    let is = is_up(dependency, &pods);
    pods.retain(|p| change.newest().is_none_or(|new| p.name() != new.name()));
    let old = change.old.iter();
    let old = old.filter(|p| ownership::is_controlled_by(&p.metadata, uid));
    pods.extend(old.cloned());
    is != is_up(dependency, &pods)
}

/// A dependency came, went or was scaled, is of another attempt or in other hands, more of it is done, or
/// it says that it is up: after a list its pods are shown all at once, and with more than it needs it
/// was up without each single one of them.
pub(super) fn find_by_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let read = |podclique: &PodClique| {
        let (meta, status) = (&podclique.metadata, podclique.status.as_ref());
        (
            meta.uid.clone(),
            meta.generation,
            meta.annotations.clone(),
            meta.labels.clone(),
            meta.owner_references.clone(),
            ownership::is_terminating(meta),
            status.and_then(|s| s.completed_indices.clone()),
            status.is_some_and(|s| s.ready_replicas >= gang::clique_minimum(&podclique.spec)),
        )
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let dependencies = change.versions().map(|dependency| &dependency.metadata);
    dependencies
        .filter_map(|dependency| Some((ordered_set(dependency, caches)?, dependency)))
        .flat_map(|(set, dependency)| find_dependents(&set, dependency, caches))
        .collect()
}

/// Who is waited for in a group follows from its live replicas and attempts. Whoever starts after
/// it within one of its replicas is its own, and looks again anyway.
pub(super) fn find_by_group(change: &Change<PodCliqueScalingGroup>, caches: &Caches) -> Vec<Key> {
    let read = |group: &PodCliqueScalingGroup| {
        let attempts = group.status.as_ref().map(|s| s.replica_attempts.clone());
        (
            group.metadata.uid.clone(),
            group.metadata.owner_references.clone(),
            (group.spec.replicas, group.spec.min_available),
            attempts.unwrap_or_default(),
        )
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let groups = change.versions().map(|group| &group.metadata);
    groups
        .filter_map(|group| Some((ordered_set(group, caches)?, group)))
        .flat_map(|(set, group)| find_beside_group(&set, ownership::name(group), caches))
        .collect()
}

/// PodCliques of the base gang that start after a clique of the group.
fn find_beside_group(set: &PodCliqueSet, group: &str, caches: &Caches) -> Vec<Key> {
    let set_name = ownership::name(&set.metadata);
    let Some((config, i)) = layout::find_group(set_name, &set.spec.template, group) else {
        return Vec::new();
    };
    let first = config.clique_names.iter();
    let first = first.map(|clique| layout::grouped_part(group, config, i, 0, clique));
    first
        .flat_map(|part| find_dependents_of(set, &part, caches))
        .collect()
}

/// The set that an object is part of, if it has a start order.
fn ordered_set(meta: &ObjectMeta, caches: &Caches) -> Option<Arc<PodCliqueSet>> {
    let set = caches.set_of_member(meta)?;
    let set = caches.of::<PodCliqueSet>().get(&set)?;
    let type_ = set.spec.template.clique_startup_type.unwrap_or_default();
    (type_ != CliqueStartupType::AnyOrder).then_some(set)
}

fn find_dependents(set: &PodCliqueSet, dependency: &ObjectMeta, caches: &Caches) -> Vec<Key> {
    let part = dependencies::find(set, ownership::name(dependency));
    part.map_or_else(Vec::new, |part| find_dependents_of(set, &part, caches))
}

fn find_dependents_of(set: &PodCliqueSet, dependency: &Part<'_>, caches: &Caches) -> Vec<Key> {
    let minimum = |group: &str, config: &PodCliqueScalingGroupConfig| {
        dependencies::group_minimum(set, group, config, caches)
    };
    let dependents = dependencies::order(set, &minimum, &minimum).dependents(dependency);
    let names = dependents.iter().map(|dependent| &dependent.name);
    names.map(|name| dependencies::key(set, name)).collect()
}
