//! Pods that were released from their PodClique.

use std::sync::Arc;

use api::labels;
use domain::Pod;
use engine::Caches;
use rstest::rstest;
use testkit::builders::pod;

use super::clique;
use crate::situation::{plan, situation, writes};

/// `kubectl delete pclq --cascade=orphan` releases pods and is a failure of the job; the next
/// attempt must not have ranks of the one before.
#[rstest]
#[case::of_this_attempt("1", 1)]
#[case::of_an_earlier_one("0", 0)]
fn adopts_pods_of_its_own_attempt_only(#[case] attempt: &str, #[case] adopted: usize) {
    let with_attempt = |attempt: &str| {
        let mut clique = (*clique(1, 1, false)).clone();
        let labels = clique.metadata.labels.as_mut().unwrap();
        labels.insert(labels::ATTEMPT.into(), attempt.into());
        Arc::new(clique)
    };
    let released = pod(&with_attempt(attempt), 0).ready();
    let released = released.with(|p| p.metadata.owner_references = None);
    let caches = Caches::default();
    caches.of::<Pod>().apply((*released.build()).clone());
    let seen = podclique::observe::observe(
        &with_attempt("1"),
        &caches,
        &podclique::PodCliqueReconciler::default(),
    );
    assert_eq!(
        (seen.pods.len(), seen.released.len()),
        (adopted, 1 - adopted)
    );
}

/// Two pods of one name in the headless Service would be one rank too many.
#[test]
fn a_released_pod_leaves_the_service_before_its_rank_is_filled() {
    let clique = clique(2, 2, false);
    let mut snapshot = situation(&clique, vec![]);
    snapshot.released = vec![pod(&clique, 0).ready().build()];
    let text = writes(&plan(&snapshot));
    assert!(
        text.contains("patch Pod demo-0-worker-p0: released"),
        "{text}"
    );
    assert_eq!(text.matches("create Pod").count(), 1, "{text}");
    let alone = pod(&clique, 0).ready().with(|p| {
        let labels = p.metadata.labels.as_mut().unwrap();
        labels.remove(labels::PCS_REPLICA_INDEX);
    });
    snapshot.released = vec![alone.build()];
    let text = writes(&plan(&snapshot));
    assert!(!text.contains("patch Pod"), "{text}");
    assert_eq!(text.matches("create Pod").count(), 2, "{text}");
}
