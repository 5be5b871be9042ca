//! Compares two versions of an object, and recognizes its last version.

use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

pub(super) fn is_same_version<K: Resource>(one: &K, other: &K) -> bool {
    let (one, other) = (one.meta(), other.meta());
    one.resource_version == other.resource_version && one.uid == other.uid
}

/// Whether both versions have the same owner, set and attempt in the index: most differ in their
/// status.
pub(super) fn stays_in_place<K: Resource>(old: &K, new: &K) -> bool {
    let (old, new) = (old.meta(), new.meta());
    old.uid == new.uid
        && old.owner_references == new.owner_references
        && old.labels == new.labels
        && old.annotations == new.annotations
}

/// Whether the object's time to end is over and no finalizer holds it: a pod is removed once its
/// grace period was set to 0, at the latest by a client that has seen its containers end.
pub(super) fn has_ended(meta: &ObjectMeta) -> bool {
    ownership::is_terminating(meta)
        && meta.deletion_grace_period_seconds == Some(0)
        && meta.finalizers.iter().flatten().next().is_none()
}

/// Whether objects of this kind continue for a while after their DELETE was answered.
pub(super) fn ends_gracefully<K: Resource<DynamicType = ()>>() -> bool {
    K::kind(&()) == "Pod"
}

pub(super) fn version(meta: &ObjectMeta) -> u64 {
    meta.resource_version
        .as_deref()
        .and_then(|v| v.parse().ok())
        .unwrap_or(0)
}
