//! The names of the objects that a finding is about, for the commands of its remedy.

use api::labels;
use domain::object::ownership;
use domain::scheduling::DEFAULT_SCHEDULER;
use k8s_openapi::api::core::v1::Pod;

use super::find::Finding;
use super::named::Named;
use crate::workload::{View, pod_state};

/// The names that the sentence of the cause mentions, then those of the set, of the gang and of the pod.
pub(super) fn name_objects(view: &View<'_>, finding: &Finding<'_>, sentence: &str) -> Named {
    let set = &view.workload.set.metadata;
    let podclique = finding.podclique.map(|c| &c.podclique);
    let base = podclique.and_then(|c| ownership::label(&c.metadata, labels::BASE_POD_GANG));
    let scheduler = podclique.map(|c| {
        let scheduler = c.spec.pod_spec.scheduler_name.as_deref();
        scheduler.unwrap_or(DEFAULT_SCHEDULER)
    });
    Named::default()
        .with_mentioned(sentence)
        .with("SET", set.name.as_deref())
        .with("NAMESPACE", set.namespace.as_deref())
        .with("GANG", finding.gang_name(view))
        .with("BASE", base)
        .with("SCHEDULER", scheduler)
        .with_pod(finding.pod)
}

impl Named {
    fn with_pod(self, pod: Option<&Pod>) -> Self {
        self.with("POD", pod.and_then(|pod| pod.metadata.name.as_deref()))
            .with("NODE", pod.and_then(pod_state::node_of))
            .with("GATE", pod.and_then(foreign_gate_of))
            .with("CLAIM", pod.and_then(volume_claim_of))
    }
}

/// The first scheduling gate of another controller.
pub(super) fn foreign_gate_of(pod: &Pod) -> Option<&str> {
    let gates = pod.spec.as_ref()?.scheduling_gates.as_ref()?;
    let mut names = gates.iter().map(|gate| gate.name.as_str());
    names.find(|name| *name != labels::POD_GANG_GATE)
}

/// The first `PersistentVolumeClaim` of its volumes.
fn volume_claim_of(pod: &Pod) -> Option<&str> {
    let volumes = pod.spec.as_ref()?.volumes.as_ref()?;
    let mut claims = volumes
        .iter()
        .filter_map(|v| v.persistent_volume_claim.as_ref());
    claims.next().map(|claim| claim.claim_name.as_str())
}
