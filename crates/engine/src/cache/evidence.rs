//! Facts that a later version of an object does not contain any more, and that rules still read.

use std::any::Any;

use domain::Pod;
use kube::Resource;

/// Keeps in the object a fact that only the previous version has: why a pod is about to go.
pub(super) fn keep_evidence<K: Resource + 'static>(object: &mut K, before: &K) {
    let object = (object as &mut dyn Any).downcast_mut::<Pod>();
    let before = (before as &dyn Any).downcast_ref::<Pod>();
    if let (Some(pod), Some(before)) = (object, before) {
        pod.keep_disruption_of(before);
    }
}
