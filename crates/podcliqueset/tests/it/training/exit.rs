//! A container that ends is the failure, seconds before its pod has phase Failed: statuses as real
//! kubelets write them.

use api::podcliqueset::{PodCliqueSetPhase, PodFailure};
use domain::Pod;
use podcliqueset::Snapshot;
use rstest::rstest;
use serde_json::json;
use testkit::builders::{PodBuilder, after};

use super::{failed_because, job, running, set_breached};
use crate::situation::{carry_out, fill, fill_all, plan};

const LEADER: &str = "demo-0-g-0-leader";

/// Its main container ended this many seconds after the epoch, and the phase is still Running.
fn exited(builder: PodBuilder, code: i32, at: i64) -> PodBuilder {
    let at = after(at).to_string();
    let status = json!({
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "False", "reason": "PodFailed"}],
        "containerStatuses": [{"name": "main", "state": {"terminated": {
            "exitCode": code, "reason": "Error", "message": "the cause", "finishedAt": at,
        }}}],
    });
    builder.bound().with(|p: &mut Pod| {
        p.spec.restart_policy = "Never".to_owned().into();
        p.status = serde_json::from_value(status).unwrap();
    })
}

fn kept(failures: &[PodFailure]) -> Vec<(&str, Option<i32>, Option<&str>)> {
    let all = failures.iter();
    all.map(|f| (&*f.pod, f.exit_code, f.message.as_deref()))
        .collect()
}

fn after_an_exit(max_restarts: i32) -> Snapshot {
    let mut snapshot = running(job(max_restarts, None));
    fill(&mut snapshot, LEADER, 1, |p| exited(p, 9, 50));
    set_breached(&mut snapshot, LEADER, 51);
    snapshot
}

const FAILURE: (&str, Option<i32>, Option<&str>) =
    ("demo-0-g-0-leader-p0", Some(9), Some("the cause"));

/// The pod is deleted a moment later, and its log with it.
#[rstest]
#[case::restarted(1, None)]
#[case::given_up(0, Some("MaxRestartsExceeded"))]
fn the_write_that_decides_keeps_the_failure(
    #[case] max_restarts: i32,
    #[case] failed: Option<&str>,
) {
    let snapshot = after_an_exit(max_restarts);
    let first = plan(&snapshot);
    assert_eq!(failed_because(&first), failed);
    let status = first.status.unwrap();
    assert_eq!(kept(&status.last_failures), [FAILURE]);
    let causes = serde_json::to_string(&status).unwrap();
    let words = "demo-0-g-0-leader-p0 on node-0: container main ended with exit code 9";
    assert!(causes.contains(words), "{causes}");
}

#[test]
fn peers_that_are_ended_afterwards_do_not_hide_it() {
    let mut snapshot = after_an_exit(1);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill_all(&mut snapshot, |p| {
        let ended = exited(p, 143, 62).terminating(65);
        ended.with(|p| p.metadata.deletion_grace_period_seconds = Some(5))
    });
    assert_eq!(
        kept(&plan(&snapshot).status.unwrap().last_failures),
        [FAILURE]
    );
}

/// Names are reused; uids are not.
#[test]
fn a_pod_of_a_known_name_is_another_failure() {
    let mut snapshot = after_an_exit(5);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill(&mut snapshot, LEADER, 1, |p| {
        exited(p, 3, 55).with(|p| p.metadata.uid = Some("another".into()))
    });
    let failures = plan(&snapshot).status.unwrap().last_failures;
    let codes: Vec<_> = failures.iter().map(|f| f.exit_code).collect();
    assert_eq!(codes, [Some(3), Some(9)]);
}

/// The kubelet gives its own reason for the pod in a later write.
#[test]
fn a_later_addition_of_the_kubelet_is_kept() {
    let mut snapshot = after_an_exit(0);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill(&mut snapshot, LEADER, 1, |p| {
        exited(p, 137, 50)
            .phase("Failed")
            .with(|p| p.status.reason = Some("Evicted".into()))
    });
    let failures = plan(&snapshot).status.unwrap().last_failures;
    assert_eq!((failures.len(), &*failures[0].reason), (1, "Evicted"));
}

/// A pod whose containers have all ended keeps its logs, and is not waited for.
#[test]
fn a_pod_that_has_run_out_does_not_delay_the_end() {
    let mut snapshot = after_an_exit(0);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill_all(&mut snapshot, |p| exited(p, 0, 50));
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.phase, Some(PodCliqueSetPhase::Failed));
}

/// The kubelet restarts it in place until `maxRuntime` is over: only then it counts as the cause.
#[test]
fn the_last_crash_is_kept_when_the_time_is_over() {
    let mut snapshot = running(job(0, Some("1m")));
    let crashed = json!([{"name": "main", "restartCount": 5,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 2, "reason": "Error", "message": "the cause",
                                     "finishedAt": after(40).to_string()}}}]);
    fill(&mut snapshot, LEADER, 1, |p| {
        p.bound().phase("Running").with(|p: &mut Pod| {
            p.spec.restart_policy = "OnFailure".to_owned().into();
            p.status.container_statuses = serde_json::from_value(crashed.clone()).unwrap();
        })
    });
    let next = podcliqueset::decide::decide(&snapshot, after(120));
    assert_eq!(failed_because(&next), Some("MaxRuntimeExceeded"));
    let status = next.status.unwrap();
    let should = (FAILURE.0, Some(2), FAILURE.2);
    assert_eq!(kept(&status.last_failures), [should]);
    let reported = serde_json::to_string(&status.conditions).unwrap();
    assert!(
        reported.contains("CrashLoopBackOff, exit code 2"),
        "{reported}"
    );
}
