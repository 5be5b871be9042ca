//! A container that crashes runs for a while between two crashes: the condition meanwhile, as
//! kubelets recorded it.

use std::sync::Arc;

use api::conditions;
use domain::Pod;
use domain::health::readiness::{
    CliqueView, SETTLED_AFTER, Start, find_unsettled, judge_podclique, next_look,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::builders::podclique;

use crate::kubelet_states::seen_pod;

/// `Ready` of a PodClique of one pod, each verdict stored before the next is made.
fn replay(
    recording: &str,
    steps: std::ops::RangeInclusive<usize>,
    change: impl Fn(&mut Value),
) -> String {
    let mut podclique = podclique("a-0-w").size(1, 1).build();
    let verdicts = steps.map(|step| {
        let (mut pod, now) = seen_pod(recording, step);
        change(&mut pod);
        let pod: Pod = serde_json::from_value(pod).unwrap();
        let verdict = judge_podclique(&CliqueView {
            podclique: &podclique,
            pods: vec![&pod],
            start: Start::Started,
            now,
        });
        let line = format!("{} {}: {}", verdict.status, verdict.reason, verdict.message);
        let status = Arc::make_mut(&mut podclique).status.get_or_insert_default();
        conditions::set(&mut status.conditions, verdict, None, now);
        line
    });
    verdicts.collect::<Vec<_>>().join("\n")
}

/// Though its pod is Ready for moments.
#[test]
fn a_crash_loop_is_one_episode() {
    assert_snapshot!(replay("crashloop-exit0", 6..=13, |_| {}));
}

/// `Ready` stays True through the first restarts, and its message reports them.
#[test]
fn restarts_of_a_ready_pod_are_reported() {
    let probed = json!({"name": "main", "livenessProbe": {"httpGet": {}}});
    assert_snapshot!(replay("liveness-fails", 6..=11, |pod| {
        pod["spec"]["containers"][0] = probed.clone();
    }));
}

/// Ten seconds after the start no verdict is held any more, and there was no wait before.
#[test]
fn a_pod_that_goes_on_to_run_is_over_its_crash() {
    let (pod, now) = seen_pod("crashloop-exit0", 8);
    let pod: Pod = serde_json::from_value(pod).unwrap();
    let started = pod.status.container_statuses[0].state.running.clone();
    let settled = started.unwrap().started_at.unwrap().0 + SETTLED_AFTER;
    assert!(find_unsettled(&pod, now).is_some());
    assert_eq!(next_look([&pod], now), Some(settled));
    assert_eq!(find_unsettled(&pod, settled), None);
    assert_eq!(next_look([&pod], settled), None);
}

/// The time since which it is in creation is reported after a minute.
#[test]
fn a_pod_in_creation_is_looked_at_again_after_a_minute() {
    let (pod, now) = seen_pod("secret-volume-missing", 4);
    let pod: Pod = serde_json::from_value(pod).unwrap();
    let due = "2026-11-27T18:43:53Z".parse().unwrap();
    assert_eq!(next_look([&pod], now), Some(due));
    assert_eq!(next_look([&pod], due), None);
}

/// The restart after a reboot is no crash, and delays no verdict.
#[test]
fn a_restart_after_a_reboot_is_none_by_itself() {
    let (pod, now) = seen_pod("node-rebooted-inference", 7);
    let pod: Pod = serde_json::from_value(pod).unwrap();
    assert_eq!(find_unsettled(&pod, now), None);
    assert_eq!(next_look([&pod], now), None);
}
