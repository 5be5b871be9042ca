//! How a PodClique object is built from the template, and how it is corrected afterwards. The
//! PodCliqueSet creates the standalone ones, the scaling group the others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api::labels::{self, component};
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet, PodCliqueSpec};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::hash;
use crate::object::attempt::Attempt;
use crate::object::{environment, ownership};

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
}

/// The replica count of a PodClique that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveCount {
    /// `spec.replicas`.
    pub replicas: i32,
    /// The template's value that it was last set beside.
    pub stamped: i32,
}

/// Where a PodClique belongs in a scaling group.
#[derive(Clone, Debug)]
pub struct GroupPlace {
    /// Name of the PodCliqueScalingGroup object.
    pub name: String,
    /// Index of the group's replica.
    pub replica: i32,
}

/// A clique of the template, made ready once for all the places that it has.
#[derive(Clone, Debug)]
pub struct Ready<'a> {
    /// As it is in the template.
    pub template: &'a PodCliqueTemplateSpec,
    /// Hash of its pods' template.
    pub hash: String,
    /// Its pods, with the variables of a scaling group.
    pod_spec: Cow<'a, PodSpec>,
}

impl<'a> Ready<'a> {
    /// Of a standalone clique, with its hash.
    pub fn standalone((template, hash): (&'a PodCliqueTemplateSpec, String)) -> Self {
        Self {
            template,
            hash,
            pod_spec: Cow::Borrowed(&template.spec.pod_spec),
        }
    }

    /// For a clique in a scaling group; `pods` is the number of pods that one group replica has by
    /// the template.
    pub fn grouped((template, hash): (&'a PodCliqueTemplateSpec, String), pods: i32) -> Self {
        let mut pod_spec = template.spec.pod_spec.clone();
        environment::inject(&mut pod_spec, &environment::of_scaling_group(pods));
        Self {
            template,
            hash,
            pod_spec: Cow::Owned(pod_spec),
        }
    }
}

/// A PodClique as it should be, but for its pods' template, which may be large and which all places
/// share.
#[derive(Clone, Debug)]
pub struct Desired<'a> {
    /// All but `spec.podSpec`.
    pub podclique: PodClique,
    pod_spec: &'a PodSpec,
}

impl Desired<'_> {
    /// The whole PodClique.
    pub fn complete(self) -> PodClique {
        let mut podclique = self.podclique;
        podclique.spec.pod_spec = self.pod_spec.clone();
        podclique
    }
}

/// The PodClique for that place.
pub fn build<'a>(pcs: &PodCliqueSet, clique: &'a Ready<'_>, place: Place) -> Desired<'a> {
    let template = clique.template;
    let pcs_name = ownership::name(&pcs.metadata);
    let spec = PodCliqueSpec {
        role_name: template.spec.role_name.clone(),
        pod_spec: PodSpec::default(),
        replicas: place.count.replicas,
        min_available: template.spec.min_available,
        starts_after: Vec::new(),
        auto_scaling_config: template.spec.auto_scaling_config.clone(),
        workload_type: pcs.spec.workload_type,
    };
    let mut annotations = users_annotations(&template.annotations);
    annotations.insert(
        labels::TEMPLATE_REPLICAS.into(),
        place.count.stamped.to_string(),
    );
    let attempt = place.attempt.annotations();
    annotations.extend(attempt.map(|(key, number)| (key.to_owned(), number.to_string())));
    let podclique = PodClique {
        metadata: ObjectMeta {
            labels: Some(labels_of(pcs_name, clique, &place)),
            annotations: Some(annotations),
            name: Some(place.name),
            namespace: pcs.metadata.namespace.clone(),
            owner_references: Some(vec![place.owner]),
            finalizers: Some(vec![labels::PCLQ_FINALIZER.into()]),
            ..ObjectMeta::default()
        },
        spec,
        status: None,
    };
    Desired {
        podclique,
        pod_spec: &clique.pod_spec,
    }
}

