//! Pods that are Ready before they can work.

use api::{PodCliqueSet, WorkloadType};
use k8s_openapi::api::core::v1::Container;

use crate::lint::parts::{containers, pods};
use crate::lint::remark::{Remark, Rule};

/// Resources that are GPUs, or parts of one.
const GPUS: [&str; 4] = [
    "nvidia.com/gpu",
    "nvidia.com/mig-",
    "amd.com/gpu",
    "gpu.intel.com/",
];

pub(in crate::lint) const GPU_WITHOUT_PROBE: Rule = Rule::warning(
    "gpu-without-readiness-probe",
    "a container of an Inference workload with GPUs and without a readiness probe",
    "Without a probe a pod is Ready as soon as its process runs, minutes before a model is loaded: \
     dependents start too early, an update continues with the next pod, and pods get traffic that \
     they cannot answer.",
);

/// A worker that answers no requests would never be Ready with the probe of its leader.
const REMEDY: &str = "if it serves requests, add a probe of the port on which it does; a worker that serves none \
                      needs no probe (--ignore gpu-without-readiness-probe)";

pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    if set.spec.workload_type == Some(WorkloadType::Training) {
        return Vec::new();
    }
    let bare = pods(set)
        .flat_map(|(at, pod)| containers(&at, pod))
        .filter(|(_, c)| has_gpu(c) && c.readiness_probe.is_none());
    let remark = |(at, container): (String, &Container)| {
        let problem = format!(
            "container {} has GPUs and no readiness probe, so it is Ready as soon as it runs",
            container.name
        );
        let remark = Remark::new(&GPU_WITHOUT_PROBE, format!("{at}.readinessProbe"), problem);
        remark.remedy(REMEDY)
    };
    bare.map(remark).collect()
}

fn has_gpu(container: &Container) -> bool {
    let resources = container.resources.iter();
    resources
        .flat_map(|r| [&r.requests, &r.limits])
        .flatten()
        .flat_map(|of| of.keys())
        .any(|name| GPUS.iter().any(|gpu| name.starts_with(gpu)))
}
