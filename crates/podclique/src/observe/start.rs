//! The start of the gang that a PodClique belongs to.

use api::{PodClique, PodCliqueSet, PodGang};
use domain::Key;
use domain::health::readiness::{self, Start};
use domain::health::training;
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
    if let Some(reason) = set.and_then(training::failure_reason) {
        return Start::GivenUp(reason);
    }
    if is_replica_terminating {
        return Start::Terminating;
    }
    let namespace = podclique.metadata.namespace.clone().unwrap_or_default();
    readiness::find_start(podclique, gang, |base| {
        let base = caches
            .of::<PodGang>()
            .get(&Key::new(namespace.clone(), base));
        base.is_some_and(|base| gang::is_ready(&base))
    })
}
