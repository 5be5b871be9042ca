//! Remedies that depend on the part of the set.

use serde_json::json;
use testkit::good_set::{FRONTEND, at};

use super::rules::remarks;

/// With the probe of its leader a worker would never be Ready.
#[test]
fn a_worker_needs_no_probe() {
    let resources = at(FRONTEND, "spec/podSpec/containers/0/resources");
    let gpu = json!({"limits": {"nvidia.com/gpu": "1"}});
    assert_eq!(
        remarks("gpu-without-readiness-probe", &[(&resources, gpu)]),
        [
            "spec.template.cliques[0].spec.podSpec.containers[0].readinessProbe: container main has GPUs and \
             no readiness probe, so it is Ready as soon as it runs; if it serves requests, add a probe of the \
             port on which it does; a worker that serves none needs no probe (--ignore \
             gpu-without-readiness-probe)"
        ]
    );
}
