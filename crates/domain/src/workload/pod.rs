//! Builds the pod of an index.

pub mod quota;
pub mod start_order;

use std::collections::BTreeMap;

use api::labels::{self, env};
use api::{PodClique, names};
use k8s_openapi::api::core::v1::{EnvVar, Pod, PodSchedulingGate, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::health::training;
use crate::object::attempt::Attempt;
use crate::object::{environment, ownership};

/// The pod with this index and name, in this set. `priority_class_name` is the set's and has
/// precedence if it is not empty; `failure_count` is the number of earlier pods of the index that
/// ended soon after their start.
pub fn build_pod(
    podclique: &PodClique,
    set: &str,
    index: i32,
    name: String,
    priority_class_name: &str,
    failure_count: u32,
) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: podclique.metadata.namespace.clone(),
            labels: Some(labels_of(podclique, set, index)),
            annotations: annotations_of(podclique, failure_count),
            owner_references: Some(vec![ownership::controller_reference(podclique)]),
            ..ObjectMeta::default()
        },
        spec: Some(spec_of(podclique, set, index, priority_class_name)),
        status: None,
    }
}

/// Gives the pod its index among all pods of its group replica.
pub fn add_place_in_group(pod: &mut Pod, index: i32) {
    let all = pod.metadata.labels.get_or_insert_default();
    all.insert(labels::SCALING_GROUP_POD_INDEX.into(), index.to_string());
    if let Some(spec) = &mut pod.spec {
        let variable =
            environment::from_label(env::PCSG_POD_INDEX, labels::SCALING_GROUP_POD_INDEX);
        environment::inject(spec, &[variable]);
    }
}

/// Gives a pod of a job its set and its attempt: an old pod of its rank may run on and reach its
/// peers under the same name (docs/training.md).
pub fn add_attempt(pod: &mut Pod, podclique: &PodClique, set_uid: &str) {
    let spec = pod.spec.as_mut();
    let spec = spec.filter(|_| training::is_of_job(podclique));
    if let Some(spec) = spec {
        let uid: String = set_uid.chars().take(8).collect();
        let attempt = Attempt::of(&podclique.metadata).set;
        let variable = environment::literal(env::ATTEMPT, format!("{uid}-{attempt}"));
        environment::inject(spec, &[variable]);
    }
}

/// How often its gang had lost its quota.
pub fn add_quota_round(pod: &mut Pod, round: i64) {
    if round > 0 {
        let annotations = pod.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::QUOTA_ROUND.to_owned(), round.to_string());
    }
}

/// Labels of the pod with this index.
pub fn labels_of(podclique: &PodClique, set: &str, index: i32) -> BTreeMap<String, String> {
    let mut all = podclique.metadata.labels.clone().unwrap_or_default();
    // Pods are watched by this label: an edited label of the PodClique must not hide them.
    all.insert(labels::MANAGED_BY.into(), labels::MANAGER.into());
    all.insert(labels::PART_OF.into(), set.into());
    all.insert(
        labels::POD_CLIQUE.into(),
        ownership::name(&podclique.metadata).into(),
    );
    all.insert(labels::POD_INDEX.into(), index.to_string());
    insert_place(&mut all, &podclique.metadata, set);
    all
}

/// Rank, address and attempt of a pod never change: they do not come from labels of the PodClique,
/// which may have been edited.
fn insert_place(all: &mut BTreeMap<String, String>, meta: &ObjectMeta, set: &str) {
    let group = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup");
    let replica = ownership::replica_in(set, meta);
    let group_replica = group.and_then(|g| ownership::group_replica_in(&g.name, meta));
    let attempt = Attempt::of(meta);
    let known = [
        (labels::PCS_REPLICA_INDEX, replica),
        (labels::SCALING_GROUP_REPLICA_INDEX, group_replica),
    ];
    for (key, index) in known {
        if let Some(index) = index {
            all.insert(key.into(), index.to_string());
        }
    }
    for (key, _) in attempt.annotations() {
        all.remove(key);
    }
    let attempt = attempt.labels();
    all.extend(attempt.map(|(key, number)| (key.to_owned(), number.to_string())));
}

/// The PodClique's annotations without the operator's own book-keeping.
fn annotations_of(podclique: &PodClique, failure_count: u32) -> Option<BTreeMap<String, String>> {
    let own = [
        labels::TEMPLATE_REPLICAS,
        labels::REBASED_FROM,
        labels::OLDER_TEMPLATE_HASH,
        labels::TEMPLATE_KEYS,
        labels::MADE_WITH_HASH,
        labels::ATTEMPT,
        labels::GROUP_ATTEMPT,
        labels::START,
        labels::START_AT,
        labels::STARTS_AFTER,
    ];
    let mut all = podclique.metadata.annotations.clone().unwrap_or_default();
    all.retain(|key, _| !own.contains(&key.as_str()));
    if failure_count > 0 {
        all.insert(labels::POD_FAILURE_COUNT.into(), failure_count.to_string());
    }
    (!all.is_empty()).then_some(all)
}

fn spec_of(podclique: &PodClique, set: &str, index: i32, priority_class_name: &str) -> PodSpec {
    let meta = &podclique.metadata;
    let replica = ownership::replica_in(set, meta).unwrap_or_default();
    let mut spec = PodSpec::clone(&podclique.spec.pod_spec);
    environment::inject(&mut spec, &variables(podclique, set, replica));
    let gates = spec.scheduling_gates.get_or_insert_default();
    gates.push(PodSchedulingGate {
        name: labels::POD_GANG_GATE.into(),
    });
    spec.hostname = Some(names::hostname(ownership::name(meta), index));
    spec.subdomain = Some(names::headless_service(set, replica));
    if !priority_class_name.is_empty() {
        spec.priority_class_name = Some(priority_class_name.to_owned());
    }
    spec
}

fn variables(podclique: &PodClique, set: &str, replica: i32) -> Vec<EnvVar> {
    let meta = &podclique.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let address = names::headless_service_address(set, replica, namespace);
    vec![
        environment::literal(env::PCS_NAME, set),
        environment::literal(env::PCS_INDEX, replica.to_string()),
        environment::literal(env::PCLQ_NAME, ownership::name(meta)),
        environment::literal(env::HEADLESS_SERVICE, address),
        environment::from_label(env::PCLQ_POD_INDEX, labels::POD_INDEX),
    ]
}
