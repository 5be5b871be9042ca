//! How a PodClique object is made from the template, and kept right afterwards. Standalone ones
//! are made by the PodCliqueSet, the others by their scaling group.

use std::collections::BTreeMap;

use api::labels::{self, component};
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::fence::{Attempt, LiveCount};
use crate::{environment, hash, ownership};

/// Where a PodClique belongs.
#[derive(Clone, Debug)]
pub struct Place {
    /// Name of the PodClique.
    pub name: String,
    /// Index of the PodCliqueSet replica.
    pub replica: i32,
    /// Name of its PodGang.
    pub gang: String,
    /// Name of the base gang, if its own gang is a scaled one.
    pub base_gang: Option<String>,
    /// The scaling group, unless it is a standalone clique.
    pub group: Option<GroupPlace>,
    /// Who owns it.
    pub owner: OwnerReference,
    /// Replica count it starts with, and the template's value that it is stamped with.
    pub count: LiveCount,
    /// The attempt it is created in.
    pub attempt: Attempt,
    /// Hash of its pods' template: the same in every replica, and dear to compute.
    pub template_hash: String,
}

/// Where a PodClique belongs in a scaling group.
#[derive(Clone, Debug)]
pub struct GroupPlace {
    /// Name of the PodCliqueScalingGroup object.
    pub name: String,
    /// Index of the group's replica.
    pub replica: i32,
    /// Pods of one group replica according to the template.
    pub pods: i32,
}

/// The PodClique for that place (Grove, §3.1).
pub fn build(pcs: &PodCliqueSet, template: &PodCliqueTemplateSpec, place: Place) -> PodClique {
    let pcs_name = ownership::name(&pcs.metadata);
    let mut spec = template.spec.clone();
    spec.replicas = place.count.replicas;
    spec.starts_after = Vec::new();
    spec.workload_type = pcs.spec.workload_type;
    if let Some(group) = &place.group {
        environment::inject(
            &mut spec.pod_spec,
            &environment::of_scaling_group(group.pods),
        );
    }
    let mut annotations = template.annotations.clone();
    annotations.remove(labels::TOPOLOGY_NAME);
    annotations.insert(
        labels::TEMPLATE_REPLICAS.into(),
        place.count.stamped.to_string(),
    );
    PodClique {
        metadata: ObjectMeta {
            labels: Some(labels_of(pcs_name, template, &place)),
            annotations: Some(annotations),
            name: Some(place.name),
            namespace: pcs.metadata.namespace.clone(),
            owner_references: Some(vec![place.owner]),
            finalizers: Some(vec![labels::PCLQ_FINALIZER.into()]),
            ..ObjectMeta::default()
        },
        spec,
        status: None,
    }
}

fn labels_of(
    pcs: &str,
    template: &PodCliqueTemplateSpec,
    place: &Place,
) -> BTreeMap<String, String> {
    let mut all = template.labels.clone();
    all.extend(labels::default_labels(pcs));
    all.insert(labels::NAME.into(), place.name.clone());
    all.insert(labels::PCS_REPLICA_INDEX.into(), place.replica.to_string());
    all.insert(labels::POD_GANG.into(), place.gang.clone());
    let hash = place.template_hash.clone();
    all.insert(labels::POD_TEMPLATE_HASH.into(), hash);
    let component = match &place.group {
        None => component::PCS_POD_CLIQUE,
        Some(group) => {
            all.insert(labels::SCALING_GROUP.into(), group.name.clone());
            all.insert(
                labels::SCALING_GROUP_REPLICA_INDEX.into(),
                group.replica.to_string(),
            );
            component::PCSG_POD_CLIQUE
        }
    };
    all.insert(labels::COMPONENT.into(), component.into());
    if let Some(base) = &place.base_gang {
        all.insert(labels::BASE_POD_GANG.into(), base.clone());
    }
    all.extend(
        place
            .attempt
            .labels()
            .map(|(key, number)| (key.to_owned(), number.to_string())),
    );
    all
}

