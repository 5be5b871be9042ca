//! Pod templates whose pods the API server refuses, or the kubelet never starts.

pub(super) mod affinity;
pub(super) mod environment;
pub(super) mod fields;
pub(super) mod gpus;
pub(super) mod image;
pub(super) mod image_names;
pub(super) mod limits;
pub(super) mod modes;
pub(super) mod mounts;
pub(super) mod names;
pub(super) mod negatives;
pub(super) mod node_selectors;
pub(super) mod ports;
pub(super) mod probes;
pub(in crate::lint) mod resource_names;
pub(super) mod restart_policy;
pub(super) mod scheduler_names;
pub(super) mod scheduling_gates;
pub(super) mod single_values;
pub(super) mod tolerations;
pub(super) mod volume_sources;
pub(super) mod volumes;
pub(super) mod words;

use api::PodCliqueSet;
use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::parts::pods;
use crate::lint::remark::Remark;

/// Remarks on the pod templates of a set with its defaults applied.
pub(crate) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    pods(set)
        .flat_map(|(at, pod)| {
            let policy = restart_policy::check(&at, pod);
            [
                image::check(&at, pod),
                limits::check(&at, pod),
                volumes::check(&at, pod),
                names::check(&at, pod),
                gpus::check(&at, pod),
                ports::check(&at, pod),
                probes::check(&at, pod),
                environment::check(&at, pod),
                policy.into_iter().collect(),
                resource_names::check(&at, pod),
                check_values(&at, pod),
            ]
            .concat()
        })
        .collect()
}

/// Remarks on single values, and on values that contradict each other.
fn check_values(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let spec = serde_json::to_value(pod).unwrap_or_default();
    [
        words::check(at, &spec),
        tolerations::check(at, pod),
        affinity::check(at, &spec),
        node_selectors::check(at, pod),
        modes::check(at, &spec),
        mounts::check(at, pod),
        volume_sources::check(at, pod),
        image_names::check(at, pod),
        negatives::check(at, pod),
        scheduling_gates::check(at, pod),
        single_values::check(at, &spec),
        scheduler_names::check(at, pod).into_iter().collect(),
    ]
    .concat()
}
