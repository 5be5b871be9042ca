//! A deletion that leaves the children to the user (`kubectl delete --cascade=orphan`).
//!
//! The API server puts finalizer `orphan` on the object; the garbage collector removes the
//! references of the children that it knows, and removes the finalizer. A request that was under
//! way to the API server then (a POST of a child, an adoption) still lands, so the user's choice
//! has to be stored (decision 126).

use std::collections::BTreeMap;

use api::labels;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;
use serde_json::json;

use super::ownership;
use crate::plan::{Action, Target, WritableKind};

/// Whether the object is being deleted and this version of it requests that its children stay.
pub fn is_asked(meta: &ObjectMeta) -> bool {
    let is_open = ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER);
    ownership::is_terminating(meta) && (is_open || is_stored(meta))
}

/// Whether the choice is stored, so that an operator that starts now knows it. The annotation
/// counts only with a deletion, and only for the object that it names: a manifest may be a copy.
pub fn is_stored(meta: &ObjectMeta) -> bool {
    let named = ownership::annotation(meta, labels::ORPHAN_ASKED);
    ownership::is_terminating(meta) && named.is_some() && named == meta.uid.as_deref()
}

/// Stores the choice.
pub fn store<K: Resource<DynamicType = ()>>(meta: &ObjectMeta) -> Action {
    Action::Merge {
        target: Target::of::<K>(meta),
        patch: json!({"metadata": {"annotations": {labels::ORPHAN_ASKED: meta.uid}}}),
    }
}

/// Whether the child has still to be released: this owner controls it, or it has no controller and
/// no release for this owner has changed its version yet, so that a pending adoption would succeed.
pub fn is_to_be_released(child: &ObjectMeta, owner: &str) -> bool {
    let is_left = ownership::annotation(child, labels::LEFT_BY) == Some(owner);
    let is_loose = ownership::is_adoptable(child) && ownership::is_managed(child);
    ownership::is_controlled_by(child, owner) || is_loose && !is_left
}

/// Releases the child by a PUT.
pub fn release<K: WritableKind + Clone>(child: &K, owner: &str) -> Action {
    let mut next = child.clone();
    let meta = next.meta_mut();
    meta.owner_references = Some(others(meta, owner));
    let left: &mut BTreeMap<_, _> = meta.annotations.get_or_insert_default();
    left.insert(labels::LEFT_BY.to_owned(), owner.to_owned());
    Action::replace(next)
}

/// Releases the child by a merge patch, for kinds that the API server completes.
pub fn release_by_patch<K: Resource<DynamicType = ()>>(child: &ObjectMeta, owner: &str) -> Action {
    Action::Merge {
        target: Target::of::<K>(child),
        patch: json!({"metadata": {
            "resourceVersion": child.resource_version,
            "ownerReferences": others(child, owner),
            "annotations": {labels::LEFT_BY: owner},
        }}),
    }
}

fn others(child: &ObjectMeta, owner: &str) -> Vec<OwnerReference> {
    child
        .owner_references
        .iter()
        .flatten()
        .filter(|reference| reference.uid != owner)
        .cloned()
        .collect()
}
