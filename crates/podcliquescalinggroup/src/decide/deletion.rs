//! Deletion of a group (decision 126 for `--cascade=orphan`).

use api::{PodClique, PodCliqueScalingGroup, PodCliqueScalingGroupStatus, labels};
use domain::object::{orphaning, ownership};
use domain::plan::{Action, Plan, Purpose, first_portion};

use crate::observe::Snapshot;

/// A terminating group deletes its PodCliques and removes its finalizer when they are gone.
pub(super) fn plan_deletion(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    if !ownership::has_finalizer(&snapshot.group.metadata, labels::PCSG_FINALIZER) {
        return Plan::default();
    }
    if snapshot.is_orphaning {
        return plan_release(snapshot);
    }
    if snapshot.own_podcliques().next().is_none() {
        return remove_finalizer(snapshot);
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

/// Leaves the PodCliques to the user. The garbage collector removes the references that it knows;
/// only this operator releases a PodClique that appeared later.
fn plan_release(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if !orphaning::is_stored(meta) {
        return Plan::only(orphaning::store::<PodCliqueScalingGroup>(meta));
    }
    let released = release_podcliques(snapshot);
    if released.is_empty() && snapshot.own_podcliques().next().is_none() {
        return remove_finalizer(snapshot);
    }
    let mut plan = Plan::default();
    plan.wave(released);
    plan
}

/// Releases PodCliques without a controller too: an adoption on its way is refused from then on.
fn release_podcliques(snapshot: &Snapshot) -> Vec<Action> {
    let meta = &snapshot.group.metadata;
    let released = snapshot
        .podcliques
        .values()
        .filter(|c| orphaning::is_release_due(&c.metadata, meta))
        .map(|c| orphaning::release(&**c, ownership::uid(meta)));
    first_portion(released)
}

fn remove_finalizer(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    Plan::only(Action::remove_finalizer::<PodCliqueScalingGroup>(
        &snapshot.group.metadata,
        labels::PCSG_FINALIZER,
    ))
}

/// A cache that lags still shows owner references that the garbage collector removed for
/// `--cascade=orphan`, so an object is deleted only in the version that was observed.
fn delete_as_seen(podclique: &PodClique) -> Action {
    let purpose = Purpose::DeleteWithScalingGroup;
    Action::delete_as_seen::<PodClique>(&podclique.metadata, purpose)
}
