//! Schedulers that place gangs as a whole.

use serde_json::Value;

use crate::resource::{Id, Resource};
use crate::store::{POD_GROUP_FINALIZER, Store, Stored};
use crate::{Rng, view};

/// Whether the scheduler of the pod is told enough to place it. Those that are not Kubernetes' own
/// are only asked whether they know its PodGroup.
pub(super) fn may_be_placed(store: &Store, pod: &Value) -> bool {
    let named = |resource, name: &str| {
        let mut id = Id::new(resource, name);
        view::namespace(pod).clone_into(&mut id.namespace);
        store.get(&id).is_some()
    };
    match view::text(pod, "/spec/schedulerName") {
        "kai-scheduler" => named(
            Resource::KaiPodGroup,
            view::annotation(pod, "pod-group-name"),
        ),
        "volcano" => named(
            Resource::VolcanoPodGroup,
            view::annotation(pod, "scheduling.volcano.sh/group-name"),
        ),
        _ => match view::text(pod, POD_GROUP) {
            "" => true,
            group => is_whole(store, &root_of(store, Id::new(Resource::PodGroup, group))),
        },
    }
}

const POD_GROUP: &str = "/spec/schedulingGroup/podGroupName";
const PARENT: &str = "/spec/parentCompositePodGroupName";

fn root_of(store: &Store, id: Id) -> Id {
    let parent = store.get(&id).map_or("", |group| view::text(group, PARENT));
    match parent {
        "" => id,
        parent => root_of(store, Id::new(Resource::CompositePodGroup, parent)),
    }
}

/// Whether there are as many pods, or groups that are whole, as it asks for.
fn is_whole(store: &Store, id: &Id) -> bool {
    let Some(group) = store.get(id) else {
        return false;
    };
    let is_child = |(_, child): &(&Id, &Stored)| view::text(child, PARENT) == id.name;
    let (found, wanted) = if id.resource == Resource::PodGroup {
        let pods = store.all(Resource::Pod).map(|(_, pod)| pod);
        let ready = pods.filter(|p| is_member(p, &id.name) && view::gates(p).is_empty());
        let wanted = "/spec/schedulingPolicy/gang/minCount";
        (ready.count(), view::number(group, wanted))
    } else {
        let groups = store.all(Resource::PodGroup).filter(is_child);
        let composites = store.all(Resource::CompositePodGroup).filter(is_child);
        let whole = groups
            .chain(composites)
            .filter(|(id, _)| is_whole(store, id));
        let wanted = "/spec/schedulingPolicy/gang/minGroupCount";
        (whole.count(), view::number(group, wanted))
    };
    i64::try_from(found).is_ok_and(|found| found >= wanted)
}

fn is_member(pod: &Value, group: &str) -> bool {
    view::text(pod, POD_GROUP) == group && view::is_live(pod)
}

/// A PodGroup that is deleted goes once no pod names it.
pub fn let_groups_go(store: &mut Store, rng: &mut Rng) -> bool {
    let is_free = |id: &Id, group: &Value| {
        let mut pods = store.all(Resource::Pod);
        view::is_terminating(group) && !pods.any(|(_, p)| is_member(p, &id.name))
    };
    let groups = store.all(Resource::PodGroup);
    let free = groups.filter(|(id, group)| is_free(id, group));
    let free: Vec<Id> = free.map(|(id, _)| id.clone()).collect();
    let Some(id) = rng.pick(&free) else {
        return false;
    };
    store.edit("controller of PodGroups", id, |group| {
        if let Some(items) = group["metadata"]["finalizers"].as_array_mut() {
            items.retain(|item| item != POD_GROUP_FINALIZER);
        }
    });
    true
}
