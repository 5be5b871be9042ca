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
    let profiles = Profiles::of([
        (SCHEDULER.to_owned(), Backend::KaiScheduler),
        ("volcano".to_owned(), Backend::Volcano),
        ("grouped".to_owned(), Backend::KaiPodGrouper),
        ("tree".to_owned(), Backend::KaiTree),
    ]);
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
            (
                "kai.scheduler/skip-podgrouper".to_owned(),
                "true".to_owned()
            ),
            (
                "pod-group-name".to_owned(),
                pod_group_name(&namespace, "demo-0")
            ),
        ]
    );
    let labels: Vec<_> = meta.labels.unwrap().into_iter().collect();
    let part = (
        "kai.scheduler/subgroup-name".to_owned(),
        "demo-0-worker".to_owned(),
    );
    assert_eq!(labels, [part]);
}

/// Children of a tree are taken by the order of letters.
#[test]
fn a_pod_of_a_tree_names_the_base_gangs_pod_group_and_a_part_whose_numbers_are_in_order() {
    let mut worker = worker(Some("tree"));
    worker.metadata.name = Some("demo-0-g-12-worker".into());
    let all = worker.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), "demo-0-g-11".into());
    all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
    all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    let namespace = worker.metadata.namespace.clone().unwrap();
    let meta = marked(&worker).metadata;
    let group = &meta.annotations.unwrap()["pod-group-name"];
    assert_eq!(*group, pod_group_name(&namespace, "demo-0"));
    let part = &meta.labels.unwrap()["kai.scheduler/subgroup-name"];
    assert_eq!(part, "demo-0-g-00012-worker");
}

#[test]
fn a_pod_of_volcano_names_its_pod_group_twice() {
    let meta = marked(&worker(Some("volcano"))).metadata;
    let annotations: Vec<_> = meta.annotations.unwrap().into_iter().collect();
    let named = [
        "scheduling.k8s.io/group-name",
        "scheduling.volcano.sh/group-name",
    ];
    let named = named.map(|key| (key.to_owned(), "demo-0".to_owned()));
    assert_eq!(annotations, named);
    assert_eq!(meta.labels, None);
}

#[test]
fn a_pod_of_another_scheduler_or_of_no_gang_bears_nothing() {
    assert_eq!(marked(&worker(None)), Pod::default());
    for scheduler in ["default-scheduler", "grouped"] {
        assert_eq!(marked(&worker(Some(scheduler))), Pod::default());
    }
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
