//! The dependents that a change of a dependency triggers: the inverse of the reads in
//! [`dependencies`](crate::dependencies) (docs/semantics.md §8.6).

use std::sync::Arc;

use api::podcliqueset::{CliqueStartupType, PodCliqueScalingGroupConfig};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use domain::workload::gang;
use domain::workload::layout::{self, LayoutSlot};
use domain::{Key, Pod};
use engine::triggers::find;
use engine::{Caches, Change};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::dependencies::{self, is_up};

/// The change of the pod decides whether a dependency is up.
pub(super) fn find_by_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let read = |pod: &Pod| {
        let owner = ownership::controller(&pod.metadata).map(|o| o.uid.clone());
        (pod.index(), pod.is_ready(), pod.is_completed(), owner)
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let dependencies = find::owners::<Pod, PodClique>(change, caches);
    dependencies
        .iter()
        .filter_map(|dependency| {
            let set = ordered_set(&dependency.metadata, caches)?;
            turns(dependency, change, caches).then_some((set, dependency))
        })
        .flat_map(|(set, dependency)| find_dependents(&set, &dependency.metadata, caches))
        .collect()
}

/// Whether the PodClique is up with the new state of the pod and was not with the old one, or the
/// reverse.
fn turns(dependency: &PodClique, change: &Change<Pod>, caches: &Caches) -> bool {
    let uid = ownership::uid(&dependency.metadata);
    let mut pods = caches.of::<Pod>().owned_by(dependency);
    let is = is_up(dependency, &pods);
    pods.retain(|p| change.newest().is_none_or(|new| p.name() != new.name()));
    let old = change
        .old
        .iter()
        .filter(|p| ownership::is_controlled_by(&p.metadata, uid));
    pods.extend(old.cloned());
    is != is_up(dependency, &pods)
}

/// A dependency was created, deleted or scaled, changed its attempt or its owner, has more work
/// done, or reports that it is up: after a list its pods appear all at once, and with more pods
/// than it needs it was up without each single one of them.
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
    change
        .versions()
        .map(|dependency| &dependency.metadata)
        .filter_map(|dependency| Some((ordered_set(dependency, caches)?, dependency)))
        .flat_map(|(set, dependency)| find_dependents(&set, dependency, caches))
        .collect()
}

/// The live replicas and attempts of a group decide which of its PodCliques are dependencies. A
/// dependent within one of its replicas belongs to the group, and is triggered anyway.
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

/// PodCliques of the base gang that are dependents of a clique of the group.
fn find_beside_group(set: &PodCliqueSet, group: &str, caches: &Caches) -> Vec<Key> {
    let set_name = ownership::name(&set.metadata);
    let Some((config, i)) = layout::find_group(set_name, &set.spec.template, group) else {
        return Vec::new();
    };
    config
        .clique_names
        .iter()
        .map(|clique| layout::grouped_part(group, config, i, 0, clique))
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

fn find_dependents_of(
    set: &PodCliqueSet,
    dependency: &LayoutSlot<'_>,
    caches: &Caches,
) -> Vec<Key> {
    let minimum = |group: &str, config: &PodCliqueScalingGroupConfig| {
        dependencies::group_minimum(set, group, config, caches)
    };
    let dependents = dependencies::order(set, &minimum, &minimum).dependents(dependency);
    dependents
        .iter()
        .map(|dependent| dependencies::key(set, &dependent.name))
        .collect()
}
