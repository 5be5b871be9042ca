//! Objects as they are created.

pub mod autoscaler;
pub mod gang;
pub mod group;
pub mod service;

use std::collections::BTreeMap;

use api::{PodCliqueSet, labels};
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Metadata of a child: default labels, name, component, owner.
pub fn metadata(set: &PodCliqueSet, name: &str, name_label: &str, component: &str) -> ObjectMeta {
    let mut all = labels::default_labels(ownership::name(&set.metadata));
    all.insert(labels::NAME.into(), name_label.into());
    all.insert(labels::COMPONENT.into(), component.into());
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: set.metadata.namespace.clone(),
        labels: Some(all),
        owner_references: Some(vec![ownership::controller_reference(set)]),
        ..ObjectMeta::default()
    }
}

/// Adds the label with the index of the replica.
pub fn with_replica(mut meta: ObjectMeta, replica: i32) -> ObjectMeta {
    let all: &mut BTreeMap<_, _> = meta.labels.get_or_insert_default();
    all.insert(labels::PCS_REPLICA_INDEX.into(), replica.to_string());
    meta
}
