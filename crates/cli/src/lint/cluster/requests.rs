//! The sum of a set's requests.

use api::PodCliqueSet;
use domain::object::pod_requests::{ResourceSum, Which};
use domain::workload::layout;
use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::parts::cliques;

/// Billionths in one.
pub(super) const ONE: i128 = 1_000_000_000;

/// Pods that a set has by its template.
pub(super) fn pods_of(set: &PodCliqueSet) -> i128 {
    counts(set).fold(0, |sum, (count, _)| sum.saturating_add(count))
}

/// The sum over all pods of a set's template.
pub(super) fn sum_of(set: &PodCliqueSet, which: Which) -> ResourceSum {
    let mut sum = ResourceSum::default();
    for (count, pod) in counts(set) {
        sum.add(&ResourceSum::of_pod(pod, which), count);
    }
    sum
}

/// Pod specs, and the number of their pods.
fn counts(set: &PodCliqueSet) -> impl Iterator<Item = (i128, &PodSpec)> {
    let replicas = i128::from(set.spec.replicas.max(0));
    cliques(set).map(move |(_, clique)| {
        let group = layout::group_of(&set.spec.template, &clique.name);
        let of_group = group.map_or(1, |group| group.replicas.unwrap_or(1));
        let of_clique = i128::from(clique.spec.replicas.max(0));
        let pods = i128::from(of_group.max(0)).saturating_mul(of_clique);
        (replicas.saturating_mul(pods), &*clique.spec.pod_spec)
    })
}
