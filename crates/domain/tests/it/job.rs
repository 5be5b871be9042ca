//! Available and failed pods of a job (docs/semantics.md §2.1): statuses as real kubelets write
//! them.

use api::conditions::Reason;
use api::{PodClique, PodCliqueStatus, WorkloadType};
use domain::Pod;
use domain::health::availability::{CliqueFacts, clique_breach};
use jiff::SignedDuration;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::{pod, podclique};

fn clique(was_available: bool) -> PodClique {
    let clique = podclique("demo-0-w").with(|c| {
        c.spec.workload_type = Some(WorkloadType::Training);
        (c.spec.replicas, c.spec.min_available) = (1, Some(1));
        c.status = Some(PodCliqueStatus {
            was_available,
            ..PodCliqueStatus::default()
        });
    });
    (*clique.build()).clone()
}

fn of_policy(policy: &str, status: Value) -> Pod {
    let mut pod = (*pod(&clique(true), 0).bound().build()).clone();
    pod.spec.restart_policy = policy.to_owned().into();
    pod.status = serde_json::from_value(status).unwrap();
    pod
}

fn running(containers: &[Value]) -> Value {
    json!({
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
        "containerStatuses": containers,
    })
}

fn runs() -> Value {
    json!({"name": "main", "ready": false, "state": {"running": {}}})
}

fn exited(name: &str, code: i32) -> Value {
    json!({"name": name, "ready": false, "state": {"terminated": {"exitCode": code}}})
}

fn judge(clique: &PodClique, pod: &Pod, delay: i64) -> String {
    let facts = CliqueFacts::of(clique, [pod].into_iter());
    let verdict = clique_breach(&facts.with_job_delay(SignedDuration::from_secs(delay)));
    format!("{}/{}", verdict.status, verdict.reason)
}

const BREACHED: &str = "True/InsufficientReadyPods";
const FINE: &str = "False/SufficientReadyPods";

/// The clique was available, and its only pod shows this.
#[rstest]
#[case::readiness_fell("Never", 0, running(&[runs()]), FINE)]
#[case::readiness_fell_and_a_delay_was_asked_for("Never", 5, running(&[runs()]), BREACHED)]
#[case::readiness_fell_where_the_kubelet_restarts(
    "OnFailure", 0, running(&[runs()]), FINE
)]
#[case::ended_well("Never", 0, running(&[exited("main", 0)]), FINE)]
#[case::ended_well_with_a_delay("Never", 5, running(&[exited("main", 0)]), FINE)]
#[case::ended_badly("Never", 0, running(&[exited("main", 7)]), BREACHED)]
#[case::ended_badly_beside_another("Never", 0, running(&[exited("main", 7), runs()]), BREACHED)]
#[case::ended_well_beside_another("Never", 0, running(&[exited("main", 0), runs()]), FINE)]
#[case::failed("Never", 0, json!({"phase": "Failed"}), BREACHED)]
#[case::waits_for_its_image("Never", 0, running(&[json!({"name": "main", "state": {"waiting": {}}})]), BREACHED)]
fn an_available_clique_is_judged_by_its_ended_pods(
    #[case] policy: &str,
    #[case] delay: i64,
    #[case] status: Value,
    #[case] should: &str,
) {
    let mut clique = clique(true);
    clique.spec.pod_spec.restart_policy = Some(policy.to_owned());
    assert_eq!(judge(&clique, &of_policy(policy, status), delay), should);
}

/// The node controller sets `Ready` to False, and changes nothing else.
#[test]
fn a_pod_whose_node_does_not_report_runs_on() {
    let mut lost = of_policy(
        "Never",
        running(&[json!({"name": "main", "ready": true, "state": {"running": {}}})]),
    );
    lost.status.conditions[0].reason = None;
    assert_eq!(judge(&clique(true), &lost, 0), FINE);
}

/// It has to be Ready once before readiness is a symptom.
#[rstest]
#[case::runs(running(&[runs()]), Reason::NeverAvailable)]
#[case::ended_badly(running(&[exited("main", 7)]), Reason::InsufficientReadyPods)]
fn a_clique_that_was_never_available(#[case] status: Value, #[case] reason: Reason) {
    let facts = CliqueFacts::of(&clique(false), [&of_policy("Never", status)].into_iter());
    assert_eq!(clique_breach(&facts).reason, reason);
}

/// Whether the end of the job leaves the pod alone.
#[rstest]
#[case::never("Never", &[exited("main", 7)], true)]
#[case::never_one_runs("Never", &[exited("main", 7), runs()], false)]
#[case::never_nothing_is_known("Never", &[], false)]
#[case::on_failure_well("OnFailure", &[exited("main", 0)], true)]
#[case::on_failure_badly("OnFailure", &[exited("main", 7)], false)]
#[case::always("Always", &[exited("main", 0)], false)]
fn a_pod_has_run_out(#[case] policy: &str, #[case] containers: &[Value], #[case] should: bool) {
    assert_eq!(of_policy(policy, running(containers)).has_run_out(), should);
}

/// Kubernetes may start such a container again though the pod says Never.
#[test]
fn a_container_with_a_restart_policy_of_its_own_is_not_judged() {
    let mut pod = of_policy("Never", running(&[exited("main", 7)]));
    pod.spec = serde_json::from_value(json!({"restartPolicy": "Never", "containers": [
        {"name": "main", "restartPolicy": "OnFailure"},
    ]}))
    .unwrap();
    assert!(!pod.is_failed() && !pod.has_run_out());
}
