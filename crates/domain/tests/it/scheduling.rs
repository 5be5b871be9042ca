//! The marks of pods for their scheduler.

use std::sync::Arc;

use api::{PodClique, labels};
use domain::scheduling::kubernetes::join_pod_group;
use domain::scheduling::{
    Backend, GangScheduler, Peers, Profiles, SchedulerProfile, UnsupportedFeature, find_peer,
    find_unsupported_priority, mark_pod, pod_group_name,
};
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;
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
    let named = worker.spec.pod_spec.scheduler_name.as_deref();
    let scheduler = GangScheduler::of(&profiles, named, Peers::default());
    mark_pod(&scheduler, worker, &mut pod);
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

/// Children of a tree are taken in alphabetical order.
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

/// Each backend that shows gangs to a scheduler.
const BACKENDS: [Backend; 7] = [
    Backend::DefaultScheduler,
    Backend::KaiScheduler,
    Backend::KaiTree,
    Backend::KaiPodGrouper,
    Backend::Volcano,
    Backend::Kubernetes,
    Backend::KubernetesTree,
];

fn grouped() -> PodClique {
    let mut worker = worker(Some(SCHEDULER));
    worker.metadata.name = Some("demo-0-g-1-worker".into());
    let all = worker.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), "demo-0-g-0".into());
    all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
    all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    worker
}

/// A pod of the PodClique as it is created with this backend, beside these peers.
fn made(worker: &PodClique, backend: Backend, peers: Peers<'_>) -> Pod {
    let mut pod = Pod::default();
    let mut all = worker.metadata.labels.clone().unwrap();
    let name = worker.metadata.name.clone().unwrap();
    all.insert(labels::POD_CLIQUE.into(), name);
    pod.metadata.labels = Some(all);
    let spec = pod.spec.get_or_insert_default();
    let named = worker.spec.pod_spec.scheduler_name.clone();
    spec.scheduler_name.clone_from(&named);
    let profiles = Profiles::of([(SCHEDULER.to_owned(), backend)]);
    let scheduler = GangScheduler::of(&profiles, named.as_deref(), peers);
    mark_pod(&scheduler, worker, &mut pod);
    if scheduler.backend.is_kubernetes() {
        join_pod_group(&mut pod, "demo-0");
    }
    pod
}

fn seen(pod: &Pod) -> domain::Pod {
    serde_json::from_value(serde_json::to_value(pod).unwrap()).unwrap()
}

fn bound(pod: &Pod) -> domain::Pod {
    let mut pod = seen(pod);
    pod.spec.node_name = Some("node-0".into());
    pod
}

fn beside(pod: &domain::Pod) -> Peers<'_> {
    Peers {
        own: Some(pod),
        of_base: None,
    }
}

/// A PodGroup demands whole minimums: half of a gang with other marks would wait for ever, and the
/// rest is replaced only after that half is Ready.
#[test]
fn a_replacement_bears_the_marks_of_its_peers_whatever_the_profile_says_by_now() {
    for worker in [worker(Some(SCHEDULER)), grouped()] {
        for before in BACKENDS {
            let old = made(&worker, before, Peers::default());
            for after in BACKENDS {
                for peer in [seen(&old), bound(&old)] {
                    // The PodClique chooses its PodGroup of Kubernetes' own scheduler.
                    let unnamed = before == Backend::DefaultScheduler && after.is_kubernetes();
                    let unnamed =
                        unnamed || before == Backend::KaiPodGrouper && after.is_kubernetes();
                    let mut new = made(&worker, after, beside(&peer));
                    if unnamed {
                        new.spec.as_mut().unwrap().scheduling_group = None;
                    }
                    assert_eq!(new, old, "{before:?} to {after:?}");
                }
            }
        }
    }
}

/// The webhook refuses such a change; without it the new pods would be placed by another one.
#[test]
fn a_gang_keeps_its_scheduler_as_long_as_a_pod_of_it_has_a_node() {
    let mut worker = worker(Some("slow"));
    let old = made(&worker, Backend::KaiScheduler, Peers::default());
    worker.spec.pod_spec.scheduler_name = Some(SCHEDULER.into());
    let [waits, runs] = [seen(&old), bound(&old)];
    let new = |peer| made(&worker, Backend::KaiScheduler, beside(peer));
    assert_eq!(new(&runs), old);
    let corrected = made(&worker, Backend::KaiScheduler, Peers::default());
    assert_eq!(
        new(&waits),
        corrected,
        "a name that no scheduler has is put right"
    );
}

