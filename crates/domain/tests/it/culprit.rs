//! Which pod is named, and with which text (docs/semantics.md §2.1).

mod blame;

use api::WorkloadType;
use api::podclique::BreachCause;
use domain::Pod;
use domain::health::culprit::{Culprit, find_cause, find_culprit};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::{pod, podclique};

fn named(index: i32, status: Value) -> Pod {
    let clique = podclique("demo-0-w")
        .with(|c| c.spec.workload_type = Some(WorkloadType::Training))
        .build();
    let mut pod = (*pod(&clique, index).bound().build()).clone();
    pod.spec = serde_json::from_value(json!({
        "nodeName": "node-2", "restartPolicy": "Never", "containers": [{"name": "main"}]
    }))
    .unwrap();
    pod.status = serde_json::from_value(status).unwrap();
    pod
}

/// Deleted with a grace period of 5 s so many seconds after the epoch.
fn deleted(mut pod: Pod, at: i64) -> Pod {
    let until = jiff::Timestamp::from_second(at + 5).unwrap();
    pod.metadata.deletion_timestamp =
        Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(until));
    pod.metadata.deletion_grace_period_seconds = Some(5);
    pod
}

fn container(name: &str, state: &Value) -> Value {
    json!({"name": name, "state": state})
}

fn ended(name: &str, code: i32, reason: &str, at: u32) -> Value {
    let at = format!("1970-01-01T00:00:{at:02}Z");
    container(
        name,
        &json!({"terminated": {"exitCode": code, "reason": reason, "finishedAt": at}}),
    )
}

fn exited(code: i32, at: u32) -> Value {
    json!({"phase": "Running", "containerStatuses": [ended("main", code, "Error", at)]})
}

fn waiting(reason: &str) -> Value {
    let main = container("main", &json!({"waiting": {"reason": reason}}));
    json!({"phase": "Pending", "containerStatuses": [main]})
}

fn unready(phase_of_containers: &str, reason: Option<&str>) -> Value {
    json!({
        "phase": "Running",
        "conditions": [
            {"type": "Ready", "status": "False", "reason": reason},
            {"type": "ContainersReady", "status": phase_of_containers},
        ],
        "containerStatuses": [container("main", &json!({"running": {}}))],
    })
}

fn disrupted(reason: &str, at: u32) -> Value {
    json!({"phase": "Running", "conditions": [{
        "type": "DisruptionTarget", "status": "True", "reason": reason, "message": "for a drain",
        "lastTransitionTime": format!("1970-01-01T00:00:{at:02}Z"),
    }]})
}

fn text(pods: &[Pod]) -> Option<String> {
    find_culprit(pods.iter(), true).map(|c: Culprit| c.text)
}

