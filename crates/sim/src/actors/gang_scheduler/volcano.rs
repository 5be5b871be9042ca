//! Volcano.

use api::volcano::keys;
use serde_json::Value;

use super::{beside, count, peers};
use crate::resource::Resource;
use crate::store::Store;
use crate::view;

/// A pod that names no PodGroup gets one of its own; for any other pod the PodGroup, and each part
/// of it, has to have its minimum of pods.
pub(super) fn may_be_placed(store: &Store, pod: &Value) -> bool {
    let named = pod_group(pod);
    if named.is_empty() {
        return true;
    }
    let Some(group) = store.get(&beside(pod, Resource::VolcanoPodGroup, named)) else {
        return false;
    };
    let members = || peers(store, pod).filter(|p| pod_group(p) == named);
    let has_part = |part: &Value| {
        let of_part = members().filter(|p| is_selected(p, part));
        count(of_part) >= view::number(part, "/subGroupSize")
    };
    count(members()) >= view::number(group, "/spec/minMember")
        && view::list(group, "/spec/subGroupPolicy").all(has_part)
}

fn pod_group(pod: &Value) -> &str {
    view::annotation(pod, keys::VOLCANO_GROUP_NAME)
}

fn is_selected(pod: &Value, part: &Value) -> bool {
    let labels = view::at(part, "/labelSelector/matchLabels").and_then(Value::as_object);
    labels
        .into_iter()
        .flatten()
        .all(|(key, value)| value.as_str() == Some(view::label(pod, key)))
}
