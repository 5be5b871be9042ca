//! PodGangs: when a gang starts, and which pods it lists (docs/semantics.md §8.2).
//!
//! A gang is *starting* while it lists no pod that exists; nothing is stored for that. It gets all
//! its pods at once, so no scheduler ever sees half a gang. Once started, its list follows the
//! pods that exist, and parts that join are added together.

mod free_pods;
mod members;
mod pins;
mod places;
mod quota;
mod scopes;
mod topology;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use api::podgang::{NamespacedName, PodGroup};
use api::{PodGang, names};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::roster::{ObservedClique, Roster};
use domain::scheduling::Backend;
use domain::topology::pack_of;
use domain::workload::gang::ExpectedGang;

use self::members::{Entry, Members};
use self::places::Places;
use self::quota::Quota;
use self::topology::Constraints;
use crate::ScaledGangsWaitFor;
use crate::desired;
use crate::observe::{Snapshot, is_owned};

/// The gangs that have to exist.
type ByName<'a> = HashMap<&'a str, &'a ExpectedGang>;

/// While the set may not be acted on, running gangs still follow their pods: a typo in the manifest
/// must not leave a replaced pod behind its gate. The lists of a suspended set stay as they are.
pub(super) fn plan_started_gangs(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    if snapshot.is_suspended() {
        return Vec::new();
    }
    let places = Places::of(snapshot, roster);
    first_portion(snapshot.children.gangs.iter().filter_map(|existing| {
        let gang = gang_as_stored(roster, existing);
        if ownership::is_terminating(&existing.metadata) || gang.parts.is_empty() {
            return None;
        }
        let waits_for_gates = snapshot.scheduler.backend.waits_for_gates();
        let members = Members::of(roster, &gang, Some(existing), waits_for_gates);
        let may_start = || {
            snapshot.scheduler.unsupported.is_none()
                && waits_for_no_gang(snapshot, roster, &gang.name)
        };
        let quota = Quota::of(snapshot, Some(existing), &members);
        let asks = members.are_started() || members.are_back() && may_start();
        if !asks && !snapshot.scheduler.is_queued {
            return None;
        }
        let mut next = (**existing).clone();
        quota::request(
            snapshot,
            roster,
            (&gang, Some(existing)),
            asks,
            &mut next.metadata,
        );
        if !asks || !quota.lets_list(roster, &members) {
            if domain::scheduling::quota::is_held(existing) {
                next.spec.pod_groups = groups_without_pods(snapshot, roster, &gang, Some(existing));
            }
            return (next != **existing).then(|| Action::replace(next));
        }
        next.spec.pod_groups = pod_groups(snapshot, roster, (&members, quota), Some(existing));
        let constraints = places
            .as_ref()
            .and_then(|places| Constraints::of(places, Some(existing), members.are_started()));
        if let Some(constraints) = constraints {
            constraints.complete(&mut next, Some(existing));
        }
        desired::gang::open_gates(&mut next.metadata);
        (next != **existing).then(|| Action::replace(next))
    }))
}

/// Whether the gang is a base gang, or may start beside the base gang of its replica, by the list
/// of that.
fn waits_for_no_gang(snapshot: &Snapshot, roster: &Roster<'_>, gang: &str) -> bool {
    let set = snapshot.name();
    if names::replica_of_base_gang(set, gang).is_some() {
        return true;
    }
    let Some(base) = names::base_of_scaled_gang(set, gang) else {
        return false;
    };
    let mut gangs = snapshot.children.gangs.iter();
    let found = gangs.find(|g| ownership::name(&g.metadata) == base);
    found.is_some_and(|found| may_follow(snapshot, roster, &gang_as_stored(roster, found)))
}

/// The gang with the required parts, by its present list.
fn gang_as_stored(roster: &Roster<'_>, existing: &PodGang) -> ExpectedGang {
    let names = existing.spec.pod_groups.iter().map(|g| &g.name);
    ExpectedGang {
        name: ownership::name(&existing.metadata).to_owned(),
        parts: names
            .filter(|n| !is_scaled_to_zero(roster, n))
            .cloned()
            .collect(),
        base: None,
    }
}

/// Deletes the gangs of group replicas that are scaled in.
pub(super) fn plan_deletions(snapshot: &Snapshot, expected: &[ExpectedGang]) -> Vec<Action> {
    let expected: HashSet<&str> = expected.iter().map(|gang| &*gang.name).collect();
    let surplus = snapshot.children.gangs.iter().filter(|g| {
        let is_wanted = expected.contains(ownership::name(&g.metadata));
        !is_wanted && is_owned(&g.metadata) && !ownership::is_terminating(&g.metadata)
    });
    let delete = |g: &Arc<PodGang>| Action::delete::<PodGang>(&g.metadata, Purpose::ScaleInGang);
    surplus.map(delete).collect()
}