#[rstest]
#[case::exit_code(
    exited(7, 1),
    "demo-0-w-p0 on node-2: container main ended with exit code 7"
)]
#[case::out_of_memory(
    json!({"phase": "Running", "containerStatuses": [ended("main", 137, "OOMKilled", 1)]}),
    "demo-0-w-p0 on node-2: container main ended with exit code 137 (OOMKilled)"
)]
#[case::the_container_that_failed_first(
    json!({"phase": "Failed", "containerStatuses": [ended("side", 137, "Error", 9), ended("main", 8, "Error", 3)]}),
    "demo-0-w-p0 on node-2: container main ended with exit code 8"
)]
#[case::behind_an_init_container_that_ended_well(
    json!({"phase": "Running", "initContainerStatuses": [ended("grove-initc", 0, "Completed", 1)],
           "containerStatuses": [ended("main", 7, "Error", 3)]}),
    "demo-0-w-p0 on node-2: container main ended with exit code 7"
)]
#[case::an_init_container(
    json!({"phase": "Pending", "initContainerStatuses": [ended("init", 9, "Error", 1)],
           "containerStatuses": [container("main", &json!({"waiting": {"reason": "PodInitializing"}}))]}),
    "demo-0-w-p0 on node-2: container init ended with exit code 9"
)]
#[case::evicted_by_the_kubelet(
    json!({"phase": "Failed", "reason": "Evicted", "message": "emptyDir is full",
           "containerStatuses": [ended("main", 137, "Error", 1)]}),
    "demo-0-w-p0 on node-2: container main ended with exit code 137 (Evicted)"
)]
#[case::refused_by_the_kubelet(
    json!({"phase": "Failed", "reason": "OutOfcpu", "message": "no cpu"}),
    "demo-0-w-p0 on node-2: OutOfcpu: no cpu"
)]
#[case::crash_loop(
    json!({"phase": "Running", "containerStatuses": [{"name": "main",
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 1}}}]}),
    "demo-0-w-p0: CrashLoopBackOff, exit code 1"
)]
#[case::an_image_that_replaces_one_that_ran(
    json!({"phase": "Running", "containerStatuses": [{"name": "main",
        "state": {"waiting": {"reason": "ErrImagePull"}},
        "lastState": {"terminated": {"exitCode": 137}}}]}),
    "demo-0-w-p0: ErrImagePull"
)]
#[case::image(waiting("ImagePullBackOff"), "demo-0-w-p0: ImagePullBackOff")]
#[case::starting(waiting("ContainerCreating"), "demo-0-w-p0: ContainerCreating")]
#[case::lost_node(
    unready("True", None),
    "demo-0-w-p0 on node-2: its node does not report"
)]
#[case::closed_gate(
    unready("True", Some("ReadinessGatesNotReady")),
    "demo-0-w-p0 on node-2: it is not Ready"
)]
#[case::probe(
    unready("False", Some("ContainersNotReady")),
    "demo-0-w-p0 on node-2: it is not Ready"
)]
#[case::drained(
    disrupted("EvictionByEvictionAPI", 1),
    "demo-0-w-p0 on node-2: EvictionByEvictionAPI (for a drain)"
)]
#[case::rebooted(
    json!({"phase": "Failed", "containerStatuses": [ended("main", 255, "Unknown", 1)]}),
    "demo-0-w-p0 on node-2: NodeRestarted"
)]
fn one_pod_is_named(#[case] status: Value, #[case] should: &str) {
    assert_eq!(text(&[named(0, status)]).as_deref(), Some(should));
}

#[rstest]
#[case::it_is_about_to_end_well(exited(0, 1))]
#[case::it_is_done(json!({"phase": "Succeeded", "containerStatuses": [ended("main", 0, "Completed", 1)]}))]
#[case::it_is_ready(json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}))]
fn a_pod_of_a_job_that_is_well_is_not_named(#[case] status: Value) {
    assert_eq!(text(&[named(0, status)]), None);
}

#[test]
fn a_container_that_was_asked_to_end_is_named_with_the_deletion_of_its_pod() {
    let pod = deleted(named(0, exited(143, 6)), 5);
    let ended =
        "demo-0-w-p0 on node-2: container main ended with exit code 143; its pod was deleted";
    assert_eq!(text(&[pod]).as_deref(), Some(ended));
}

/// A server must keep running.
#[test]
fn a_container_that_ends_well_is_named_where_it_has_to_go_on() {
    let pods = [named(0, exited(0, 1))];
    let culprit = find_culprit(pods.iter(), false).unwrap();
    assert_eq!(
        culprit.text,
        "demo-0-w-p0 on node-2: container main ended with exit code 0"
    );
}

