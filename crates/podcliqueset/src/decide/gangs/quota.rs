//! Gangs of a set that names a queue of Kueue: only pods that have quota are listed, and the PodGang says
//! for how many pods it needs quota (docs/queues.md, decision 177).

use std::collections::HashSet;

use api::podgang::PodGroup;
use api::{PodGang, labels, names};
use domain::Pod;
use domain::health::training;
use domain::roster::{ObservedClique, Roster};
use domain::scheduling::quota::{self, PodCounts};
use domain::update;
use domain::workload::gang::ExpectedGang;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::members::{Entry, Members};
use crate::observe::Snapshot;

/// Whether a gang may list pods.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quota<'a> {
    /// The set names no queue, or the gang ran before it did.
    Unlimited,
    /// It waits for quota.
    Awaited,
    /// It lists the pods that have quota.
    Reserved(&'a PodGang),
}

impl<'a> Quota<'a> {
    /// Reads the PodGang. One that says nothing of quota yet may run already, but does not start.
    pub(super) fn of(
        snapshot: &Snapshot,
        existing: Option<&'a PodGang>,
        members: &Members<'_>,
    ) -> Self {
        if !snapshot.scheduler.is_queued {
            return Self::Unlimited;
        }
        match existing {
            Some(gang) if quota::is_reserved(gang) => Self::Reserved(gang),
            Some(gang) if !quota::is_held(gang) && members.are_started() => Self::Unlimited,
            _ => Self::Awaited,
        }
    }

    /// Whether pods may be listed: a gang that starts needs quota for the minimum of each part.
    pub(super) fn lets_list(self, roster: &Roster<'_>, members: &Members<'_>) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Awaited => false,
            Self::Reserved(_) if members.are_started() => true,
            Self::Reserved(gang) => {
                let entries = members.entries().into_iter();
                let mut starting = entries.filter(|(_, entry)| *entry == Entry::WithPods);
                starting.all(|(name, _)| has_minimum(roster, gang, name))
            }
        }
    }

    /// Whether parts that are to join wait outside the list, as one of them has no quota for its minimum:
    /// listed without pods it would be a part of the gang that is down, and Kueue evicts gangs that are
    /// (decision 184).
    pub(super) fn holds_joining(
        self,
        roster: &Roster<'_>,
        entries: &[(&str, Entry)],
        is_listed: impl Fn(&str) -> bool,
    ) -> bool {
        let Self::Reserved(gang) = self else {
            return false;
        };
        let mut joining = entries
            .iter()
            .filter(|(name, entry)| *entry == Entry::WithPods && !is_listed(name));
        joining.any(|(name, _)| !has_minimum(roster, gang, name))
    }

    /// Removes the pods without quota from the list of a part. Listed pods whose gate may be on its way
    /// come before others. A part of which nothing runs starts with its minimum.
    pub(super) fn limit(
        self,
        mut group: PodGroup,
        part: Option<&ObservedClique>,
        before: Option<&PodGroup>,
    ) -> PodGroup {
        let (Self::Reserved(gang), Some(part)) = (self, part) else {
            return group;
        };
        let used = quota::count_users(part.pods.iter().map(AsRef::as_ref));
        let granted = quota::granted(gang, &group.name);
        let mut room = granted.saturating_sub(used);
        let completed = i32::try_from(part.completed().len()).unwrap_or(i32::MAX);
        let minimum = group.min_replicas.saturating_sub(completed);
        if used == 0 && room < minimum {
            room = 0;
        }
        let listed: HashSet<&str> = before
            .into_iter()
            .flat_map(|group| &group.pod_references)
            .map(|pod| pod.name.as_str())
            .collect();
        let gated = part.staying().filter(|pod| pod.gate_position().is_some());
        let (first, then): (Vec<&str>, Vec<&str>) = gated
            .map(|pod| pod.name())
            .partition(|name| listed.contains(name));
        let room = usize::try_from(room).unwrap_or(0);
        let without: HashSet<&str> = first.into_iter().chain(then).skip(room).collect();
        group
            .pod_references
            .retain(|pod| !without.contains(pod.name.as_str()));
        group
    }
}

/// Whether the part has quota for its minimum of pods; completed ones need none.
fn has_minimum(roster: &Roster<'_>, gang: &PodGang, name: &str) -> bool {
    let Some(part) = roster.slot_named(name).standing() else {
        return true;
    };
    let completed = i32::try_from(part.completed().len()).unwrap_or(i32::MAX);
    quota::granted(gang, name) >= part.minimum().saturating_sub(completed)
}

