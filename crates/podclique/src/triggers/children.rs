//! Whose pods may start because of a change of those that they start after: what
//! [`parents`](crate::parents) reads, looked at from the other end (docs/semantics.md §8.6).

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

use crate::parents::{self, is_up};

/// A parent is up because of the pod, or is not any more.
pub(super) fn find_by_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let read = |pod: &Pod| {
        let owner = ownership::controller(&pod.metadata).map(|o| o.uid.clone());
        (pod.index(), pod.is_ready(), pod.is_completed(), owner)
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let parents = find::owners::<Pod, PodClique>(change, caches);
    let ordered = parents.iter().filter_map(|parent| {
        let set = ordered_set(&parent.metadata, caches)?;
        turns(parent, change, caches).then_some((set, parent))
    });
    ordered
        .flat_map(|(set, parent)| find_children(&set, &parent.metadata, caches))
        .collect()
}

/// Whether the PodClique is up with the pod as it is and was not with the pod as it was, or the other
/// way round.
fn turns(parent: &PodClique, change: &Change<Pod>, caches: &Caches) -> bool {
    let uid = ownership::uid(&parent.metadata);
    let mut pods = caches.of::<Pod>().owned_by(parent);
    let is = is_up(parent, &pods);
    pods.retain(|p| change.newest().is_none_or(|new| p.name() != new.name()));
    let old = change.old.iter();
    let old = old.filter(|p| ownership::is_controlled_by(&p.metadata, uid));
    pods.extend(old.cloned());
    is != is_up(parent, &pods)
}

/// A parent came, went or was scaled, is of another attempt or in other hands, more of it is done, or
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
    let parents = change.versions().map(|parent| &parent.metadata);
    parents
        .filter_map(|parent| Some((ordered_set(parent, caches)?, parent)))
        .flat_map(|(set, parent)| find_children(&set, parent, caches))
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
        .flat_map(|part| find_children_of(set, &part, caches))
        .collect()
}

/// The set that an object is part of, if it has a start order.
fn ordered_set(meta: &ObjectMeta, caches: &Caches) -> Option<Arc<PodCliqueSet>> {
    let set = caches.set_of_member(meta)?;
    let set = caches.of::<PodCliqueSet>().get(&set)?;
    let type_ = set.spec.template.clique_startup_type.unwrap_or_default();
    (type_ != CliqueStartupType::AnyOrder).then_some(set)
}

fn find_children(set: &PodCliqueSet, parent: &ObjectMeta, caches: &Caches) -> Vec<Key> {
    let part = parents::find(set, ownership::name(parent));
    part.map_or_else(Vec::new, |part| find_children_of(set, &part, caches))
}

fn find_children_of(set: &PodCliqueSet, parent: &Part<'_>, caches: &Caches) -> Vec<Key> {
    let minimum = |group: &str, config: &PodCliqueScalingGroupConfig| {
        parents::group_minimum(set, group, config, caches)
    };
    let children = parents::order(set, &minimum, &minimum).children(parent);
    let names = children.iter().map(|child| &child.name);
    names.map(|name| parents::key(set, name)).collect()
}
