//! A gang keeps the scheduler objects that its pods show.

use std::sync::Arc;

use api::{PodClique, PodGang, labels};
use domain::Pod;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use k8s_openapi::api::scheduling::v1beta1::PodGroup;
use podgang::backend::SchedulerObjects;
use podgang::backend::kubernetes::Shape;
use podgang::observe::observe;
use testkit::builders::{pod, podclique, stored};

use crate::actions::gang_of;

const SCHEDULER: &str = "default-scheduler";

fn situation(marks: impl Fn(&mut Pod)) -> (Caches, Arc<PodGang>) {
    let caches = Caches::default();
    let mut clique = PodClique::clone(&podclique("demo-0-g-0-w").build());
    let all = clique.metadata.labels.get_or_insert_default();
    all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    let mut made = (*pod(&clique, 0).bound().build()).clone();
    marks(&mut made);
    caches.of::<PodClique>().apply(clique);
    caches.of::<Pod>().apply(made);
    (caches, Arc::new(gang_of(SCHEDULER, &[("g-0-w", 1)])))
}

fn observed(seen: &(Caches, Arc<PodGang>), backend: Backend) -> SchedulerObjects {
    let profiles = Profiles::of([(SCHEDULER.to_owned(), backend)]);
    observe(&seen.1, &seen.0, &profiles).scheduler_objects
}

fn annotate(pod: &mut Pod, keys: &[&str]) {
    let annotations = keys.iter().map(|key| ((*key).to_owned(), "x".to_owned()));
    pod.metadata.annotations = Some(annotations.collect());
}

#[test]
fn pods_without_marks_are_of_no_pod_group_whatever_the_profile_says_by_now() {
    let seen = situation(|_| {});
    for backend in [Backend::KaiScheduler, Backend::KaiTree, Backend::Volcano] {
        assert_eq!(
            observed(&seen, backend),
            SchedulerObjects::Nothing,
            "{backend:?}"
        );
    }
}

#[test]
fn pods_with_marks_keep_their_pod_group_without_a_profile() {
    let kai = situation(|p| {
        annotate(p, &["kai.scheduler/skip-podgrouper", "pod-group-name"]);
        let all = p.metadata.labels.get_or_insert_default();
        all.insert("kai.scheduler/subgroup-name".into(), "demo-0-g-0-w".into());
    });
    let volcano = situation(|p| annotate(p, &["scheduling.volcano.sh/group-name"]));
    for backend in [
        Backend::DefaultScheduler,
        Backend::KaiTree,
        Backend::Kubernetes,
    ] {
        assert!(
            matches!(observed(&kai, backend), SchedulerObjects::Kai(_)),
            "{backend:?}"
        );
        assert!(
            matches!(observed(&volcano, backend), SchedulerObjects::Volcano(_)),
            "{backend:?}"
        );
    }
}

/// A PodGroup never gets another parent, and without its parents the scheduler would place none of
/// it.
#[test]
fn a_tree_of_kubernetes_stays_one() {
    let seen = situation(|p| {
        *p = (*pod(&podclique("demo-0-g-0-w").build(), 0)
            .bound()
            .in_pod_group("demo-0-g-0-w")
            .build())
        .clone();
    });
    let shape = |backend| match observed(&seen, backend) {
        SchedulerObjects::Kubernetes(facts) => facts.shape,
        other => panic!("{other:?}"),
    };
    assert_eq!(shape(Backend::DefaultScheduler), Shape::Split);
    let mut group = PodGroup {
        metadata: stored("demo-0-g-0-w"),
        ..PodGroup::default()
    };
    group.metadata.resource_version = Some("1".into());
    group.spec.parent_composite_pod_group_name = Some("demo-0-g-0.groups".into());
    seen.0.of::<PodGroup>().apply(group);
    for backend in [
        Backend::DefaultScheduler,
        Backend::Kubernetes,
        Backend::KubernetesTree,
    ] {
        assert_eq!(shape(backend), Shape::Tree, "{backend:?}");
    }
}

/// The status follows it, too: any of the replicas satisfy a tree.
#[test]
fn the_status_goes_by_the_groups_that_exist_whatever_the_profile_says_by_now() {
    for (parent, is_tree) in [("demo-0-g-0.groups", true), ("demo-0.groups", false)] {
        let seen = situation(|p| {
            *p = (*pod(&podclique("demo-0-g-0-w").build(), 0)
                .bound()
                .in_pod_group("demo-0-g-0-w")
                .build())
            .clone();
        });
        let mut group = PodGroup {
            metadata: stored("demo-0-g-0-w"),
            ..PodGroup::default()
        };
        group.metadata.resource_version = Some("1".into());
        group.spec.parent_composite_pod_group_name = Some(parent.into());
        seen.0.of::<PodGroup>().apply(group);
        for backend in [
            Backend::DefaultScheduler,
            Backend::Kubernetes,
            Backend::KubernetesTree,
        ] {
            let profiles = Profiles::of([(SCHEDULER.to_owned(), backend)]);
            let seen = observe(&seen.1, &seen.0, &profiles);
            assert_eq!(seen.tree.is_some(), is_tree, "{parent} {backend:?}");
        }
    }
}
