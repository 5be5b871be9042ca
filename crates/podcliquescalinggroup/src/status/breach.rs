//! What stored statuses of PodCliques say of the group's replicas, and since when.

use api::PodCliqueScalingGroupStatus;
use api::conditions::Status;
use api::podcliqueset::ReplicaAttempt;
use domain::health::availability::{self, Ended, GroupPart, StoredBreach};
use domain::health::fence;
use domain::object::ownership;
use domain::workload::layout::{self, Member};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::replica::is_available;
use crate::observe::{Snapshot, is_breached};

/// Since when it is breached, or was until a moment ago: kept while one of its PodCliques is in the
/// breach that it was in then.
pub(super) fn breached_since(
    snapshot: &Snapshot,
    before: &PodCliqueScalingGroupStatus,
    status: Status,
    now: Timestamp,
) -> Option<Time> {
    let goes_on = |ended: Ended| {
        let mut all = snapshot
            .podcliques
            .keys()
            .filter_map(|n| snapshot.podclique(n));
        all.any(|c| {
            let since = c
                .status
                .as_ref()
                .and_then(|s| StoredBreach::from(s).since());
            since.is_some_and(|since| since <= ended.until)
        })
    };
    StoredBreach::from(before).next(status, snapshot.breach_memory(), now, goes_on)
}

/// What the stored status of a PodClique says of its group replica.
pub fn stored_part(snapshot: &Snapshot, member: &Member<'_>) -> Option<GroupPart> {
    let podclique = snapshot
        .podcliques
        .get(&member.name)
        .filter(|c| snapshot.is_current(c))?;
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

/// The attempts, with `recovered` set of those whose PodCliques were all available or whose replica
/// is scaled in.
pub fn with_recovered(snapshot: &Snapshot) -> Vec<ReplicaAttempt> {
    let group = &snapshot.group;
    fence::with_recovered(snapshot.replica_attempts(), |j| {
        let members = layout::members_of_group_replica(group, j).cliques;
        let parts = members.iter().map(|member| stored_part(snapshot, member));
        j >= group.spec.replicas || availability::is_back(&parts.collect::<Vec<_>>())
    })
}
