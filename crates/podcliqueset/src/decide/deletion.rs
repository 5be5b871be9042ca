//! A terminating set deletes its children itself and removes its finalizer when they are gone: the
//! garbage collector would take a minute for a thousand pods (docs/semantics.md §7.3).
//!
//! With `--cascade=orphan` the garbage collector removes the owner references of the children one
//! by one and then the `orphan` finalizer, so the absence of that finalizer proves nothing
//! (decision 35). So:
//!
//! - Only what the set itself controls is deleted. PodCliques of a scaling group are deleted by the
//!   group once it is terminating: its own reference may be removed while theirs stay.
//! - An object is deleted only in the version that was observed: a cache that lags still shows
//!   references that were removed.

use std::sync::Arc;

use api::{PodClique, PodCliqueSet, PodCliqueSetStatus, labels};
use domain::object::ownership;
use domain::plan::{Action, Plan, Purpose};
use jiff::Timestamp;
use kube::Resource;

use crate::observe::Snapshot;
use crate::status;

const PURPOSE: Purpose = Purpose::DeleteWithSet;

pub(super) fn plan_deletion(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        return Plan::default();
    }
    if are_children_gone(snapshot) || ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        return Plan::only(Action::remove_finalizer::<PodCliqueSet>(
            meta,
            labels::PCS_FINALIZER,
        ));
    }
    let mut plan = Plan {
        status: status::of_leaving(snapshot, now),
        ..Plan::default()
    };
    let set = ownership::uid(meta);
    let mut actions = delete_all(set, &snapshot.groups);
    actions.extend(delete_all(set, &find_podcliques(snapshot)));
    actions.extend(delete_all(set, &snapshot.gangs));
    actions.extend(delete_all(set, &snapshot.services));
    actions.extend(delete_all(set, &snapshot.autoscalers));
    plan.wave(actions);
    plan
}

fn are_children_gone(snapshot: &Snapshot) -> bool {
    let set = ownership::uid(&snapshot.stored.metadata);
    owned(set, &snapshot.groups).next().is_none()
        && owned(set, &find_podcliques(snapshot)).next().is_none()
        && owned(set, &snapshot.gangs).next().is_none()
        && owned(set, &snapshot.services).next().is_none()
        && owned(set, &snapshot.autoscalers).next().is_none()
}

fn find_podcliques(snapshot: &Snapshot) -> Vec<Arc<PodClique>> {
    let mut all: Vec<_> = snapshot
        .podcliques
        .values()
        .map(|c| c.podclique.clone())
        .collect();
    all.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    all
}

/// What the set controls; objects without a controller are not deleted.
fn owned<'a, K: Resource>(set: &'a str, objects: &'a [Arc<K>]) -> impl Iterator<Item = &'a Arc<K>> {
    let is_own = move |o: &&Arc<K>| ownership::is_controlled_by(o.meta(), set);
    objects.iter().filter(is_own)
}

fn delete_all<K: Resource<DynamicType = ()>>(set: &str, objects: &[Arc<K>]) -> Vec<Action> {
    let staying = owned(set, objects).filter(|o| !ownership::is_terminating(o.meta()));
    staying
        .map(|o| Action::delete_as_seen::<K>(o.meta(), PURPOSE))
        .collect()
}