/// Starts the gangs that may start, and makes the others follow their pods. Pods that are bound to
/// the wrong topology domain go first.
pub(super) fn plan_placed(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    expected: &[ExpectedGang],
) -> [Vec<Action>; 2] {
    let places = Places::of(snapshot, roster);
    let stranded = places.as_ref().map(free_pods::plan_freeing);
    let gangs = plan_gangs(snapshot, roster, places.as_ref(), expected);
    [stranded.unwrap_or_default(), gangs]
}

fn plan_gangs(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    places: Option<&Places<'_>>,
    expected: &[ExpectedGang],
) -> Vec<Action> {
    let by_name: ByName<'_> = expected.iter().map(|gang| (&*gang.name, gang)).collect();
    let gangs = snapshot.children.gangs.iter();
    let existing: HashMap<&str, &Arc<PodGang>> =
        gangs.map(|g| (ownership::name(&g.metadata), g)).collect();
    first_portion(expected.iter().filter_map(|gang| {
        let existing = existing.get(gang.name.as_str()).copied();
        keep_gang(snapshot, (roster, places), &by_name, gang, existing)
    }))
}

fn keep_gang(
    snapshot: &Snapshot,
    (roster, places): (&Roster<'_>, Option<&Places<'_>>),
    all: &ByName<'_>,
    gang: &ExpectedGang,
    existing: Option<&Arc<PodGang>>,
) -> Option<Action> {
    if existing.is_some_and(|g| ownership::is_terminating(&g.metadata)) {
        return None;
    }
    let waits_for_gates = snapshot.scheduler.backend.waits_for_gates();
    let found = existing.map(AsRef::as_ref);
    let members = Members::of(roster, gang, found, waits_for_gates);
    let base = gang.base.as_ref().and_then(|base| all.get(base.as_str()));
    let may_start = || {
        (members.are_back() || members.are_whole())
            && base.is_none_or(|base| may_follow(snapshot, roster, base))
    };
    let asks = members.are_started() || snapshot.scheduler.unsupported.is_none() && may_start();
    let quota = Quota::of(snapshot, found, &members);
    let lists_pods = asks && quota.lets_list(roster, &members);
    let groups = if lists_pods {
        pod_groups(snapshot, roster, (&members, quota), existing)
    } else if may_be_without_pods(snapshot, existing) {
        groups_without_pods(snapshot, roster, gang, existing)
    } else {
        return ask_for_more(snapshot, roster, gang, existing?, asks);
    };
    if groups.is_empty() {
        return None;
    }
    let mut desired = desired::gang::build(&snapshot.validated.set, &gang.name, groups);
    quota::request(snapshot, roster, (gang, found), asks, &mut desired.metadata);
    let constraints =
        places.and_then(|places| Constraints::of(places, found, members.are_started()));
    if let Some(constraints) = constraints {
        constraints.complete(&mut desired, found);
        if desired.spec.pod_groups.is_empty() {
            return None;
        }
    }
    if snapshot.scheduler.backend == Backend::KaiPodGrouper {
        desired::gang::never_let_stale(&mut desired.metadata);
    }
    match existing {
        None => Some(Action::create(desired)),
        Some(found) => desired::gang::corrected(found, &desired).map(Action::replace),
    }
}

/// A gang with quota below its minimum, as completed pods of an earlier attempt gave theirs back, asks for
/// the rest. Its list stays as it is.
fn ask_for_more(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    gang: &ExpectedGang,
    existing: &Arc<PodGang>,
    asks: bool,
) -> Option<Action> {
    if !snapshot.scheduler.is_queued {
        return None;
    }
    let mut next = (**existing).clone();
    let found = Some(&**existing);
    quota::request(snapshot, roster, (gang, found), asks, &mut next.metadata);
    (next != **existing).then(|| Action::replace(next))
}

/// Whether a scaled gang may start beside its base gang. Where all gangs of a replica, or all replicas
/// of a group, have to share a topology domain, the base gang chooses it, also with a scheduler that
/// orders gangs itself.
fn may_follow(snapshot: &Snapshot, roster: &Roster<'_>, base: &ExpectedGang) -> bool {
    let template = &snapshot.validated.set.spec.template;
    let groups = template.scaling_groups.iter();
    let shares_domain = groups
        .map(|group| &group.all_replicas_topology_constraint)
        .chain([&template.topology_constraint])
        .any(|constraint| pack_of(constraint.as_ref()).required.is_some());
    let is_in_order = snapshot.scheduler.orders_gangs || is_base_up(snapshot, roster, base);
    is_in_order && (!shares_domain || has_minimum(roster, base, Pod::is_scheduled))
}