fn labels_of(pcs: &str, clique: &Ready<'_>, place: &Place) -> BTreeMap<String, String> {
    let is_users = |key: &str| !key.starts_with(labels::GROVE_PREFIX);
    let mut all = clique.template.labels.clone();
    all.retain(|key, _| is_users(key));
    all.extend(labels::default_labels(pcs));
    all.insert(labels::NAME.into(), place.name.clone());
    all.insert(labels::PCS_REPLICA_INDEX.into(), place.replica.to_string());
    all.insert(labels::POD_GANG.into(), place.gang.clone());
    all.insert(labels::POD_TEMPLATE_HASH.into(), clique.hash.clone());
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

/// Annotations of a template without those that are reserved for the operator. The definition
/// refuses these; objects that were stored before it did may still have them.
pub fn users_annotations(annotations: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_users = |key: &str| !key.starts_with(labels::GROVE_PREFIX) || key == labels::MNNVL_GROUP;
    let mut all = annotations.clone();
    all.retain(|key, _| is_users(key));
    all
}

/// `existing` as it should be, or `None` if it is right.
///
/// Everything foreign stays: other keys, finalizers, a live `spec.replicas` that was scaled. A
/// PodClique of another template generation keeps its pod template.
pub fn corrected(
    existing: &PodClique,
    desired: &Desired<'_>,
    is_autoscaled: bool,
) -> Option<PodClique> {
    if ownership::is_terminating(&existing.metadata) {
        return None;
    }
    let is_same_template = is_of_template(existing, desired);
    let metadata = corrected_metadata(existing, desired, is_same_template);
    let mut spec = desired.podclique.spec.clone();
    // Fixed at creation; one that has none yet is given it.
    spec.min_available = existing.spec.min_available.or(spec.min_available);
    let stamp = |meta| ownership::annotation(meta, labels::TEMPLATE_REPLICAS);
    spec.replicas = live_replicas(
        existing.spec.replicas,
        stamp(&existing.metadata),
        stamp(&desired.podclique.metadata),
        is_autoscaled,
    );
    let takes_pods =
        is_same_template && !hash::is_same_pod_spec(&existing.spec.pod_spec, desired.pod_spec);
    let is_right =
        !takes_pods && metadata == existing.metadata && is_same_but_for_pods(&spec, &existing.spec);
    if is_right {
        return None;
    }
    let pod_spec = if takes_pods {
        desired.pod_spec
    } else {
        &existing.spec.pod_spec
    };
    spec.pod_spec = pod_spec.clone();
    Some(PodClique {
        metadata,
        spec,
        status: existing.status.clone(),
    })
}

fn corrected_metadata(
    existing: &PodClique,
    desired: &Desired<'_>,
    is_same_template: bool,
) -> ObjectMeta {
    let wanted = &desired.podclique.metadata;
    let mut next = existing.metadata.clone();
    if is_same_template {
        overlay(&mut next, wanted);
    } else {
        // The user's labels belong to the template: they come with it, on the replica's turn.
        overlay(&mut next, &own_keys(wanted));
    }
    set_hash_label(&mut next, existing, is_same_template);
    adopt(&mut next, wanted);
    add_finalizer(&mut next, labels::PCLQ_FINALIZER);
    next
}

/// Whether both say the same, but for the pods' template.
fn is_same_but_for_pods(one: &PodCliqueSpec, other: &PodCliqueSpec) -> bool {
    let PodCliqueSpec {
        role_name,
        pod_spec: _,
        replicas,
        min_available,
        starts_after,
        auto_scaling_config,
        workload_type,
    } = one;
    *role_name == other.role_name
        && *replicas == other.replicas
        && *min_available == other.min_available
        && *starts_after == other.starts_after
        && *auto_scaling_config == other.auto_scaling_config
        && *workload_type == other.workload_type
}

/// The next live `spec.replicas`: it follows the template only if it was not scaled since the last
/// template value, `stamped`, was stored. An object without a stamp only gets one.
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
        if !never_repaired.contains(&key.as_str()) {
            meta.annotations
                .get_or_insert_default()
                .insert(key.clone(), value.clone());
        }
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

/// Adds the owner to an object without a controller; an object with another controller is not
/// changed.
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
fn is_of_template(existing: &PodClique, desired: &Desired<'_>) -> bool {
    let theirs = ownership::label(&existing.metadata, labels::POD_TEMPLATE_HASH);
    let ours = ownership::label(&desired.podclique.metadata, labels::POD_TEMPLATE_HASH);
    let is_same = || {
        let (theirs, ours) = (&existing.spec.pod_spec, desired.pod_spec);
        hash::is_same_pod_spec(&timeless(theirs), &timeless(ours))
    };
    match theirs {
        Some(hash) if hash::is_ours(hash) => theirs == ours,
        _ => is_same(),
    }
}

/// The pod template without the one variable that is no part of the template's hash: how many pods
/// a group replica had when the PodClique was made, which the Go operator never corrects.
fn timeless(pod_spec: &PodSpec) -> PodSpec {
    let mut spec = pod_spec.clone();
    environment::remove(&mut spec, labels::env::PCSG_TEMPLATE_NUM_PODS);
    spec
}

/// A PodClique of another generation keeps its own hash. One whose hash another implementation
/// wrote gets ours, and the old one is noted so that its pods can be relabelled, not restarted.
fn set_hash_label(next: &mut ObjectMeta, existing: &PodClique, is_same_template: bool) {
    let before = ownership::label(&existing.metadata, labels::POD_TEMPLATE_HASH).map(str::to_owned);
    let is_ours = before.as_deref().is_some_and(hash::is_ours);
    if let (false, Some(foreign)) = (is_ours, &before) {
        let annotations = next.annotations.get_or_insert_default();
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
    next.labels
        .get_or_insert_default()
        .insert(labels::POD_TEMPLATE_HASH.into(), own);
}
