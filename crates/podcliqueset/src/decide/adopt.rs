//! A job that is over creates and corrects nothing any more, but it adopts: children without a
//! controller, left by a set that was deleted with `--cascade=orphan`, get this set as their owner.
//! Otherwise they would outlive it for ever.
//!
//! Before that, children are adopted when they are corrected.

use std::collections::HashSet;
use std::sync::Arc;

use api::names;
use domain::object::ownership;
use domain::plan::{Action, Target, WritableKind};
use domain::roster::{Roster, Slot};
use domain::workload::layout::Layout;
use k8s_openapi::api::core::v1::Service;
use serde_json::json;

use super::{claims, compute_domains};
use crate::observe::Snapshot;
use crate::scaled_to_zero::ScaledToZero;

/// Adopts the children that the set would have if it still created any.
pub(super) fn adopt_orphans(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    let layout = &roster.layout;
    let idle = ScaledToZero::of(snapshot, roster);
    let gangs = layout.gangs(|part| idle.contains(part)).into_iter();
    let gangs: HashSet<String> = gangs.map(|gang| gang.name).collect();
    let groups = layout.replicas.iter().flat_map(|r| &r.groups);
    let groups: HashSet<String> = groups.map(|g| g.name.clone()).collect();
    let mut actions = adopt_wanted(snapshot, &snapshot.children.groups, &groups);
    actions.extend(adopt_podcliques(snapshot, roster));
    actions.extend(adopt_wanted(snapshot, &snapshot.children.gangs, &gangs));
    actions.extend(adopt_services(snapshot, layout));
    actions.extend(claims::adopt_claims(snapshot));
    actions.extend(compute_domains::adopt_domains(snapshot));
    actions
}

/// Adopts the standalone ones; their groups adopt the others.
fn adopt_podcliques(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    let replicas = roster.layout.replicas.iter();
    let wanted: Vec<_> = replicas
        .flat_map(|r| &r.standalone)
        .filter_map(|part| match roster.slot(part) {
            Slot::Orphan(found) => Some(found.podclique.clone()),
            _ => None,
        })
        .collect();
    let names = wanted.iter().filter_map(|c| c.metadata.name.clone());
    adopt_wanted(snapshot, &wanted, &names.collect())
}

fn adopt_wanted<K: WritableKind + Clone>(
    snapshot: &Snapshot,
    found: &[Arc<K>],
    wanted: &HashSet<String>,
) -> Vec<Action> {
    let is_orphan = |o: &&Arc<K>| {
        ownership::is_adoptable(o.meta()) && wanted.contains(ownership::name(o.meta()))
    };
    let owner = ownership::controller_reference(&*snapshot.stored);
    found
        .iter()
        .filter(is_orphan)
        .map(|o| {
            let mut next = K::clone(o);
            let owners = next.meta_mut().owner_references.get_or_insert_default();
            owners.push(owner.clone());
            Action::replace(next)
        })
        .collect()
}

fn adopt_services(snapshot: &Snapshot, layout: &Layout<'_>) -> Vec<Action> {
    let wanted: HashSet<String> = layout
        .replicas
        .iter()
        .map(|r| names::headless_service(snapshot.name(), r.index))
        .collect();
    let is_orphan = |s: &&Arc<Service>| {
        ownership::is_adoptable(&s.metadata) && wanted.contains(ownership::name(&s.metadata))
    };
    snapshot
        .children
        .services
        .iter()
        .filter(is_orphan)
        .map(|s| adopt_service(snapshot, s))
        .collect()
}

/// The API server completes Services, so only the differences are sent. A merge patch replaces a
/// whole list: it names the version that the list comes from.
fn adopt_service(snapshot: &Snapshot, service: &Service) -> Action {
    let mut owners = service
        .metadata
        .owner_references
        .clone()
        .unwrap_or_default();
    owners.push(ownership::controller_reference(&*snapshot.stored));
    let version = &service.metadata.resource_version;
    Action::Merge {
        target: Target::of::<Service>(&service.metadata),
        patch: json!({"metadata": {"resourceVersion": version, "ownerReferences": owners}}),
    }
}
