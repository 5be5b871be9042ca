//! KAI Scheduler, and its pod-grouper.

use api::kai::keys;
use api::labels;
use serde_json::Value;

use super::{beside, count, counts, peers};
use crate::resource::Resource;
use crate::store::Store;
use crate::view;

/// A pod that its pod-grouper ignores is placed by the PodGroup and the leaf that it names, any
/// other pod by its PodGang.
pub(super) fn may_be_placed(store: &Store, pod: &Value) -> bool {
    if !is_left_alone(pod) {
        return is_whole_by_gang(store, pod);
    }
    let group = beside(pod, Resource::KaiPodGroup, pod_group(pod));
    store.get(&group).is_some_and(|group| {
        let tree = Tree { store, pod, group };
        tree.has_whole_place(leaf(pod))
    })
}

fn is_left_alone(pod: &Value) -> bool {
    view::annotation(pod, keys::SKIP_POD_GROUPER) == "true"
}

fn pod_group(pod: &Value) -> &str {
    view::annotation(pod, keys::POD_GROUP)
}

fn leaf(pod: &Value) -> &str {
    view::label(pod, labels::KAI_SUBGROUP)
}

/// A PodGroup as stored, with the pods that name it.
struct Tree<'a> {
    store: &'a Store,
    pod: &'a Value,
    group: &'a Value,
}

impl<'a> Tree<'a> {
    fn nodes(&self) -> impl Iterator<Item = &'a Value> {
        view::list(self.group, "/spec/subGroups")
    }

    /// The nodes right below `of`; at the root if that is empty.
    fn children(&self, of: &str) -> impl Iterator<Item = &'a Value> {
        self.nodes()
            .filter(move |node| view::text(node, "/parent") == of)
    }

    /// Whether the leaf is in the tree, and it and all nodes above it meet their requirements.
    fn has_whole_place(&self, leaf: &str) -> bool {
        let mut name = leaf;
        while !name.is_empty() {
            match self.nodes().find(|node| view::text(node, "/name") == name) {
                Some(node) if self.is_whole(node) => name = view::text(node, "/parent"),
                _ => return false,
            }
        }
        self.has_children("", self.group, "/spec/minSubGroup")
    }

    fn is_whole(&self, node: &Value) -> bool {
        let name = view::text(node, "/name");
        if self.children(name).next().is_some() {
            return self.has_children(name, node, "/minSubGroup");
        }
        let named = pod_group(self.pod);
        let members = peers(self.store, self.pod)
            .filter(|p| is_left_alone(p) && pod_group(p) == named && leaf(p) == name);
        count(members) >= view::number(node, "/minMember")
    }

    /// Whether enough of its children are complete: all, unless it has a number.
    fn has_children(&self, name: &str, node: &Value, threshold: &str) -> bool {
        let whole = self.children(name).filter(|child| self.is_whole(child));
        let asked = view::at(node, threshold).and_then(Value::as_i64);
        count(whole) >= asked.unwrap_or_else(|| count(self.children(name)))
    }
}

/// Whether each part of the pod's gang has its minimum of pods that the pod-grouper groups.
fn is_whole_by_gang(store: &Store, pod: &Value) -> bool {
    let id = beside(pod, Resource::PodGang, view::label(pod, labels::POD_GANG));
    let is_grouped = |reference: &Value| {
        let id = beside(pod, Resource::Pod, view::text(reference, "/name"));
        let found = store.get(&id);
        found.is_some_and(|p| counts(p) && !is_left_alone(p))
    };
    let has_minimum = |part: &Value| {
        let grouped = view::list(part, "/podReferences").filter(|pod| is_grouped(pod));
        count(grouped) >= view::number(part, "/minReplicas")
    };
    store
        .get(&id)
        .is_some_and(|gang| view::list(gang, "/spec/podgroups").all(has_minimum))
}
