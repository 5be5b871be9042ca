//! The scheduler that places a gang, and the marks that its pods bear for it
//! (docs/gang-scheduling.md).

mod kai;
pub mod kubernetes;
mod marks;
mod priority;
mod profiles;
mod queue;
pub mod quota;
mod unsupported_feature;
mod volcano;

use api::{PodClique, labels};
use k8s_openapi::api::core::v1::Pod;

use crate::object::ownership;
pub use kai::{grouped_leaf_name, leaf_name, pod_group_name, replica_name};
pub use marks::{GangScheduler, Peers, find_peer, is_mark, is_of_tree};
pub use priority::find_unsupported_priority;
pub use profiles::{Backend, DEFAULT_SCHEDULER, Profiles, SchedulerProfile};
pub use queue::{inherit_queues, names_queue, queue_of, queue_of_set, set_names_queue};
pub use unsupported_feature::{COMPUTE_DOMAINS_NOT_SERVED, UnsupportedFeature};

/// Marks a new pod of a PodClique for the scheduler of its gang.
pub fn mark_pod(scheduler: &GangScheduler, podclique: &PodClique, pod: &mut Pod) {
    if let Some(name) = &scheduler.name_in_pods {
        let spec = pod.spec.get_or_insert_default();
        spec.scheduler_name = Some(name.clone());
    }
    let Some(gang) = ownership::label(&podclique.metadata, labels::POD_GANG) else {
        return;
    };
    match scheduler.backend {
        // The PodGroup that it names (Kubernetes' own kind) depends on the existing ones.
        Backend::DefaultScheduler
        | Backend::KaiPodGrouper
        | Backend::Kubernetes
        | Backend::KubernetesTree => {}
        Backend::Volcano => volcano::mark_pod(gang, pod),
        Backend::KaiScheduler => kai::mark_pod(gang, &podclique.metadata, pod),
        Backend::KaiTree => kai::mark_pod_of_tree(gang, &podclique.metadata, pod),
    }
}
