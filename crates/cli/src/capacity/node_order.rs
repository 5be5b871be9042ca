//! The node that a scheduler prefers.

use k8s_openapi::api::core::v1::PodSpec;

/// The KAI scheduler fills nodes (its default placement strategy, `binpack`).
const KAI: &str = "kai-scheduler";

/// Which of the nodes that admit a pod gets it, by the names of kube-scheduler's scoring strategies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeOrder {
    /// The node with the most left: the default of kube-scheduler.
    #[default]
    LeastAllocated,
    /// The node with the least left.
    MostAllocated,
}

impl NodeOrder {
    /// The default order of the scheduler that the pod names.
    pub fn of_pod(pod: &PodSpec) -> Self {
        match pod.scheduler_name.as_deref() {
            Some(KAI) => Self::MostAllocated,
            _ => Self::LeastAllocated,
        }
    }
}
