//! What a later version of an object does not say any more, and is still asked for.

use std::any::Any;

use domain::Pod;
use kube::Resource;

/// Keeps in the object what only the version before says: why a pod is about to go.
pub(super) fn keep_evidence<K: Resource + 'static>(object: &mut K, before: &K) {
    let object = (object as &mut dyn Any).downcast_mut::<Pod>();
    let before = (before as &dyn Any).downcast_ref::<Pod>();
    if let (Some(pod), Some(before)) = (object, before) {
        pod.keep_disruption_of(before);
    }
}