fn is_scaled_to_zero(roster: &Roster<'_>, podclique: &str) -> bool {
    let found = roster.slot_named(podclique).standing();
    found.is_some_and(ObservedClique::is_scaled_to_zero)
}

/// A scaled gang starts once every part of the base gang has its minimum of pods up.
fn is_base_up(snapshot: &Snapshot, roster: &Roster<'_>, base: &ExpectedGang) -> bool {
    let claim = match snapshot.scheduler.wait_for {
        ScaledGangsWaitFor::BaseReady => Pod::is_ready,
        ScaledGangsWaitFor::BaseScheduled => Pod::is_scheduled,
    };
    has_minimum(roster, base, claim)
}

/// Whether each part of the gang has its minimum of pods that fulfil the claim.
fn has_minimum(roster: &Roster<'_>, gang: &ExpectedGang, claim: fn(&Pod) -> bool) -> bool {
    gang.parts
        .iter()
        .all(|name| match roster.slot_named(name).standing() {
            Some(part) => part.count_or_done(claim) >= part.minimum(),
            None => roster.is_done_and_gone(name),
        })
}

fn pod_groups(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    (members, quota): (&Members<'_>, Quota<'_>),
    existing: Option<&Arc<PodGang>>,
) -> Vec<PodGroup> {
    let is_listed = |name: &str| {
        let mut groups = existing.iter().flat_map(|g| &g.spec.pod_groups);
        groups.any(|group| group.name == name)
    };
    let entries = members.entries();
    let holds_joining = quota.holds_joining(roster, &entries, is_listed);
    entries
        .into_iter()
        .filter(|(name, entry)| *entry != Entry::Absent && (!holds_joining || is_listed(name)))
        .map(|(name, entry)| {
            let group = pod_group(snapshot, roster, name, entry, existing);
            if matches!(quota, Quota::Unlimited) {
                return group;
            }
            let before = existing.and_then(|g| g.spec.pod_groups.iter().find(|p| p.name == name));
            quota.limit(group, roster.slot_named(name).standing(), before)
        })
        .collect()
}

/// Never clear a non-empty list, even if its pods are gone: it distinguishes returning parts from
/// new ones.
fn may_be_without_pods(snapshot: &Snapshot, existing: Option<&Arc<PodGang>>) -> bool {
    let mut parts = existing.into_iter().flat_map(|g| &g.spec.pod_groups);
    let scheduler = &snapshot.scheduler;
    if scheduler.is_queued && existing.is_none_or(|gang| domain::scheduling::quota::is_held(gang)) {
        // A gang that has lost its quota starts like a new one.
        return true;
    }
    let is_asked_for =
        scheduler.reads_gangs_first || scheduler.is_queued || scheduler.unsupported.is_some();
    is_asked_for && parts.all(|part| part.pod_references.is_empty())
}

/// A gang may exist before it starts: to report that its scheduler cannot handle it, because the
/// scheduler looks for it as soon as pods exist, or because it waits for quota. These pods stay gated.
fn groups_without_pods(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    gang: &ExpectedGang,
    existing: Option<&Arc<PodGang>>,
) -> Vec<PodGroup> {
    let is_there = |name: &&String| {
        roster.slot_named(name).standing().is_some() || roster.is_done_and_gone(name)
    };
    gang.parts
        .iter()
        .filter(is_there)
        .map(|name| pod_group(snapshot, roster, name, Entry::WithoutPods, existing))
        .collect()
}

/// The part with its pods by index, so that the first `minReplicas` are the guaranteed ones
/// (docs/semantics.md §8.2).
fn pod_group(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    name: &str,
    entry: Entry,
    existing: Option<&Arc<PodGang>>,
) -> PodGroup {
    let namespace = snapshot
        .stored
        .metadata
        .namespace
        .clone()
        .unwrap_or_default();
    let before = existing.and_then(|g| g.spec.pod_groups.iter().find(|p| p.name == name));
    let part = roster.slot_named(name).standing();
    // No pod is created for a part that is done and gone: its minimum would never be met again.
    let kept = before.filter(|_| !roster.is_done_and_gone(name));
    let found = existing.map(AsRef::as_ref);
    let pods = part
        .filter(|_| entry == Entry::WithPods)
        .into_iter()
        .flat_map(ObservedClique::staying)
        .filter(|pod| !quota::is_of_earlier_round(found, pod));
    PodGroup {
        name: name.to_owned(),
        pod_references: pods
            .map(|p| NamespacedName {
                namespace: namespace.clone(),
                name: p.name().to_owned(),
            })
            .collect(),
        min_replicas: part
            .map(ObservedClique::minimum)
            .or(kept.map(|b| b.min_replicas))
            .unwrap_or_default(),
        topology_constraint: before.and_then(|b| b.topology_constraint.clone()),
        placements: before.map_or_else(Vec::new, |b| b.placements.clone()),
    }
}
