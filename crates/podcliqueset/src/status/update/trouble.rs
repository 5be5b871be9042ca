//! The trouble of the replica in turn, for the report of the set: why it goes on without surge.

use domain::Pod;
use domain::roster::{ObservedClique, Roster};
use domain::workload::layout::{Group, Replica};

/// The first clique or group that goes on without surge, and why.
pub(super) fn explain_surge(roster: &Roster<'_>, replica: &Replica<'_>) -> Option<String> {
    let of_cliques = replica.standalone.iter().filter_map(|slot| {
        let podclique = &roster.slot(slot).standing()?.podclique;
        let progress = podclique.status.as_ref()?.update_progress.as_ref()?;
        Some((slot.clique, progress.without_surge.as_ref()?))
    });
    let of_groups = replica.groups.iter().filter_map(|group| {
        let status = roster.group(&group.name)?.status.as_ref()?;
        let progress = status.update_progress.as_ref()?;
        Some((&*group.config.name, progress.without_surge.as_ref()?))
    });
    let (name, reason) = of_cliques.chain(of_groups).next()?;
    Some(format!("{name} goes on without surge: {reason}"))
}

/// The pods of the replica that stay, surge included.
pub(super) fn pods_of<'a>(
    roster: &'a Roster<'_>,
    replica: &'a Replica<'_>,
) -> impl Iterator<Item = &'a Pod> {
    let parts = parts_of(roster, replica);
    parts.flat_map(|(_, seen)| seen.staying().map(AsRef::as_ref))
}

/// The PodCliques of the replica that exist, surge included, each with the name of its clique.
pub(super) fn parts_of<'a>(
    roster: &'a Roster<'_>,
    replica: &'a Replica<'_>,
) -> impl Iterator<Item = (&'a str, &'a ObservedClique)> {
    replica
        .groups
        .iter()
        .flat_map(Group::all_replicas)
        .flat_map(|replica| &replica.cliques)
        .chain(&replica.standalone)
        .filter_map(|slot| Some((slot.clique, roster.slot(slot).standing()?)))
}
