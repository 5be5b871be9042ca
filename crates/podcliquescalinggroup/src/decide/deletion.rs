//! Deletion of a group.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueScalingGroupStatus, labels};
use domain::Claim;
use domain::object::ownership;
use domain::plan::{Action, Plan, Purpose};

use crate::observe::Snapshot;

/// A terminating group deletes its PodCliques, then its claims, and removes its finalizer when the
/// PodCliques are gone: a claim may be held by a pod that hangs.
pub(super) fn plan_deletion(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if !ownership::has_finalizer(meta, labels::PCSG_FINALIZER) {
        return Plan::default();
    }
    let is_empty = snapshot.own_podcliques().next().is_none();
    let is_orphaning = ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER);
    let claims = delete_claims(snapshot);
    if is_orphaning || (is_empty && claims.is_empty()) {
        let finalizer = labels::PCSG_FINALIZER;
        return Plan::only(Action::remove_finalizer::<PodCliqueScalingGroup>(
            meta, finalizer,
        ));
    }
    let mut plan = Plan::default();
    if is_empty {
        plan.wave(claims);
        return plan;
    }
    plan.wave(
        snapshot
            .own_podcliques()
            .filter(|c| !ownership::is_terminating(&c.metadata))
            .map(|c| delete_as_seen(c))
            .collect(),
    );
    plan
}

fn delete_claims(snapshot: &Snapshot) -> Vec<Action> {
    let purpose = Purpose::DeleteWithScalingGroup;
    let staying = snapshot.own_claims.iter().filter(|c| !c.is_terminating());
    staying
        .map(|claim| Action::delete_as_seen::<Claim>(&claim.metadata, purpose))
        .collect()
}

/// A cache that lags still shows owner references that the garbage collector removed for
/// `--cascade=orphan`, so an object is deleted only in the version that was observed.
fn delete_as_seen(podclique: &PodClique) -> Action {
    let purpose = Purpose::DeleteWithScalingGroup;
    Action::delete_as_seen::<PodClique>(&podclique.metadata, purpose)
}
