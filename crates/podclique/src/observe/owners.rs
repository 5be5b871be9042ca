//! The set and the group above a PodClique.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::health::{fence, suspension, training};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use engine::Caches;

/// Whether its owners stay, and the set is neither over nor suspended.
pub(super) fn may_have_pods(podclique: &PodClique, set: &PodCliqueSet, caches: &Caches) -> bool {
    let status = set.status.as_ref();
    has_living_owner(podclique, set, caches)
        && !training::is_over(status)
        && !suspension::is_suspended(status)
}

/// Whether its replica is being terminated; the PodClique itself may be of an earlier attempt.
pub(super) fn is_replica_terminating(
    podclique: &PodClique,
    set: &PodCliqueSet,
    caches: &Caches,
) -> bool {
    let replica = ownership::replica_in(ownership::name(&set.metadata), &podclique.metadata);
    replica.is_some_and(|i| caches.has_previous(set, i))
}

fn has_living_owner(podclique: &PodClique, set: &PodCliqueSet, caches: &Caches) -> bool {
    let Some(owner) = ownership::controller(&podclique.metadata) else {
        return false;
    };
    if ownership::is_terminating(&set.metadata) {
        return false;
    }
    if owner.kind == "PodCliqueSet" {
        return owner.uid == ownership::uid(&set.metadata);
    }
    let group = caches.group_of(&podclique.metadata, owner);
    group.is_some_and(|g| {
        !ownership::is_terminating(&g.metadata)
            && ownership::is_controlled_by(&g.metadata, ownership::uid(&set.metadata))
            && !is_replica_terminating_in_group(podclique, &g)
    })
}

/// Whether the group has terminated the PodClique's group replica since it was created.
fn is_replica_terminating_in_group(podclique: &PodClique, group: &PodCliqueScalingGroup) -> bool {
    let name = ownership::name(&group.metadata);
    let j = ownership::group_replica_in(name, &podclique.metadata);
    let attempts = fence::attempts_of_group(group);
    j.is_some_and(|j| Attempt::of(&podclique.metadata).group < fence::current_attempt(attempts, j))
}
