//! What pods bear for their scheduler.

use api::{PodClique, labels};
use domain::scheduling::{Backend, Profiles, mark_pod, pod_group_name};
use k8s_openapi::api::core::v1::Pod;
use testkit::builders::podclique;

const SCHEDULER: &str = "kai-scheduler";

fn worker(scheduler: Option<&str>) -> PodClique {
    let mut worker = PodClique::clone(&podclique("demo-0-worker").size(2, 2).build());
    let all = worker.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), "demo-0".into());
    worker.spec.pod_spec.scheduler_name = scheduler.map(str::to_owned);
    worker
}

fn marked(worker: &PodClique) -> Pod {
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::KaiScheduler)]);
    let mut pod = Pod::default();
    mark_pod(&profiles, worker, &mut pod);
    pod
}

#[test]
fn a_pod_of_kai_scheduler_names_its_pod_group_and_its_part() {
    let worker = worker(Some(SCHEDULER));
    let namespace = worker.metadata.namespace.clone().unwrap();
    let meta = marked(&worker).metadata;
    let annotations: Vec<_> = meta.annotations.unwrap().into_iter().collect();
    assert_eq!(
        annotations,
        [
            ("kai.scheduler/skip-podgrouper".to_owned(), "true".to_owned()),
            ("pod-group-name".to_owned(), pod_group_name(&namespace, "demo-0")),
        ]
    );
    let labels: Vec<_> = meta.labels.unwrap().into_iter().collect();
    let part = ("kai.scheduler/subgroup-name".to_owned(), "demo-0-worker".to_owned());
    assert_eq!(labels, [part]);
}

#[test]
fn a_pod_of_another_scheduler_or_of_no_gang_bears_nothing() {
    assert_eq!(marked(&worker(None)), Pod::default());
    assert_eq!(marked(&worker(Some("default-scheduler"))), Pod::default());
    let mut loose = worker(Some(SCHEDULER));
    loose.metadata.labels = None;
    assert_eq!(marked(&loose), Pod::default());
}

/// KAI up to v0.17 finds PodGroups by name alone.
#[test]
fn gangs_of_one_name_in_two_namespaces_have_two_pod_groups() {
    let [one, other] = ["a", "b"].map(|namespace| pod_group_name(namespace, "demo-0"));
    assert_ne!(one, other);
    assert!(one.starts_with("demo-0-") && one.len() == "demo-0-".len() + 5);
}
