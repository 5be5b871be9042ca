//! Containers that the kubelet starts again in place.

use std::sync::Arc;

use api::PodClique;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod};

use super::{breach, clique, failed, status};
use crate::situation::{plan, situation, writes};

/// The kubelet restarts containers of this clique in place.
fn restarted_in_place(was_available: bool) -> Arc<PodClique> {
    let mut clique = (*clique(3, 2, was_available)).clone();
    clique.spec.pod_spec.restart_policy = Some("OnFailure".into());
    Arc::new(clique)
}

/// 3 pods of which 2 are required; the given numbers of them restart, or are missing.
#[rstest]
#[case::all_restart(3, 0, true, "False/RestartsInPlace")]
#[case::one_is_missing(2, 1, true, "False/RestartsInPlace")]
#[case::two_are_missing(1, 2, true, "True/InsufficientReadyPods")]
#[case::two_are_missing_from_the_start(1, 2, false, "False/NeverAvailable")]
fn a_restart_in_place_by_the_kubelet_is_no_failure(
    #[case] restarting: i32,
    #[case] missing: i32,
    #[case] was_available: bool,
    #[case] should: &str,
) {
    let clique = restarted_in_place(was_available);
    let up = (0..3 - restarting - missing).map(|k| pod(&clique, k).ready());
    let mut pods: Vec<_> = up.collect();
    pods.extend((0..restarting).map(|k| pod(&clique, k).waiting("CrashLoopBackOff")));
    let snapshot = situation(&clique, pods);
    assert_eq!(breach(&snapshot), should);
    assert_eq!(status(&snapshot).ready_replicas, 0);
    let is_filled = writes(&plan(&snapshot)).contains("create Pod");
    let is_breached = should.starts_with("True");
    assert_eq!(is_filled, missing > 0 && !is_breached, "a free slot");
}

#[rstest]
#[case::failed(failed as fn(PodBuilder) -> PodBuilder)]
#[case::being_deleted(|p: PodBuilder| p.ready().terminating(59))]
fn a_lost_pod_counts_though_the_rest_is_restarted_in_place(
    #[case] lost: impl Fn(PodBuilder) -> PodBuilder,
) {
    let clique = restarted_in_place(true);
    let pods = vec![
        lost(pod(&clique, 0)),
        lost(pod(&clique, 1)),
        pod(&clique, 2).waiting("CrashLoopBackOff"),
    ];
    assert_eq!(
        breach(&situation(&clique, pods)),
        "True/InsufficientReadyPods"
    );
}
