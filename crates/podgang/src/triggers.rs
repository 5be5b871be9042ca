//! What makes a PodGang look again: itself, its PodCliques, its pods.

use api::{PodClique, PodGang};
use domain::{Key, Pod};
use engine::Change;
use engine::triggers::{TriggersOf, find};
use kube::Resource;

/// All of them.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodGang>(|change, _| find::own(change));
    on.on_change::<PodClique>(|change, _| labelled(change));
    on.on_change::<Pod>(|change, _| labelled(change));
}

fn labelled<K: Resource<DynamicType = ()>>(change: &Change<K>) -> Vec<Key> {
    let versions = change.versions();
    versions.filter_map(|o| find::gang(o.meta())).collect()
}
