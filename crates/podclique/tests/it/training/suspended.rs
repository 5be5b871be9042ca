//! PodCliques of a suspended job (docs/semantics.md §15.2): what the suspension takes away is no failure.

use std::sync::Arc;

use api::{PodClique, PodCliqueStatus};
use jiff::SignedDuration;
use podclique::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod};

use super::failed::after_failures;
use super::{breach, clique, failed, status, succeeded};
use crate::situation::{plan, ready, situation, writes};
use crate::suspend::suspend;

/// The clique was available, and has stored that it starts like a new one.
fn noted(replicas: i32, min: i32) -> Arc<PodClique> {
    let mut podclique = (*clique(replicas, min, true)).clone();
    podclique.status = Some(PodCliqueStatus {
        was_available: true,
        was_idle: Some(true),
        ..PodCliqueStatus::default()
    });
    Arc::new(podclique)
}

fn suspended(clique: &Arc<PodClique>, pods: Vec<PodBuilder>) -> Snapshot {
    let mut snapshot = situation(clique, pods);
    suspend(&mut snapshot);
    snapshot
}

#[test]
fn a_job_stores_it_too() {
    let running = clique(2, 2, true);
    let plan = plan(&suspended(&running, ready(&running, 0..2)));
    assert!(plan.writes_nothing(), "{plan}");
    assert_eq!(plan.status.unwrap().was_idle, Some(true));
}

/// Pod 2 failed before the suspension, by the failures that the set keeps, and pod 3 since: its peers
/// went away.
#[test]
fn a_pod_that_fails_with_its_peers_goes_and_an_earlier_failure_stays() {
    let clique = noted(4, 4);
    let pods = vec![
        pod(&clique, 0).ready(),
        succeeded(pod(&clique, 1)),
        failed(pod(&clique, 2)),
        failed(pod(&clique, 3)),
    ];
    let mut snapshot = suspended(&clique, pods);
    let uid = snapshot.pods[3].uid().to_owned();
    snapshot.set.as_mut().unwrap().unnoted_failures = [uid].into();
    insta::assert_snapshot!(writes(&plan(&snapshot)), @"
    wave 1
      delete Pod demo-0-worker-p0 at version 1: the set is suspended
      delete Pod demo-0-worker-p3 at version 1: the set is suspended
    ");
    assert_eq!(breach(&snapshot), "False/Suspended");
    assert_eq!(status(&snapshot).completed_indices.as_deref(), Some("1"));
}

/// Pod 2 had failed, this often in a row. Of the 4 pods so many are required, and a breach may last for
/// the seconds. It goes where single failed pods are replaced, as nothing replaces it after the resume;
/// otherwise it is judged then.
#[rstest]
#[case::enough_others_are_left(3, 0, 1, true)]
#[case::it_is_required(4, 0, 1, false)]
#[case::it_is_required_and_the_breach_may_last(4, 60, 1, true)]
#[case::it_is_given_up(3, 60, 5, false)]
fn an_earlier_failure_goes_unless_it_is_judged_after_the_resume(
    #[case] min: i32,
    #[case] delay: i64,
    #[case] failures: u32,
    #[case] goes: bool,
) {
    let clique = noted(4, min);
    let lost = after_failures(failures - 1, pod(&clique, 2));
    let mut snapshot = suspended(&clique, vec![lost]);
    snapshot.set.as_mut().unwrap().training_delay = SignedDuration::from_secs(delay);
    let deletes = writes(&plan(&snapshot)).contains("delete Pod demo-0-worker-p2");
    assert_eq!(deletes, goes);
}

/// The job was resumed; its 2 pods are required, without a delay. These are Ready, these run, these
/// failed.
#[rstest]
#[case::none_exists(0, 0, 0, "False/NeverAvailable")]
#[case::one_is_up(1, 0, 0, "False/NeverAvailable")]
#[case::both_run_and_one_is_not_ready(1, 1, 0, "False/NeverAvailable")]
#[case::both_are_up(2, 0, 0, "False/SufficientReadyPods")]
#[case::one_had_failed(0, 1, 1, "True/InsufficientReadyPods")]
fn after_the_resume_only_a_failed_pod_counts(
    #[case] up: i32,
    #[case] running: i32,
    #[case] lost: i32,
    #[case] should: &str,
) {
    let clique = noted(2, 2);
    let runs = (up..up + running).map(|k| pod(&clique, k).bound().phase("Running"));
    let ends = (up + running..up + running + lost).map(|k| failed(pod(&clique, k)));
    let pods = ready(&clique, 0..up).into_iter().chain(runs).chain(ends);
    let snapshot = situation(&clique, pods.collect());
    assert_eq!(breach(&snapshot), should);
}

/// Without a delay a clique that was available gets no single pods; one that starts does.
#[test]
fn after_the_resume_its_pods_are_created() {
    let plan = plan(&situation(&noted(2, 2), vec![]));
    assert_eq!(writes(&plan).matches("create Pod").count(), 2, "{plan}");
}

/// A delay is for pods of a clique that is up.
#[test]
fn a_pod_that_fails_in_the_new_start_counts_for_the_replica() {
    let clique = noted(2, 2);
    let mut snapshot = situation(&clique, vec![failed(pod(&clique, 0))]);
    snapshot.set.as_mut().unwrap().training_delay = SignedDuration::from_mins(1);
    assert!(!writes(&plan(&snapshot)).contains("delete Pod"));
}
