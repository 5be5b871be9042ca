//! Pods that start after those of other PodCliques (docs/semantics.md §8.6).

use std::sync::Arc;

use api::{PodClique, labels};
use domain::Pod;
use domain::plan::Purpose;
use domain::workload::pod::start_order::Dependency;
use insta::assert_snapshot;
use k8s_openapi::api::core::v1::{
    Container, Pod as FullPod, ResourceRequirements, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod, podclique};

use crate::situation::{operations, plan, situation, writes};

mod repeats;

fn dependency(name: &str, pods: i32, is_up: bool) -> Dependency {
    Dependency {
        name: name.into(),
        pods,
        is_up,
    }
}

fn router(is_up: bool) -> Dependency {
    dependency("demo-0-router", 2, is_up)
}

/// A pod that was created to start after these.
fn waiting(clique: &PodClique, index: i32, pairs: &str) -> PodBuilder {
    pod(clique, index).bound().with(|p| {
        p.spec.has_start_volume = true;
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::STARTS_AFTER.into(), pairs.into());
        annotations.insert(labels::START.into(), "0".into());
    })
}

/// Created by a version with one start signal for each pod: its init container knows `now` alone.
fn without_counter(pod: PodBuilder) -> PodBuilder {
    pod.with(|p| {
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.remove(labels::START);
    })
}

fn signalled(pod: PodBuilder) -> PodBuilder {
    pod.with(|p| {
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::START.into(), "now".into());
    })
}

fn with(dependencies: Vec<Dependency>, pods: Vec<PodBuilder>) -> Snapshot {
    let clique = podclique("demo-0-worker");
    let count = i32::try_from(pods.len()).unwrap().max(1);
    Snapshot {
        dependencies,
        ..situation(&clique.size(count, 1).build(), pods)
    }
}

/// Names of the pods that get a start signal.
fn started(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let all = plan.waves.iter().flatten();
    let starts = all.filter(|a| a.purpose() == Some(Purpose::StartPod));
    starts.map(|a| a.key().name).collect()
}

fn created(snapshot: &Snapshot) -> FullPod {
    let plan = plan(snapshot);
    let mut all = plan.waves.iter().flatten();
    all.find_map(|a| a.written::<FullPod>()).unwrap().clone()
}

fn annotation<'a>(pod: &'a FullPod, key: &str) -> Option<&'a str> {
    let annotations = pod.metadata.annotations.as_ref()?;
    annotations.get(key).map(String::as_str)
}

#[test]
fn a_pod_waits_until_all_that_it_starts_after_are_up() {
    const AFTER: &str = "demo-0-router:2,demo-0-cache:1";
    let clique = podclique("demo-0-worker").build();
    let look = |router_is_up, cache_is_up| {
        let dependencies = vec![
            router(router_is_up),
            dependency("demo-0-cache", 1, cache_is_up),
        ];
        started(&with(dependencies, vec![waiting(&clique, 0, AFTER)]))
    };
    assert_eq!(look(false, false), Vec::<String>::new());
    assert_eq!(look(true, false), Vec::<String>::new());
    assert_eq!(look(true, true), ["demo-0-worker-p0"]);
}

