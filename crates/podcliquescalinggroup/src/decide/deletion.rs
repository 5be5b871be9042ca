//! Deletion of a group.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueScalingGroupStatus, labels};
use domain::object::ownership;
use domain::plan::{Action, Plan, Purpose};

use crate::observe::Snapshot;

/// A terminating group deletes its PodCliques and removes its finalizer when they are gone.
pub(super) fn plan_deletion(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if !ownership::has_finalizer(meta, labels::PCSG_FINALIZER) {
        return Plan::default();
    }
    let is_empty = snapshot.own_podcliques().next().is_none();
    if is_empty || ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        let finalizer = labels::PCSG_FINALIZER;
        return Plan::only(Action::remove_finalizer::<PodCliqueScalingGroup>(
            meta, finalizer,
        ));
    }
    let mut plan = Plan::default();
    plan.wave(
        snapshot
            .own_podcliques()
            .filter(|c| !ownership::is_terminating(&c.metadata))
            .map(|c| delete_as_seen(c))
            .collect(),
    );
    plan
}

/// A cache that lags still shows owner references that the garbage collector removed for
/// `--cascade=orphan`, so an object is deleted only in the version that was observed.
fn delete_as_seen(podclique: &PodClique) -> Action {
    let purpose = Purpose::DeleteWithScalingGroup;
    Action::delete_as_seen::<PodClique>(&podclique.metadata, purpose)
}
