//! Quota for which an update waits.

use std::collections::HashSet;

use api::podclique::WaitingPod;
use api::{PodGang, labels, names};
use domain::object::ownership;
use domain::roster::Roster;
use domain::scheduling::quota;
use domain::workload::layout::Replica;

use super::trouble;
use crate::observe::Snapshot;
use crate::rollout::NamedComponent;

/// The gangs of the replica, if the set names a queue.
pub(super) fn find_gangs<'a>(
    snapshot: &'a Snapshot,
    roster: &Roster<'_>,
    replica: &Replica<'_>,
) -> Vec<&'a PodGang> {
    if !snapshot.scheduler.is_queued {
        return Vec::new();
    }
    let names: HashSet<&str> = trouble::parts_of(roster, replica)
        .filter_map(|(_, seen)| ownership::label(&seen.podclique.metadata, labels::POD_GANG))
        .collect();
    let gangs = snapshot.children.gangs.iter().map(AsRef::as_ref);
    gangs
        .filter(|gang: &&PodGang| names.contains(ownership::name(&gang.metadata)))
        .collect()
}

/// Whether the replica waits for quota, which is no standstill (decision 170). If surge has none, and no unit
/// may be missing instead, nothing goes on: only a base gang without quota waits then (decision 186).
pub(super) fn is_waiting(
    snapshot: &Snapshot,
    gangs: &[&PodGang],
    components: &[NamedComponent],
) -> bool {
    let lacks_surge = components.iter().any(|c| c.numbers.waits_for_surge());
    let is_base = |gang: &PodGang| {
        let name = ownership::name(&gang.metadata);
        names::replica_of_base_gang(snapshot.name(), name).is_some()
    };
    gangs.iter().copied().any(|gang| {
        if lacks_surge {
            is_base(gang) && quota::is_held(gang)
        } else {
            quota::lacks_quota(gang)
        }
    })
}

/// Why surge has no quota, in the words of its gang: of that which waits itself, or of that of the pod that
/// waits.
pub(super) fn explain_surge(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    replica: &Replica<'_>,
    waiting: &WaitingPod,
) -> Option<String> {
    let gangs = find_gangs(snapshot, roster, replica);
    let mut all = gangs.iter();
    if let Some(gang) = all.find(|gang| ownership::uid(&gang.metadata) == waiting.uid) {
        let mut groups = gang.spec.pod_groups.iter();
        return groups.find_map(|group| quota::explain_shortage(gang, &group.name));
    }
    let mut pods = trouble::pods_of(roster, replica);
    let pod = pods.find(|pod| pod.uid() == waiting.uid && pod.is_gated())?;
    let name = ownership::label(&pod.metadata, labels::POD_GANG)?;
    let mut all = gangs.iter();
    let gang = all.find(|gang| ownership::name(&gang.metadata) == name)?;
    let (_, words) = quota::explain_wait(gang)?;
    Some(words.to_owned())
}
