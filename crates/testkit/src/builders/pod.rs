//! Pods as the operator sees them.

use std::sync::Arc;

use api::{PodClique, labels, names};
use domain::Pod;
use domain::object::ownership;
use domain::object::pod::{
    ContainerState, ContainerStatus, Gate, PodCondition, SchedulingGroup, Waiting,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{after, stored};

/// Builds a pod.
#[derive(Clone, Debug)]
pub struct PodBuilder(Pod);

/// The pod with this index of a PodClique: just created, behind our gate. Its name ends in
/// `-p<index>`.
pub fn pod(podclique: &PodClique, index: i32) -> PodBuilder {
    let owner = ownership::name(&podclique.metadata);
    let mut pod = Pod {
        metadata: stored(&format!("{owner}-p{index}")),
        ..Pod::default()
    };
    let mut all = podclique.metadata.labels.clone().unwrap_or_default();
    all.insert(labels::POD_CLIQUE.into(), owner.into());
    all.insert(labels::POD_INDEX.into(), index.to_string());
    pod.metadata.labels = Some(all);
    pod.metadata.owner_references = Some(vec![ownership::controller_reference(podclique)]);
    pod.spec.hostname = Some(names::hostname(owner, index));
    pod.spec.scheduling_gates = vec![Gate {
        name: labels::POD_GANG_GATE.into(),
    }];
    pod.status.phase = Some("Pending".into());
    PodBuilder(pod)
}

impl PodBuilder {
    /// Without the operator's gate.
    #[must_use]
    pub fn ungated(mut self) -> Self {
        self.0
            .spec
            .scheduling_gates
            .retain(|g| g.name != labels::POD_GANG_GATE);
        self
    }

    /// Placed together with the pods of this PodGroup of Kubernetes' own.
    #[must_use]
    pub fn in_pod_group(mut self, group: &str) -> Self {
        self.0.spec.scheduling_group = Some(SchedulingGroup {
            pod_group_name: Some(group.to_owned()),
        });
        self
    }

    /// Bound to a node.
    #[must_use]
    pub fn bound(self) -> Self {
        let mut next = self.ungated().condition("PodScheduled", "True");
        next.0.spec.node_name = Some("node-0".into());
        next
    }

    /// Bound, running and Ready.
    #[must_use]
    pub fn ready(self) -> Self {
        self.bound().phase("Running").condition("Ready", "True")
    }

    /// Bound and running, its container waiting for this reason.
    #[must_use]
    pub fn waiting(self, reason: &str) -> Self {
        let mut next = self.bound().phase("Running").condition("Ready", "False");
        let waiting = Some(Waiting {
            reason: Some(reason.into()),
            message: None,
        });
        let state = ContainerState {
            waiting,
            ..ContainerState::default()
        };
        next.0.status.container_statuses = vec![ContainerStatus {
            name: "main".into(),
            state,
            ..ContainerStatus::default()
        }];
        next
    }

    /// In this phase.
    #[must_use]
    pub fn phase(mut self, phase: &str) -> Self {
        self.0.status.phase = Some(phase.into());
        self
    }

    /// With this condition.
    #[must_use]
    pub fn condition(mut self, type_: &str, status: &str) -> Self {
        self.0.status.conditions.retain(|c| c.type_ != type_);
        self.0.status.conditions.push(PodCondition {
            type_: type_.into(),
            status: status.into(),
            ..PodCondition::default()
        });
        self
    }

    /// Its deletionTimestamp is this many seconds after the epoch.
    #[must_use]
    pub fn terminating(mut self, seconds: i64) -> Self {
        self.0.metadata.deletion_timestamp = Some(Time(after(seconds)));
        self
    }

    /// Created this many seconds after the epoch.
    #[must_use]
    pub fn created(mut self, seconds: i64) -> Self {
        self.0.metadata.creation_timestamp = Some(Time(after(seconds)));
        self
    }

    /// Changes anything else.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Pod)) -> Self {
        change(&mut self.0);
        self
    }

    /// The pod.
    pub fn build(self) -> Arc<Pod> {
        Arc::new(self.0)
    }
}
