//! Kubernetes' own scheduler.

use serde_json::Value;

use super::{beside, count, peers};
use crate::resource::{Id, Resource};
use crate::store::{POD_GROUP_FINALIZER, Store, Stored};
use crate::{Rng, view};

const POD_GROUP: &str = "/spec/schedulingGroup/podGroupName";
const PARENT: &str = "/spec/parentCompositePodGroupName";

/// A pod that names no PodGroup is placed individually; for any other pod each group above it has
/// to be complete.
///
/// The scheduler (1.37) looks at no pod of a tree while one of them that has no node has a gate.
pub(super) fn may_be_placed(store: &Store, pod: &Value) -> bool {
    let Some(groups) = groups_above(store, pod) else {
        return false;
    };
    let Some(root) = groups.last() else {
        return true;
    };
    groups.iter().all(|id| is_whole(store, pod, id)) && !has_gated_pod(store, root)
}

/// The groups of a pod, from its own to the root; `None` if one of them is missing.
fn groups_above(store: &Store, pod: &Value) -> Option<Vec<Id>> {
    let mut groups = Vec::new();
    let mut name = view::text(pod, POD_GROUP);
    let mut kind = Resource::PodGroup;
    while !name.is_empty() {
        let id = beside(pod, kind, name);
        name = view::text(store.get(&id)?, PARENT);
        kind = Resource::CompositePodGroup;
        groups.push(id);
    }
    Some(groups)
}

fn has_gated_pod(store: &Store, root: &Id) -> bool {
    let mut pods = store.all(Resource::Pod).map(|(_, pod)| &**pod);
    pods.any(|pod| {
        let is_gated = view::is_live(pod) && !view::gates(pod).is_empty();
        is_gated && groups_above(store, pod).is_some_and(|groups| groups.last() == Some(root))
    })
}

/// Whether the group has the pods, or complete groups, that it requires.
fn is_whole(store: &Store, pod: &Value, id: &Id) -> bool {
    let Some(group) = store.get(id) else {
        return false;
    };
    let is_child = |(of, child): &(&Id, &Stored)| {
        of.namespace == id.namespace && view::text(child, PARENT) == id.name
    };
    if id.resource == Resource::PodGroup {
        let members = peers(store, pod).filter(|p| view::text(p, POD_GROUP) == id.name);
        return count(members) >= view::number(group, "/spec/schedulingPolicy/gang/minCount");
    }
    let groups = store.all(Resource::PodGroup).filter(is_child);
    let composites = store.all(Resource::CompositePodGroup).filter(is_child);
    let whole = groups
        .chain(composites)
        .filter(|(child, _)| is_whole(store, pod, child));
    count(whole) >= view::number(group, "/spec/schedulingPolicy/gang/minGroupCount")
}

/// A PodGroup that is being deleted disappears once no pod names it.
pub fn let_groups_go(store: &mut Store, rng: &mut Rng) -> bool {
    let is_member =
        |pod: &Value, group: &str| view::text(pod, POD_GROUP) == group && view::is_live(pod);
    let is_free = |id: &Id, group: &Value| {
        let mut pods = store.all(Resource::Pod);
        view::is_terminating(group) && !pods.any(|(_, p)| is_member(p, &id.name))
    };
    let groups = store.all(Resource::PodGroup);
    let free: Vec<Id> = groups
        .filter(|(id, group)| is_free(id, group))
        .map(|(id, _)| id.clone())
        .collect();
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