/// How many of the wanted pods a PodClique has where it creates none without quota: at least its minimum, as a
/// gang without quota for that does not start.
pub(super) fn count_creatable(gang: &PodGang, part: &ObservedClique, wanted: i32) -> i32 {
    if !quota::is_reserved(gang) {
        return wanted;
    }
    let completed = i32::try_from(part.completed().len()).unwrap_or(i32::MAX);
    let granted = quota::granted(gang, part.name()).saturating_add(completed);
    wanted.min(granted.max(part.minimum()))
}

/// Whether the pod was created before its gang lost its quota.
pub(super) fn is_of_earlier_round(existing: Option<&PodGang>, pod: &Pod) -> bool {
    existing.is_some_and(|gang| quota::is_of_earlier_round(gang, pod) && !pod.has_run_out())
}

/// Writes the number of pods for which the gang needs quota: from the time on at which it may start,
/// whatever happens to its pods later.
pub(super) fn request(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    (gang, existing): (&ExpectedGang, Option<&PodGang>),
    asks: bool,
    metadata: &mut ObjectMeta,
) {
    if !snapshot.scheduler.is_queued {
        return;
    }
    let before = existing.and_then(|gang| quota::requested(&gang.metadata));
    if before.is_none() && !asks {
        return;
    }
    let before = before.unwrap_or_default();
    // A scaled gang without quota asks again when it may start beside its base gang.
    let waits_for_base = gang.base.is_some() && existing.is_some_and(quota::is_held);
    let counts = if waits_for_base && !asks {
        PodCounts::new()
    } else {
        count_needed(snapshot, roster, gang, &before, asks)
    };
    let annotations = metadata.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), quota::to_text(&counts));
}

/// Of parts that were not asked for before none, unless the gang may start or runs.
fn count_needed(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    gang: &ExpectedGang,
    before: &PodCounts,
    asks: bool,
) -> PodCounts {
    let counts = gang.parts.iter().filter_map(|name| {
        let known = before.get(name).copied();
        let part = roster.slot_named(name).standing();
        let count = match part.filter(|_| asks || known.is_some()) {
            Some(part) => count_wanted(snapshot, part),
            None => known?,
        };
        Some((name.clone(), count))
    });
    counts.collect()
}

/// As many as it is to have, surge included, without completed ones; none of a job that is over.
fn count_wanted(snapshot: &Snapshot, part: &ObservedClique) -> i32 {
    if training::is_over(snapshot.stored.status.as_ref()) {
        return 0;
    }
    let completed = i32::try_from(part.completed().len()).unwrap_or(i32::MAX);
    // Those that exist need quota beside the pod that they stand in for, which may be missing for a moment.
    let indexes = || part.staying().filter_map(|pod| pod.index());
    let surge = update::surge_of_clique(&part.podclique, None, indexes);
    let is_surge = |pod: &Pod| pod.index().is_some_and(|index| surge.contains(&index));
    let existing = part.count(|pod| is_surge(pod) && !pod.has_run_out());
    let coming = count_coming_surge(snapshot, part).unwrap_or(0);
    let replicas = part.podclique.spec.replicas.saturating_sub(completed);
    let wanted = replicas.saturating_add(coming.max(existing));
    wanted.max(part.count(|pod| !pod.has_run_out()))
}

/// The surge pods of a standalone clique in turn, where the scheduler waits for gates: there none is created
/// before it has quota (decision 186).
fn count_coming_surge(snapshot: &Snapshot, part: &ObservedClique) -> Option<i32> {
    if !snapshot.scheduler.backend.waits_for_gates() {
        return None;
    }
    let (set, podclique) = (&snapshot.stored, &part.podclique);
    let (replica, clique) = names::parts_of_standalone_clique(snapshot.name(), part.name())?;
    let turn = update::turn(set).filter(|turn| turn.replica_index == replica)?;
    let record = podclique.status.as_ref()?.update_progress.as_ref()?;
    let goes_without = turn.without_surge.is_some() || record.without_surge.is_some();
    let is_held = update::is_held(set, &snapshot.validated.generation_hash());
    let is_old = |pod: &Pod| update::is_outdated(&pod.metadata, &podclique.metadata);
    if goes_without || is_held || part.count(is_old) == 0 {
        return None;
    }
    let acted_on = &snapshot.validated.set;
    let mut cliques = acted_on.spec.template.cliques.iter();
    let template = cliques.find(|template| template.name == clique)?;
    let given = template.rolling_update.as_ref();
    let spec = &podclique.spec;
    let minimum = spec.min_available.unwrap_or(spec.replicas);
    let rolling = update::rolling_in_force(acted_on, given, minimum);
    let surge = update::surge_of_clique(podclique, rolling.as_deref(), Vec::new);
    i32::try_from(surge.len()).ok()
}
