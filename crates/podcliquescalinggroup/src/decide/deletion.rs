//! How a group goes.

use api::{PodCliqueScalingGroupStatus, labels};
use domain::ownership;
use domain::plan::{Action, Kind, Plan};

use super::{delete, owned, staying};
use crate::observe::Snapshot;

/// A group on its way out deletes its PodCliques and goes when they are gone.
pub(super) fn plan(snapshot: &Snapshot) -> Plan<PodCliqueScalingGroupStatus> {
    let meta = &snapshot.group.metadata;
    if !ownership::has_finalizer(meta, labels::PCSG_FINALIZER) {
        return Plan::default();
    }
    let is_empty = owned(snapshot).next().is_none();
    if is_empty || ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        let kind = Kind::PodCliqueScalingGroup;
        return Plan::only(Action::remove_finalizer(kind, meta, labels::PCSG_FINALIZER));
    }
    let mut plan = Plan::default();
    plan.wave(
        staying(snapshot)
            .map(|c| delete(c, "scaling group is deleted"))
            .collect(),
    );
    plan
}
