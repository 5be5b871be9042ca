//! The objects for schedulers match the existing workloads.

use crate::resource::Resource;
use crate::store::Store;
use crate::view;

/// Whether objects of this kind are for a scheduler.
pub(super) fn is_theirs(resource: Resource) -> bool {
    matches!(
        resource,
        Resource::PodGroup
            | Resource::CompositePodGroup
            | Resource::Workload
            | Resource::KaiPodGroup
            | Resource::VolcanoPodGroup
            | Resource::KueueWorkload
    )
}

/// The leftover objects.
pub(super) fn problems(store: &Store) -> Vec<String> {
    store
        .objects()
        .filter(|(id, _)| is_theirs(id.resource))
        .filter(|(id, object)| {
            let owner = view::owner(object).and_then(|(_, _, uid)| store.by_uid(uid));
            let mut pods = store.all(Resource::Pod);
            let name = "/spec/schedulingGroup/podGroupName";
            let is_unused = id.resource == Resource::PodGroup
                && !pods.any(|(_, pod)| view::text(pod, name) == id.name);
            owner.is_none() || is_unused
        })
        .map(|(id, _)| format!("{id} is left over"))
        .collect()
}
