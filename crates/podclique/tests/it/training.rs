//! Pods of training jobs (docs/semantics.md §5).

mod completed;
mod deleted;
mod failed;
mod in_place;
mod lost;
mod over;
mod released;
mod suspended;

use std::sync::Arc;

use admission::defaults::{self, DefaultsConfig};
use api::conditions::{self, ConditionType};
use api::{PodClique, PodCliqueSet, PodCliqueStatus, WorkloadType};
use domain::workload::hash;
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use podclique::Snapshot;
use testkit::builders::{PodBuilder, podclique, set};

use crate::situation::plan;

/// A clique of a job; its minimum was available before if `was_available`.
fn clique(replicas: i32, min: i32, was_available: bool) -> Arc<PodClique> {
    podclique("demo-0-worker")
        .size(replicas, min)
        .with(|c| {
            c.spec.workload_type = Some(WorkloadType::Training);
            c.status = Some(PodCliqueStatus {
                was_available,
                ..PodCliqueStatus::default()
            });
        })
        .build()
}

/// Controlled by the set.
fn give_to(set: &PodCliqueSet, podclique: &mut PodClique) {
    podclique.metadata.owner_references = Some(vec![OwnerReference {
        api_version: "grove.io/v1alpha1".into(),
        kind: "PodCliqueSet".into(),
        name: "demo".into(),
        uid: set.metadata.uid.clone().unwrap(),
        controller: Some(true),
        ..OwnerReference::default()
    }]);
}

fn succeeded(pod: PodBuilder) -> PodBuilder {
    pod.bound().phase("Succeeded")
}

fn failed(pod: PodBuilder) -> PodBuilder {
    pod.bound().phase("Failed")
}

fn status(snapshot: &Snapshot) -> PodCliqueStatus {
    plan(snapshot).status.unwrap()
}

fn breach(snapshot: &Snapshot) -> String {
    let status = status(snapshot);
    let found = conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    format!("{}/{}", found.status, found.reason)
}

#[test]
fn its_template_is_known_though_the_set_leaves_the_restart_policy_open() {
    let job = set("demo").clique("worker", |c| c);
    let set = job
        .with(|s| s.spec.workload_type = Some(WorkloadType::Training))
        .build();
    let defaulted = defaults::apply(&set, &DefaultsConfig::default());
    let hash = hash::pod_template_hash(&defaulted.spec.template.cliques[0], "");
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(set);
    let podclique = podclique("demo-0-worker").build();
    let seen = podclique::observe::observe(
        &podclique,
        &caches,
        &podclique::PodCliqueReconciler::default(),
    );
    assert_eq!(seen.set.unwrap().template_hash, Some(hash));
}