/// Manifests that name a scheduler that does not run here keep the name: the hash of their template is
/// that of before. Peers of the other scheduler are of the same gang.
#[rstest]
#[case::starts(None, Some("default-scheduler"))]
#[case::beside_its_own_pods(Some("default-scheduler"), Some("default-scheduler"))]
#[case::beside_running_pods_of_before(Some("kueue"), None)]
fn a_profile_says_which_scheduler_pods_name(
    #[case] peer: Option<&str>,
    #[case] expected: Option<&str>,
) {
    let profile = SchedulerProfile {
        backend: Backend::Kubernetes,
        scheduler_name: Some("default-scheduler".to_owned()),
        requires_queue: true,
    };
    let profiles = Profiles::of([("kueue".to_owned(), profile)]);
    let peer = peer.map(|name| {
        let mut pod = Pod::default();
        pod.spec.get_or_insert_default().scheduler_name = Some(name.to_owned());
        join_pod_group(&mut pod, "demo-0");
        bound(&pod)
    });
    let peers = Peers {
        own: peer.as_ref(),
        of_base: None,
    };
    let scheduler = GangScheduler::of(&profiles, Some("kueue"), peers);
    assert_eq!(scheduler.name_in_pods.as_deref(), expected);
    assert_eq!(scheduler.backend, Backend::Kubernetes);
    let mut pod = Pod::default();
    pod.spec.get_or_insert_default().scheduler_name = Some("kueue".to_owned());
    mark_pod(&scheduler, &worker(Some("kueue")), &mut pod);
    let named = pod.spec.and_then(|spec| spec.scheduler_name);
    assert_eq!(named.as_deref(), expected.or(Some("kueue")));
}

/// One tree has all gangs of a replica, or none.
#[test]
fn a_gang_that_starts_beside_its_base_gang_joins_its_tree_or_stays_by_itself() {
    let (standalone, grouped) = (worker(Some(SCHEDULER)), grouped());
    let mut base = grouped.clone();
    base.metadata.name = Some("demo-0-g-0-worker".into());
    let started = |before, after, base: &PodClique| {
        let peer = bound(&made(base, before, Peers::default()));
        let of_base = Some(&peer);
        let new = made(&grouped, after, Peers { own: None, of_base });
        let meta = new.metadata;
        meta.annotations
            .and_then(|all| all.get("pod-group-name").cloned())
    };
    let namespace = grouped.metadata.namespace.clone().unwrap();
    let [own, whole] = ["demo-0-g-0", "demo-0"].map(|gang| Some(pod_group_name(&namespace, gang)));
    assert_eq!(
        started(Backend::KaiTree, Backend::KaiScheduler, &base),
        whole
    );
    assert_eq!(started(Backend::KaiScheduler, Backend::KaiTree, &base), own);
    assert_eq!(
        started(Backend::DefaultScheduler, Backend::KaiTree, &base),
        own
    );
    assert_eq!(
        started(Backend::KaiScheduler, Backend::KaiTree, &standalone),
        whole
    );
    assert_eq!(
        started(Backend::Volcano, Backend::DefaultScheduler, &base),
        None
    );
}

/// No tree has gangs of two schedulers: one that starts under another name has groups of its own.
#[test]
fn a_gang_that_starts_beside_a_base_gang_of_another_scheduler_has_its_own_pod_group() {
    for before in BACKENDS {
        let mut base = grouped();
        base.spec.pod_spec.scheduler_name = Some("other".into());
        let peer = bound(&made(&base, before, Peers::default()));
        for after in BACKENDS {
            let of_base = Some(&peer);
            let profiles = Profiles::of([(SCHEDULER.to_owned(), after)]);
            let peers = Peers { own: None, of_base };
            let scheduler = GangScheduler::of(&profiles, Some(SCHEDULER), peers);
            assert_eq!(
                scheduler.backend,
                after.without_tree(),
                "{before:?} {after:?}"
            );
        }
    }
}

/// A standalone clique has the same name in a tree and outside of it.
#[test]
fn marks_that_say_more_decide() {
    let standalone = Arc::new(bound(&made(
        &worker(Some(SCHEDULER)),
        Backend::KaiTree,
        Peers::default(),
    )));
    let replica = Arc::new(bound(&made(&grouped(), Backend::KaiTree, Peers::default())));
    let waiting = Arc::new(seen(&made(
        &grouped(),
        Backend::KaiScheduler,
        Peers::default(),
    )));
    for pods in [[&standalone, &replica], [&replica, &standalone]] {
        assert_eq!(find_peer(pods.into_iter()), Some(&replica));
    }
    assert_eq!(
        find_peer([&waiting, &standalone].into_iter()),
        Some(&standalone)
    );
}

/// The classes of 2,000,000,000 and more; a class that a user creates has at most 1,000,000,000.
#[rstest]
#[case(Backend::Kubernetes, "system-cluster-critical", true)]
#[case(Backend::Kubernetes, "system-node-critical", true)]
#[case(Backend::KubernetesTree, "system-cluster-critical", true)]
#[case(Backend::Kubernetes, "urgent", false)]
#[case(Backend::Kubernetes, "", false)]
#[case(Backend::DefaultScheduler, "system-cluster-critical", false)]
#[case(Backend::KaiScheduler, "system-cluster-critical", false)]
#[case(Backend::Volcano, "system-cluster-critical", false)]
fn only_pod_groups_of_kubernetes_refuse_the_classes_of_the_system(
    #[case] backend: Backend,
    #[case] class: &str,
    #[case] is_refused: bool,
) {
    let expected = is_refused.then(|| UnsupportedFeature::PriorityTooHigh(class.to_owned()));
    assert_eq!(find_unsupported_priority(backend, class), expected);
}
