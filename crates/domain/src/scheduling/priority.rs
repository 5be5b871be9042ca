//! `PriorityClass`es that PodGroups of Kubernetes' own scheduler refuse.

use super::{Backend, UnsupportedFeature};

/// The highest priority of a PodGroup; the API server refuses more.
pub(super) const MAX_PRIORITY: i32 = 1_000_000_000;

/// The `PriorityClass`es above it. Every cluster has them, and a user cannot create others.
const CLASSES_ABOVE: [&str; 2] = ["system-cluster-critical", "system-node-critical"];

/// Why no gang of this `PriorityClass` starts with this backend, if that is so.
pub fn find_unsupported_priority(backend: Backend, class: &str) -> Option<UnsupportedFeature> {
    let writes_priority = matches!(backend, Backend::Kubernetes | Backend::KubernetesTree);
    let is_refused = writes_priority && CLASSES_ABOVE.contains(&class);
    is_refused.then(|| UnsupportedFeature::PriorityTooHigh(class.to_owned()))
}