/// No other field changes, and the uid is tested.
#[test]
fn one_annotation_starts_it() {
    let clique = podclique("demo-0-worker").build();
    let snapshot = with(
        vec![router(true)],
        vec![waiting(&clique, 0, "demo-0-router:2")],
    );
    let plan = plan(&snapshot);
    let operations = operations(&plan.waves[0][0]);
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

#[test]
fn a_pod_without_the_counter_gets_one_start_signal() {
    let clique = podclique("demo-0-worker").build();
    let pod = without_counter(waiting(&clique, 0, "demo-0-router:2"));
    let plan = plan(&with(vec![router(true)], vec![pod]));
    let operations = operations(&plan.waves[0][0]);
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

/// A start signal is not repeated, whatever happens to the dependencies afterwards.
#[rstest]
#[case::up(true)]
#[case::not_up_any_more(false)]
fn a_pod_gets_one_start_signal(#[case] is_up: bool) {
    let clique = podclique("demo-0-worker").build();
    let pod = signalled(waiting(&clique, 0, "demo-0-router:2"));
    assert!(plan(&with(vec![router(is_up)], vec![pod])).writes_nothing());
}

/// Pods of the Go operator wait by themselves, with a token; an ended or terminating pod needs no
/// start.
#[test]
fn other_pods_are_left_alone() {
    let clique = podclique("demo-0-worker").build();
    let after = "demo-0-router:2";
    let of_go = pod(&clique, 0).bound();
    let going = waiting(&clique, 1, after).terminating(50);
    let loose = waiting(&clique, 2, after).with(|p| p.metadata.owner_references = None);
    let snapshot = with(vec![router(true)], vec![of_go, going, loose]);
    assert_eq!(started(&snapshot), Vec::<String>::new());
}

/// A pod keeps the dependencies that it was created with: it does not wait for a clique scaled up
/// since then, and a dependency that no longer counts (scaled to zero, scaled in) delays nothing.
#[test]
fn whom_it_waits_for_was_settled_when_it_was_created() {
    let clique = podclique("demo-0-worker").build();
    let pods = || vec![waiting(&clique, 0, "demo-0-router:2")];
    let scaled_up = dependency("demo-0-cache", 1, false);
    assert_eq!(
        started(&with(vec![router(true), scaled_up], pods())),
        ["demo-0-worker-p0"]
    );
    assert_eq!(started(&with(vec![], pods())), ["demo-0-worker-p0"]);
}

/// Names are compared whole: `demo-0-a` is no dependency of a PodClique that starts after
/// `demo-0-ab`.
#[test]
fn beginnings_of_names_are_no_names() {
    let clique = podclique("demo-0-worker").build();
    let dependencies = vec![
        dependency("demo-0-a", 1, false),
        dependency("demo-0-ab", 1, true),
    ];
    let snapshot = with(dependencies, vec![waiting(&clique, 0, "demo-0-ab:1")]);
    assert_eq!(started(&snapshot), ["demo-0-worker-p0"]);
}

/// A user removed the annotations: then all are waited for, and those that are added meanwhile
/// are not lost.
#[test]
fn a_pod_without_annotations_waits_for_all() {
    let clique = podclique("demo-0-worker").build();
    let stripped = || {
        let pod = waiting(&clique, 0, "");
        vec![pod.with(|p| p.metadata.annotations = None)]
    };
    let cache = |is_up| dependency("demo-0-cache", 1, is_up);
    let waits = with(vec![router(true), cache(false)], stripped());
    assert_eq!(started(&waits), Vec::<String>::new());
    let starts = plan(&with(vec![router(true), cache(true)], stripped()));
    let operations = operations(&starts.waves[0][0]);
    assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}

#[test]
fn a_new_pod_is_held_back() {
    let clique = podclique("demo-0-worker").with(|c| {
        let spec = &mut c.spec.pod_spec;
        spec.init_containers = Some(vec![Container {
            name: "users".into(),
            ..Container::default()
        }]);
    });
    let snapshot = Snapshot {
        dependencies: vec![router(true), dependency("demo-0-cache", 1, false)],
        ..situation(&clique.build(), vec![])
    };
    assert_snapshot!(serde_json::to_string_pretty(&created(&snapshot)).unwrap());
}

/// A pod that takes another one's place beside peers that run need not be patched.
#[test]
fn a_new_pod_may_start_at_once() {
    let snapshot = with(vec![router(true)], vec![]);
    let pod = created(&snapshot);
    assert_eq!(annotation(&pod, labels::START), Some("now"));
    assert_eq!(
        annotation(&pod, labels::START_AT),
        Some("2026-01-01T00:01:00Z")
    );
    assert_eq!(
        annotation(&pod, labels::STARTS_AFTER),
        Some("demo-0-router:2")
    );
}

#[test]
fn a_new_pod_that_starts_after_nobody_is_as_it_ever_was() {
    let pod = created(&with(vec![], vec![]));
    assert_eq!(annotation(&pod, labels::STARTS_AFTER), None);
    let spec = pod.spec.unwrap();
    assert_eq!((spec.init_containers, spec.volumes), (None, None));
}

/// An edit of the PodClique starts no pod.
#[test]
fn annotations_of_the_podclique_start_nothing() {
    let clique = podclique("demo-0-worker").with(|c| {
        let annotations = c.metadata.annotations.as_mut().unwrap();
        annotations.insert(labels::START.into(), "now".into());
        annotations.insert(labels::START_AT.into(), "2026-01-01T00:00:00Z".into());
        annotations.insert(labels::STARTS_AFTER.into(), "demo-0-edited:1".into());
    });
    let snapshot = Snapshot {
        dependencies: vec![router(false)],
        ..situation(&clique.build(), vec![])
    };
    let pod = created(&snapshot);
    assert_eq!(annotation(&pod, labels::START), Some("0"));
    assert_eq!(annotation(&pod, labels::START_AT), None);
    assert_eq!(
        annotation(&pod, labels::STARTS_AFTER),
        Some("demo-0-router:2")
    );
}

/// The template may be written for limits, quotas and policies: the init container has the same
/// requests and no more.
#[test]
fn the_init_container_is_modest() {
    let of = |all: &[(&str, &str)]| {
        let all = all
            .iter()
            .map(|(n, q)| ((*n).to_owned(), Quantity((*q).to_owned())));
        Some(all.collect())
    };
    let clique = podclique("demo-0-worker").with(|c| {
        let main = &mut c.spec.pod_spec.containers[0];
        main.resources = Some(ResourceRequirements {
            requests: of(&[("cpu", "8"), ("memory", "64Gi")]),
            limits: of(&[("cpu", "8"), ("memory", "64Gi"), ("nvidia.com/gpu", "8")]),
            claims: None,
        });
        main.security_context = Some(SecurityContext {
            run_as_user: Some(1000),
            run_as_non_root: Some(true),
            privileged: Some(true),
            ..SecurityContext::default()
        });
    });
    let snapshot = Snapshot {
        dependencies: vec![router(false)],
        ..situation(&clique.build(), vec![])
    };
    let spec = created(&snapshot).spec.unwrap();
    let init = &spec.init_containers.unwrap()[0];
    let shown = (&init.resources, &init.security_context);
    assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
}

/// The operator finds the volume in the pod's spec, which is immutable.
#[rstest]
#[case::ours(
    r#"[{"name": "data", "emptyDir": {}}, {"name": "grove-start-order"}]"#,
    true
)]
#[case::of_the_go_operator(
    r#"[{"name": "sa-token-secret-vol"}, {"name": "pod-info-vol"}]"#,
    false
)]
#[case::none("[]", false)]
fn which_pods_wait_is_read_from_their_volumes(#[case] volumes: &str, #[case] expected: bool) {
    let text =
        format!(r#"{{"metadata": {{"annotations": {{}}}}, "spec": {{"volumes": {volumes}}}}}"#);
    let pod: Pod = serde_json::from_str(&text).unwrap();
    assert_eq!(pod.awaits_start(), expected);
}

/// A pod that is scaled in, or replaced, gets no start signal meanwhile; the plan reads well.
#[test]
fn the_plan_says_why() {
    let clique: Arc<PodClique> = podclique("demo-0-worker").build();
    let snapshot = with(
        vec![router(true)],
        vec![waiting(&clique, 0, "demo-0-router:2")],
    );
    assert_snapshot!(writes(&plan(&snapshot)));
}
