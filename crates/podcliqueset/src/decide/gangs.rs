//! PodGangs: when a gang starts, and which pods it lists (docs/semantics.md §8.2).
//!
//! A gang is *starting* while it lists no pod that exists; nothing is stored for that. It gets all
//! its pods at once, so no scheduler ever sees half a gang. Once started, its list follows the
//! pods that exist.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use api::podgang::{NamespacedName, PodGroup};
use api::{PodGang, codes};
use domain::Pod;
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::workload::gang::{self, ExpectedGang};

use crate::ScaledGangsWaitFor;
use crate::desired;
use crate::observe::{ObservedClique, Snapshot, is_owned};

/// The gangs that have to exist.
type ByName<'a> = HashMap<&'a str, &'a ExpectedGang>;

/// While the set may not be acted on, the gangs that run still follow their pods: a typo in the
/// manifest must not leave a replaced pod behind its gate.
pub(super) fn plan_started_gangs(snapshot: &Snapshot) -> Vec<Action> {
    first_portion(snapshot.gangs.iter().filter_map(|existing| {
        let names = existing.spec.pod_groups.iter().map(|g| g.name.clone());
        let name = ownership::name(&existing.metadata).to_owned();
        let gang = ExpectedGang {
            name,
            parts: names.collect(),
            base: None,
        };
        let is_going = ownership::is_terminating(&existing.metadata);
        if is_going || is_starting(snapshot, &gang, Some(existing)) {
            return None;
        }
        let mut next = (**existing).clone();
        let groups = gang
            .parts
            .iter()
            .map(|name| pod_group(snapshot, name, Some(existing)));
        next.spec.pod_groups = groups.collect();
        desired::gang::open_gates(&mut next.metadata);
        (next != **existing).then(|| Action::replace(next))
    }))
}

/// Deletes the gangs of group replicas that are scaled in.
pub(super) fn plan_deletions(snapshot: &Snapshot, expected: &[ExpectedGang]) -> Vec<Action> {
    let expected: HashSet<&str> = expected.iter().map(|gang| &*gang.name).collect();
    let surplus = snapshot.gangs.iter().filter(|g| {
        let is_wanted = expected.contains(ownership::name(&g.metadata));
        !is_wanted && is_owned(&g.metadata) && !ownership::is_terminating(&g.metadata)
    });
    let delete = |g: &Arc<PodGang>| Action::delete::<PodGang>(&g.metadata, Purpose::ScaleInGang);
    surplus.map(delete).collect()
}

/// Starts the gangs that may start, and lets the others follow their pods.
pub(super) fn plan_gangs(snapshot: &Snapshot, expected: &[ExpectedGang]) -> Vec<Action> {
    let by_name: ByName<'_> = expected.iter().map(|gang| (&*gang.name, gang)).collect();
    let gangs = snapshot.gangs.iter();
    let existing: HashMap<&str, &Arc<PodGang>> =
        gangs.map(|g| (ownership::name(&g.metadata), g)).collect();
    first_portion(expected.iter().filter_map(|gang| {
        let existing = existing.get(gang.name.as_str()).copied();
        keep_gang(snapshot, &by_name, gang, existing)
    }))
}

fn keep_gang(
    snapshot: &Snapshot,
    all: &ByName<'_>,
    gang: &ExpectedGang,
    existing: Option<&Arc<PodGang>>,
) -> Option<Action> {
    if existing.is_some_and(|g| ownership::is_terminating(&g.metadata)) {
        return None;
    }
    let needed = gang.parts.iter().filter(|p| !snapshot.is_done_and_gone(p));
    let parts: Option<Vec<&ObservedClique>> = needed.map(|p| snapshot.podclique(p)).collect();
    if is_starting(snapshot, gang, existing) && !may_start(snapshot, all, gang, parts.as_deref()) {
        return None;
    }
    let groups = gang
        .parts
        .iter()
        .map(|name| pod_group(snapshot, name, existing))
        .collect();
    let desired = desired::gang::build(&snapshot.validated.set, &gang.name, groups);
    match existing {
        None => Some(Action::create(desired)),
        Some(found) => desired::gang::corrected(found, &desired).map(Action::replace),
    }
}

/// Whether the gang lists no existing pod of its current PodCliques. If another implementation
/// wrote the list, only pods without our gate count (decision 26).
fn is_starting(snapshot: &Snapshot, gang: &ExpectedGang, existing: Option<&Arc<PodGang>>) -> bool {
    let Some(existing) = existing else {
        return true;
    };
    let opens_gates = gang::opens_gates(existing);
    let parts = gang.parts.iter().filter_map(|p| snapshot.podclique(p));
    let pods = parts.flat_map(ObservedClique::staying);
    let counting = pods.filter(|p| opens_gates || p.gate_position().is_none());
    let there: HashSet<&str> = counting.map(|p| p.name()).collect();
    !existing
        .spec
        .pod_groups
        .iter()
        .flat_map(|g| &g.pod_references)
        .any(|r| there.contains(r.name.as_str()))
}

/// A gang starts when every part has all its pods, or at least its minimum where the API server
/// refuses the rest. A part that has succeeded needs no pods, also if it was deleted. A scaled gang
/// also waits for the base gang.
fn may_start(
    snapshot: &Snapshot,
    all: &ByName<'_>,
    gang: &ExpectedGang,
    parts: Option<&[&ObservedClique]>,
) -> bool {
    let are_complete = parts.is_some_and(|parts| parts.iter().all(|p| is_complete(p)));
    let base = gang.base.as_ref().and_then(|base| all.get(base.as_str()));
    are_complete && base.is_none_or(|base| is_base_up(snapshot, base))
}

fn is_complete(part: &ObservedClique) -> bool {
    let pods = part.count_or_done(|_| true);
    let status = part.podclique.status.as_ref();
    let is_refused =
        status.is_some_and(|s| s.last_errors.iter().any(|e| e.code == codes::CREATE_POD));
    pods >= part.podclique.spec.replicas || (is_refused && pods >= part.minimum())
}

fn is_base_up(snapshot: &Snapshot, base: &ExpectedGang) -> bool {
    let claim = match snapshot.scaled_gangs_wait_for {
        ScaledGangsWaitFor::BaseReady => Pod::is_ready,
        ScaledGangsWaitFor::BaseScheduled => Pod::is_scheduled,
    };
    base.parts
        .iter()
        .all(|name| match snapshot.podclique(name) {
            Some(part) => part.count_or_done(claim) >= part.minimum(),
            None => snapshot.is_done_and_gone(name),
        })
}

/// The part with its pods by index, so that the first `minReplicas` are the guaranteed ones
/// (docs/semantics.md §8.2). A PodClique that is being recreated keeps its place, without pods.
fn pod_group(snapshot: &Snapshot, name: &str, existing: Option<&Arc<PodGang>>) -> PodGroup {
    let namespace = snapshot
        .stored
        .metadata
        .namespace
        .clone()
        .unwrap_or_default();
    let before = existing.and_then(|g| g.spec.pod_groups.iter().find(|p| p.name == name));
    let part = snapshot.podclique(name);
    let pods = part.into_iter().flat_map(ObservedClique::staying);
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
            .or(before.map(|b| b.min_replicas))
            .unwrap_or_default(),
        topology_constraint: before.and_then(|b| b.topology_constraint.clone()),
    }
}
