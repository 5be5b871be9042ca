//! How a PodClique object is built.

use std::collections::BTreeMap;

use api::labels::{self, component};
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet, PodCliqueSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{PodCliquePosition, Ready};
use crate::object::ownership;

/// The PodClique for that position.
pub fn build(pcs: &PodCliqueSet, clique: &Ready<'_>, position: PodCliquePosition) -> PodClique {
    let template = clique.template;
    let labels = labels_of(ownership::name(&pcs.metadata), clique, &position);
    let spec = PodCliqueSpec {
        role_name: template.spec.role_name.clone(),
        pod_spec: clique.pod_spec.clone(),
        replicas: position.count.replicas,
        min_available: template.spec.min_available,
        starts_after: position.starts_after,
        auto_scaling_config: template.spec.auto_scaling_config.clone(),
        workload_type: pcs.spec.workload_type,
    };
    let mut annotations = annotations_of(template);
    if position.group.is_some() {
        annotations.insert(labels::MADE_WITH_HASH.into(), clique.hash.clone());
    }
    annotations.insert(
        labels::TEMPLATE_REPLICAS.into(),
        position.count.stamped.to_string(),
    );
    let attempt = position.attempt.annotations();
    annotations.extend(attempt.map(|(key, number)| (key.to_owned(), number.to_string())));
    PodClique {
        metadata: ObjectMeta {
            labels: Some(labels),
            annotations: Some(annotations),
            name: Some(position.name),
            namespace: pcs.metadata.namespace.clone(),
            owner_references: Some(vec![position.owner]),
            finalizers: Some(vec![labels::PCLQ_FINALIZER.into()]),
            ..ObjectMeta::default()
        },
        spec,
        status: None,
    }
}

/// The labels and annotations that come from the template, with its hash.
pub(super) fn template_metadata(template: &PodCliqueTemplateSpec, hash: &str) -> ObjectMeta {
    let mut all = users_labels(&template.labels);
    all.insert(labels::POD_TEMPLATE_HASH.into(), hash.to_owned());
    ObjectMeta {
        labels: Some(all),
        annotations: Some(annotations_of(template)),
        ..ObjectMeta::default()
    }
}

/// The annotations of the template, and a note of all its keys.
fn annotations_of(template: &PodCliqueTemplateSpec) -> BTreeMap<String, String> {
    let mut annotations = users_annotations(&template.annotations);
    if let Some(keys) = template_keys(&annotations, &users_labels(&template.labels)) {
        annotations.insert(labels::TEMPLATE_KEYS.into(), keys);
    }
    annotations
}

fn labels_of(
    pcs: &str,
    clique: &Ready<'_>,
    position: &PodCliquePosition,
) -> BTreeMap<String, String> {
    let mut all = users_labels(&clique.template.labels);
    all.extend(labels::default_labels(pcs));
    all.insert(labels::NAME.into(), position.name.clone());
    all.insert(
        labels::PCS_REPLICA_INDEX.into(),
        position.replica.to_string(),
    );
    all.insert(labels::POD_GANG.into(), position.gang.clone());
    all.insert(labels::POD_TEMPLATE_HASH.into(), clique.hash.clone());
    let component = match &position.group {
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
    if let Some(base) = &position.base_gang {
        all.insert(labels::BASE_POD_GANG.into(), base.clone());
    }
    all.extend(
        position
            .attempt
            .labels()
            .map(|(key, number)| (key.to_owned(), number.to_string())),
    );
    all
}

/// The keys of the template's labels and annotations, if there are any.
fn template_keys(
    annotations: &BTreeMap<String, String>,
    users_labels: &BTreeMap<String, String>,
) -> Option<String> {
    let labels = users_labels.keys().map(|key| format!("label:{key}"));
    let annotations = annotations.keys().map(|key| format!("annotation:{key}"));
    let keys: Vec<String> = labels.chain(annotations).collect();
    (!keys.is_empty()).then(|| keys.join(","))
}

/// Labels of a template without those that are reserved for the operator.
fn users_labels(given: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut all = given.clone();
    all.retain(|key, _| !key.starts_with(labels::GROVE_PREFIX));
    all
}

/// Annotations of a template without those that are reserved for the operator. The CRD refuses
/// these; objects stored before it did may still have them.
pub fn users_annotations(annotations: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_users = |key: &str| !key.starts_with(labels::GROVE_PREFIX) || key == labels::MNNVL_GROUP;
    let mut all = annotations.clone();
    all.retain(|key, _| is_users(key));
    all
}
