//! Pod templates whose pods the API server refuses, or the kubelet never starts.

pub(super) mod environment;
pub(super) mod gpus;
pub(super) mod image;
pub(super) mod limits;
pub(super) mod names;
pub(super) mod ports;
pub(super) mod probes;
pub(in crate::lint) mod resource_names;
pub(super) mod restart_policy;
pub(super) mod volumes;

use api::{PodCliqueSet, WorkloadType};

use crate::lint::parts::pods;
use crate::lint::remark::Remark;

/// Remarks on the pod templates of a set with its defaults applied.
pub(crate) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    // Admission has rules of its own for the restart policy of a job.
    let is_job = set.spec.workload_type == Some(WorkloadType::Training);
    pods(set)
        .flat_map(|(at, pod)| {
            let policy = restart_policy::check(&at, pod).filter(|_| !is_job);
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
            ]
            .concat()
        })
        .collect()
}
