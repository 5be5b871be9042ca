//! Controller references, and small queries on metadata.

use api::{labels, names};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;

/// A controller reference to `owner` (docs/semantics.md §7.1: every owner reference is one, with
/// `blockOwnerDeletion`).
pub fn controller_reference<K: Resource<DynamicType = ()>>(owner: &K) -> OwnerReference {
    OwnerReference {
        api_version: K::api_version(&()).into_owned(),
        kind: K::kind(&()).into_owned(),
        name: owner.meta().name.clone().unwrap_or_default(),
        uid: owner.meta().uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// The reference to the controlling owner.
pub fn controller(meta: &ObjectMeta) -> Option<&OwnerReference> {
    meta.owner_references
        .iter()
        .flatten()
        .find(|o| o.controller == Some(true))
}

/// Whether one of our kinds controls the object, or it has our label. Objects of our kinds that
/// users created by hand are left alone.
pub fn is_managed(meta: &ObjectMeta) -> bool {
    is_controlled_by_us(meta) || label(meta, labels::MANAGED_BY) == Some(labels::MANAGER)
}

/// Whether the controlling owner has this uid.
pub fn is_controlled_by(meta: &ObjectMeta, uid: &str) -> bool {
    !uid.is_empty() && controller(meta).is_some_and(|o| o.uid == uid)
}

/// Whether the object has no controller and is not terminating: it may be adopted.
pub fn is_adoptable(meta: &ObjectMeta) -> bool {
    controller(meta).is_none() && !is_terminating(meta)
}

/// Whether one of our kinds controls the object.
pub fn is_controlled_by_us(meta: &ObjectMeta) -> bool {
    let groups = ["grove.io/", "scheduler.grove.io/"];
    controller(meta).is_some_and(|o| groups.iter().any(|group| o.api_version.starts_with(group)))
}

/// The uid, empty if unknown.
pub fn uid(meta: &ObjectMeta) -> &str {
    meta.uid.as_deref().unwrap_or_default()
}

/// The name, empty if unknown.
pub fn name(meta: &ObjectMeta) -> &str {
    meta.name.as_deref().unwrap_or_default()
}

/// The value of a label.
pub fn label<'a>(meta: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    meta.labels.as_ref()?.get(key).map(String::as_str)
}

/// The value of an annotation.
pub fn annotation<'a>(meta: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    meta.annotations.as_ref()?.get(key).map(String::as_str)
}

/// Index of the PodCliqueSet replica that a PodClique or scaling group of this set belongs to, from
/// its name: labels can be edited.
pub fn replica_in(set: &str, meta: &ObjectMeta) -> Option<i32> {
    names::parts_of_standalone_clique(set, name(meta)).map(|(replica, _)| replica)
}

/// Index of the scaling group's replica that a PodClique of this group is of: by its name, too.
pub fn group_replica_in(group: &str, meta: &ObjectMeta) -> Option<i32> {
    names::parts_of_grouped_clique(group, name(meta)).map(|(replica, _)| replica)
}

/// The number in a label.
pub fn label_index(meta: &ObjectMeta, key: &str) -> Option<i32> {
    label(meta, key)?.parse().ok()
}

/// Whether deletion was requested.
pub fn is_terminating(meta: &ObjectMeta) -> bool {
    meta.deletion_timestamp.is_some()
}

/// Whether the object waits for this finalizer.
pub fn has_finalizer(meta: &ObjectMeta, finalizer: &str) -> bool {
    meta.finalizers.iter().flatten().any(|f| f == finalizer)
}
