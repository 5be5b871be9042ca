//! How long a new unit has to be Ready before it counts for an update.

use api::podcliqueset::{PodCliqueTemplateSpec, RollingUpdate};
use jiff::SignedDuration;

/// Without a readiness probe a pod is Ready as soon as it runs, which proves little.
const WITHOUT_PROBE: SignedDuration = SignedDuration::from_secs(10);

/// `minReadySeconds`, or its default: 0 where each of these cliques has a readiness probe on an app
/// container, else 10 s.
pub fn min_ready<'a>(
    rolling: Option<&RollingUpdate>,
    cliques: impl IntoIterator<Item = &'a PodCliqueTemplateSpec>,
) -> SignedDuration {
    if let Some(given) = rolling.and_then(|rolling| rolling.min_ready_seconds) {
        return SignedDuration::from_secs(given.max(0).into());
    }
    let has_probe = |clique: &PodCliqueTemplateSpec| {
        let mut containers = clique.spec.pod_spec.containers.iter();
        containers.any(|container| container.readiness_probe.is_some())
    };
    if cliques.into_iter().all(has_probe) {
        SignedDuration::ZERO
    } else {
        WITHOUT_PROBE
    }
}