/// `existing` as it should be, or `None` if it is right.
///
/// Everything foreign stays: other keys, finalizers, live `spec.replicas` that somebody scaled. A
/// PodClique of another template generation keeps its pod template: an update brings it the new
/// one on its replica's turn.
pub fn corrected(
    existing: &PodClique,
    desired: &PodClique,
    is_autoscaled: bool,
) -> Option<PodClique> {
    if ownership::is_terminating(&existing.metadata) {
        return None;
    }
    let mut next = existing.clone();
    let is_same_template = is_of_template(existing, desired);
    let template_replicas = desired
        .metadata
        .annotations
        .as_ref()
        .and_then(|a| a.get(labels::TEMPLATE_REPLICAS));
    next.spec = desired.spec.clone();
    if !is_same_template || hash::is_same_pod_spec(&existing.spec.pod_spec, &desired.spec.pod_spec)
    {
        next.spec.pod_spec = existing.spec.pod_spec.clone();
    }
    // Fixed at creation; one that has none yet is given it.
    next.spec.min_available = existing.spec.min_available.or(next.spec.min_available);
    next.spec.replicas = live_replicas(
        existing.spec.replicas,
        ownership::annotation(&existing.metadata, labels::TEMPLATE_REPLICAS),
        template_replicas.map(String::as_str),
        is_autoscaled,
    );
    if is_same_template {
        overlay(&mut next.metadata, &desired.metadata);
    } else {
        // The user's labels belong to the template: they come with it, on the replica's turn.
        overlay(&mut next.metadata, &own_keys(&desired.metadata));
    }
    set_hash_label(&mut next, existing, is_same_template);
    adopt(&mut next.metadata, &desired.metadata);
    add_finalizer(&mut next.metadata, labels::PCLQ_FINALIZER);
    (next != *existing).then_some(next)
}

/// What live `spec.replicas` becomes: it follows the template only where nobody scaled it since
/// the last template value, `stamped`, was seen. An object without a stamp is only stamped.
pub fn live_replicas(
    live: i32,
    stamped: Option<&str>,
    template: Option<&str>,
    is_autoscaled: bool,
) -> i32 {
    let stamped: Option<i32> = stamped.and_then(|s| s.parse().ok());
    let template: Option<i32> = template.and_then(|t| t.parse().ok());
    match (stamped, template) {
        (Some(stamped), Some(template)) if stamped == live && !is_autoscaled => template,
        _ => live,
    }
}

/// Puts our keys over those that are there; attempts are written at creation and never repaired.
pub fn overlay(meta: &mut ObjectMeta, desired: &ObjectMeta) {
    let never_repaired = [labels::ATTEMPT, labels::GROUP_ATTEMPT];
    for (key, value) in desired.labels.iter().flatten() {
        if !never_repaired.contains(&key.as_str()) {
            meta.labels
                .get_or_insert_default()
                .insert(key.clone(), value.clone());
        }
    }
    for (key, value) in desired.annotations.iter().flatten() {
        meta.annotations
            .get_or_insert_default()
            .insert(key.clone(), value.clone());
    }
}

/// Only the keys that the operator itself sets.
fn own_keys(meta: &ObjectMeta) -> ObjectMeta {
    let is_own = |key: &String| {
        let standard = [
            labels::NAME,
            labels::MANAGED_BY,
            labels::PART_OF,
            labels::COMPONENT,
        ];
        key.starts_with(labels::GROVE_PREFIX) || standard.contains(&key.as_str())
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

/// An object that nobody controls gets its owner (back); one that somebody else controls does not.
pub fn adopt(meta: &mut ObjectMeta, desired: &ObjectMeta) {
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

/// Whether both come from the same pod template. A hash that another implementation wrote says
/// nothing to us: there the pod templates themselves are compared.
fn is_of_template(existing: &PodClique, desired: &PodClique) -> bool {
    let theirs = ownership::label(&existing.metadata, labels::POD_TEMPLATE_HASH);
    let ours = ownership::label(&desired.metadata, labels::POD_TEMPLATE_HASH);
    match theirs {
        Some(hash) if hash::is_ours(hash) => theirs == ours,
        _ => hash::is_same_pod_spec(&timeless(existing), &timeless(desired)),
    }
}

/// The pod template without the one variable that is no part of the template's hash: how many pods
/// a group replica had when the PodClique was made, which the Go operator never corrects.
fn timeless(podclique: &PodClique) -> PodSpec {
    let mut spec = podclique.spec.pod_spec.clone();
    environment::remove(&mut spec, labels::env::PCSG_TEMPLATE_NUM_PODS);
    spec
}

/// A PodClique of another generation keeps its own hash. One whose hash another implementation
/// wrote gets ours, and the old one is noted so that its pods can be relabelled, not restarted.
fn set_hash_label(next: &mut PodClique, existing: &PodClique, is_same_template: bool) {
    let before = ownership::label(&existing.metadata, labels::POD_TEMPLATE_HASH).map(str::to_owned);
    let is_ours = before.as_deref().is_some_and(hash::is_ours);
    if let (false, Some(foreign)) = (is_ours, &before) {
        let annotations = next.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::REBASED_FROM.into(), foreign.clone());
    }
    if is_same_template {
        return;
    }
    let own = if is_ours {
        before.unwrap_or_default()
    } else {
        hash::pod_spec_hash(&existing.spec.pod_spec)
    };
    next.metadata
        .labels
        .get_or_insert_default()
        .insert(labels::POD_TEMPLATE_HASH.into(), own);
}
