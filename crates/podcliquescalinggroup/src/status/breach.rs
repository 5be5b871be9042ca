//! The state of the group's replicas by the stored statuses of PodCliques, and the time of a
//! breach.

use api::PodCliqueScalingGroupStatus;
use api::conditions::Status;
use api::podcliqueset::ReplicaAttempt;
use domain::health::availability::{self, GroupPart, StoredBreach};
use domain::health::fence;
use domain::object::ownership;
use domain::workload::layout::{self, Member};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::replica::is_available;
use crate::observe::{Snapshot, is_breached};

/// When it became breached, or when the breach began that has just ended. A breach that returns is
/// never older than that of the PodClique that has been breached for longest. A suspension ends each.
pub(super) fn breached_since(
    snapshot: &Snapshot,
    before: &PodCliqueScalingGroupStatus,
    status: Status,
    now: Timestamp,
) -> Option<Time> {
    if snapshot.is_suspended() {
        return None;
    }
    let oldest = || {
        let names = snapshot.podcliques.keys();
        names
            .filter_map(|n| snapshot.slot(n).standing()?.status.as_ref())
            .filter_map(|s| StoredBreach::from(s).since())
            .min()
    };
    StoredBreach::from(before).next(status, snapshot.breach_memory(), now, |_| oldest())
}

/// The state of a group replica's part, by the stored status of its PodClique.
pub fn stored_part(snapshot: &Snapshot, member: &Member<'_>) -> Option<GroupPart> {
    let podclique = snapshot.slot(&member.name).present()?;
    if ownership::is_terminating(&podclique.metadata) {
        return GroupPart::on_its_way_out(podclique);
    }
    let was_available = podclique.status.as_ref().is_some_and(|s| s.was_available);
    Some(GroupPart {
        is_breached: is_breached(podclique),
        was_available: was_available || is_available(podclique),
        is_terminating: false,
    })
}

/// The attempts, with `recovered` set for replicas whose PodCliques were all available or that are
/// scaled in.
pub fn with_recovered(snapshot: &Snapshot) -> Vec<ReplicaAttempt> {
    let group = &snapshot.group;
    fence::with_recovered(snapshot.replica_attempts(), |j| {
        let members = layout::members_of_group_replica(group, j).cliques;
        let parts = members.iter().map(|member| stored_part(snapshot, member));
        j >= group.spec.replicas || availability::is_back(&parts.collect::<Vec<_>>())
    })
}