/// Of the two, the second one is named.
#[rstest]
#[case::the_first_to_fail(named(0, exited(1, 9)), named(1, exited(2, 3)))]
#[case::before_a_peer_that_was_deleted(
    deleted(named(0, exited(143, 6)), 5),
    named(1, exited(2, 7))
)]
#[case::also_if_it_was_deleted_afterwards(
    named(0, waiting("ImagePullBackOff")),
    deleted(named(1, exited(7, 3)), 5)
)]
#[case::before_one_that_waits(named(0, waiting("ErrImagePull")), named(1, exited(2, 3)))]
#[case::waiting_before_starting(
    named(0, waiting("ContainerCreating")),
    named(1, waiting("ErrImagePull"))
)]
#[case::starting_before_not_ready(
    named(0, unready("False", Some("ContainersNotReady"))),
    named(1, waiting("PodInitializing"))
)]
#[case::what_came_before_its_consequences(
    named(0, exited(1, 9)),
    deleted(named(1, disrupted("DeletionByTaintManager", 4)), 4)
)]
#[case::not_what_came_after(
    deleted(named(0, disrupted("DeletionByTaintManager", 9)), 9),
    named(1, exited(1, 4))
)]
#[case::not_one_that_ends_well(named(0, exited(0, 1)), named(1, exited(8, 9)))]
#[case::not_one_that_only_goes(
    deleted(named(0, json!({"phase": "Running"})), 1),
    named(1, unready("True", None))
)]
fn the_culprit_is(#[case] other: Pod, #[case] culprit: Pod) {
    let culprit = text(&[other, culprit]).unwrap();
    assert!(culprit.starts_with("demo-0-w-p1"), "{culprit}");
}

#[rstest]
#[case::drain(disrupted("EvictionByEvictionAPI", 4), true)]
#[case::reboot(json!({"phase": "Failed", "containerStatuses": [ended("main", 255, "Unknown", 4)]}), true)]
#[case::exit(exited(255, 4), false)]
#[case::its_own_full_disk(json!({"phase": "Failed", "reason": "Evicted"}), false)]
fn the_cluster_is_behind_it(#[case] status: Value, #[case] is_disruption: bool) {
    let culprit = find_culprit([named(0, status)].iter(), true).unwrap();
    assert_eq!(culprit.is_disruption, is_disruption);
}

#[test]
fn a_disruption_without_a_time_is_why_the_pod_was_deleted() {
    let mut status = disrupted("DeletionByTaintManager", 9);
    status["conditions"][0]["lastTransitionTime"] = Value::Null;
    status["containerStatuses"] = json!([ended("main", 143, "Error", 6)]);
    let culprit = text(&[deleted(named(0, status), 4)]).unwrap();
    assert!(culprit.contains("DeletionByTaintManager"), "{culprit}");
}

/// The node controller marks a pod long after its job was restarted.
#[test]
fn a_disruption_after_the_deletion_is_none() {
    let pod = deleted(named(0, disrupted("DeletionByTaintManager", 9)), 4);
    assert_eq!(text(&[pod]).unwrap(), "demo-0-w-p0: it was deleted");
}

/// The stored cause and its time; the observed cause and its time.
#[rstest]
#[case::nothing(None, None, None)]
#[case::is_seen(None, Some(exited(7, 3)), Some("p0"))]
#[case::is_gone(Some(3), None, Some("stored"))]
#[case::its_successor_starts(Some(3), Some(waiting("ContainerCreating")), Some("stored"))]
#[case::a_start_is_no_loss(None, Some(waiting("ErrImagePull")), None)]
#[case::a_peer_failed_later(Some(3), Some(exited(7, 9)), Some("stored"))]
#[case::it_failed_before_the_peer_that_was_seen_first(Some(5), Some(exited(7, 3)), Some("p0"))]
fn the_cause_of_a_breach_is_the_loss_that_began_it(
    #[case] stored: Option<i64>,
    #[case] seen: Option<Value>,
    #[case] should: Option<&str>,
) {
    let stored = stored.map(|at| BreachCause {
        message: "stored".into(),
        time: Some(Time(jiff::Timestamp::from_second(at).unwrap())),
        is_disruption: false,
        pod: None,
    });
    let seen = seen.and_then(|status| find_culprit([named(0, status)].iter(), true));
    let cause = find_cause(stored.as_ref(), seen.as_ref());
    let text = cause.map(|c| c.text);
    let is_it = |text: &str| should.is_some_and(|s| text.contains(s));
    assert_eq!(
        text.as_deref().is_some_and(is_it),
        should.is_some(),
        "{text:?}"
    );
}
