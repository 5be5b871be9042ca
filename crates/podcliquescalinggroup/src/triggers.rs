//! What makes a scaling group look again: itself, its set, its PodCliques, and the end of what an
//! earlier attempt left in its replica.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::Key;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};

/// All of them.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodCliqueSet>(from_set);
    on.on_change::<PodCliqueScalingGroup>(|change, _| find::own(change));
    on.on_change::<PodClique>(from_podclique);
}

fn from_set(change: &Change<PodCliqueSet>, caches: &Caches) -> Vec<Key> {
    if change.keeps(find::read_by_children) {
        return Vec::new();
    }
    let sets = find::own(change).into_iter();
    let groups = sets.flat_map(|set| caches.of::<PodCliqueScalingGroup>().part_of(&set));
    groups.map(|g| Key::of(&g.metadata)).collect()
}

fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let versions = change.versions();
    let holders = versions.filter_map(|c| {
        let meta = &c.metadata;
        let owner = find::owner::<PodCliqueScalingGroup>(meta);
        owner.or_else(|| find::adopter(meta, labels::SCALING_GROUP))
    });
    let mut all: Vec<Key> = holders.collect();
    // They create nothing while a PodClique of an earlier attempt exists in their replica.
    all.extend(find::beside_lost::<PodCliqueScalingGroup>(change, caches));
    all
}
