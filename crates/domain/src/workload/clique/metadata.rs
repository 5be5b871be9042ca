//! Changes to the metadata of existing objects. Foreign keys stay.

use std::collections::BTreeMap;

use api::labels;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::object::ownership;

/// Puts our keys over the existing ones; keys that record how an object was created are written at
/// creation and never repaired.
pub fn overlay(meta: &mut ObjectMeta, desired: &ObjectMeta) {
    let never_repaired = [
        labels::ATTEMPT,
        labels::GROUP_ATTEMPT,
        labels::MADE_WITH_HASH,
    ];
    for (key, value) in desired.labels.iter().flatten() {
        if !never_repaired.contains(&key.as_str()) {
            meta.labels
                .get_or_insert_default()
                .insert(key.clone(), value.clone());
        }
    }
    for (key, value) in desired.annotations.iter().flatten() {
        if !never_repaired.contains(&key.as_str()) {
            meta.annotations
                .get_or_insert_default()
                .insert(key.clone(), value.clone());
        }
    }
}

/// Removes the keys that an earlier template had and this one has not.
pub(super) fn remove_dropped(meta: &mut ObjectMeta, desired: &ObjectMeta) {
    let had = ownership::annotation(meta, labels::TEMPLATE_KEYS);
    let had = had.unwrap_or_default().to_owned();
    let lacks = |map: &Option<BTreeMap<String, String>>, key: &str| {
        map.as_ref().is_none_or(|map| !map.contains_key(key))
    };
    for entry in had.split(',') {
        let (map, key, is_dropped) = match entry.split_once(':') {
            Some(("label", key)) => (&mut meta.labels, key, lacks(&desired.labels, key)),
            Some(("annotation", key)) => {
                (&mut meta.annotations, key, lacks(&desired.annotations, key))
            }
            _ => continue,
        };
        if let Some(map) = map.as_mut().filter(|_| is_dropped) {
            map.remove(key);
        }
    }
    if let Some(annotations) = &mut meta.annotations {
        annotations.remove(labels::TEMPLATE_KEYS);
    }
}

/// Only the keys that the operator itself sets.
pub(super) fn own_keys(meta: &ObjectMeta) -> ObjectMeta {
    let is_own = |key: &String| {
        let standard = [
            labels::NAME,
            labels::MANAGED_BY,
            labels::PART_OF,
            labels::COMPONENT,
        ];
        // This key belongs to the PodClique's template.
        let is_of_template = key == labels::TEMPLATE_KEYS;
        (key.starts_with(labels::GROVE_PREFIX) && !is_of_template)
            || standard.contains(&key.as_str())
    };
    let keep = |map: &Option<BTreeMap<String, String>>| {
        let own = map.iter().flatten().filter(|(key, _)| is_own(key));
        Some(
            own.map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        )
    };
    ObjectMeta {
        labels: keep(&meta.labels),
        annotations: keep(&meta.annotations),
        ..ObjectMeta::default()
    }
}

/// Adds the owner to an object without a controller; an object with another controller is not
/// changed.
pub fn add_owner(meta: &mut ObjectMeta, desired: &ObjectMeta) {
    if ownership::controller(meta).is_none() {
        let owner = ownership::controller(desired).cloned();
        meta.owner_references.get_or_insert_default().extend(owner);
    }
}

/// Adds the finalizer unless it is there.
pub fn add_finalizer(meta: &mut ObjectMeta, finalizer: &str) {
    if !ownership::has_finalizer(meta, finalizer) {
        meta.finalizers
            .get_or_insert_default()
            .push(finalizer.to_owned());
    }
}
