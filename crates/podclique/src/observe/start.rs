//! The start of the gang that a PodClique belongs to.

use api::{PodClique, PodCliqueSet, PodGang};
use domain::Key;
use domain::health::readiness::{self, Start};
use domain::health::{suspension, training};
use domain::workload::gang;
use engine::Caches;

/// Whether its gang started, and why not if it did not.
pub(super) fn find_start(
    podclique: &PodClique,
    set: Option<&PodCliqueSet>,
    gang: Option<&PodGang>,
    is_replica_terminating: bool,
    caches: &Caches,
) -> Start {
    let meta = &podclique.metadata;
    let is_suspended = |set: &PodCliqueSet| {
        caches.is_in_hands_of(set, meta) && suspension::is_suspended(set.status.as_ref())
    };
    if let Some(reason) = set.and_then(training::failure_reason) {
        Start::GivenUp(reason)
    } else if is_replica_terminating {
        Start::Terminating
    } else if set.is_some_and(is_suspended) {
        Start::Suspended
    } else {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        readiness::find_start(podclique, gang, |base| {
            let base = caches.of::<PodGang>().get(&Key::new(namespace, base));
            base.is_some_and(|base| gang::is_ready(&base))
        })
    }
}
