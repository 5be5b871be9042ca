//! Scheduling gates that the operator does not remove.

use api::labels::POD_GANG_GATE;
use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const FOREIGN_GATE: Rule = Rule::warning(
    "foreign-scheduling-gate",
    "a schedulingGate that is neither the operator's nor Kueue's",
    "Pods wait until all of their gates are removed. The operator removes its own one, which it adds \
     itself.",
);

/// Gates that Kueue's pod integration removes.
const OF_KUEUE: &str = "kueue.x-k8s.io/";

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let gates = pod.scheduling_gates.iter().flatten().enumerate();
    gates
        .filter(|(_, gate)| gate.name != POD_GANG_GATE && !gate.name.starts_with(OF_KUEUE))
        .map(|(i, gate)| {
            let problem = "the operator does not remove this gate, and pods wait for it".to_owned();
            let at = format!("{at}.schedulingGates[{i}].name");
            let remark = Remark::new(&FOREIGN_GATE, at, problem).value(format!("{:?}", gate.name));
            remark.remedy("remove it, unless another controller removes it from the pods")
        })
        .collect()
}
