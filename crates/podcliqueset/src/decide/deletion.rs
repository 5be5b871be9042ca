//! A terminating set deletes its children itself and removes its finalizer when they are gone: the
//! garbage collector would take a minute for a thousand pods (docs/semantics.md §7.3).
//!
//! With `--cascade=orphan` the garbage collector removes the owner references of the children that it
//! knows and then the `orphan` finalizer, so the absence of that finalizer proves nothing
//! (decisions 35, 126). So:
//!
//! - The user's choice is stored before any other action, and then the children that the set
//!   controls are released.
//! - Only objects that the set itself controls are deleted. PodCliques of a scaling group are
//!   deleted by the group once it is terminating: its own reference may be removed while theirs
//!   stay.
//! - An object is deleted only in the version that was observed: a cache that lags still shows
//!   references that were removed.

use std::sync::Arc;

use api::{PodClique, PodCliqueSet, PodCliqueSetStatus, PodGang, labels};
use domain::Claim;
use domain::object::{orphaning, ownership};
use domain::plan::{Action, Plan, Purpose, WritableKind, first_portion};
use domain::scheduling::quota;
use jiff::Timestamp;
use kube::Resource;

use super::compute_domains;
use crate::observe::Snapshot;
use crate::status;

const PURPOSE: Purpose = Purpose::DeleteWithSet;

pub(super) fn plan_deletion(snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        return Plan::default();
    }
    if snapshot.view.is_ahead_of_watch {
        // A version in between may have requested that the children stay.
        return Plan::default();
    }
    if snapshot.view.is_orphaning {
        return plan_release(snapshot);
    }
    if are_children_gone(snapshot) {
        return let_go(snapshot);
    }
    let mut plan = Plan {
        status: status::of_leaving(snapshot, now),
        ..Plan::default()
    };
    let set = ownership::uid(meta);
    let mut actions = delete_all(set, &snapshot.children.groups);
    actions.extend(delete_all(set, &find_podcliques(snapshot)));
    actions.extend(delete_all(set, &find_leaving_gangs(snapshot)));
    actions.extend(delete_all(set, &snapshot.children.services));
    actions.extend(delete_all(set, &snapshot.children.autoscalers));
    if are_podcliques_gone(snapshot) {
        actions.extend(delete_all(set, &snapshot.children.claims));
        actions.extend(compute_domains::plan_end(snapshot));
    }
    plan.wave(actions);
    plan
}

/// A PodGang takes the request for its quota along. Its pods use the quota until they have ended, so it stays
/// until then.
fn find_leaving_gangs(snapshot: &Snapshot) -> Vec<Arc<PodGang>> {
    let is_unused = are_podcliques_gone(snapshot);
    let gangs = snapshot.children.gangs.iter();
    let leaving = gangs.filter(|gang| is_unused || quota::report(gang).is_none());
    leaving.cloned().collect()
}

/// Whether none of the set's PodCliques is left: their pods may name claims or ComputeDomains of the set,
/// and use quota. A PodClique that lost its owner reference stays with the user, and so does a claim until
/// its pods end.
fn are_podcliques_gone(snapshot: &Snapshot) -> bool {
    let set = ownership::uid(&snapshot.stored.metadata);
    let is_grouped = owned(set, &snapshot.children.groups).next().is_some();
    !is_grouped && owned(set, &find_podcliques(snapshot)).next().is_none()
}

/// Removes the finalizer, once no adoption by the set can land any more.
fn let_go(snapshot: &Snapshot) -> Plan<PodCliqueSetStatus> {
    let released = release_children(snapshot, false);
    if !released.is_empty() {
        let mut plan = Plan::default();
        plan.wave(released);
        return plan;
    }
    Plan::only(Action::remove_finalizer::<PodCliqueSet>(
        &snapshot.stored.metadata,
        labels::PCS_FINALIZER,
    ))
}

/// Releases the children. The garbage collector removes the references that it knows, while its
/// finalizer exists; only this operator releases children that appeared later.
fn plan_release(snapshot: &Snapshot) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if !orphaning::is_stored(meta) {
        return Plan::only(orphaning::store::<PodCliqueSet>(meta));
    }
    if are_children_gone(snapshot) {
        return let_go(snapshot);
    }
    let is_collecting = ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER);
    let mut plan = Plan::default();
    plan.wave(release_children(snapshot, is_collecting));
    plan
}

fn release_children(snapshot: &Snapshot, is_collecting: bool) -> Vec<Action> {
    let release = Release {
        set: ownership::uid(&snapshot.stored.metadata),
        is_collecting,
    };
    let podcliques = find_podcliques(snapshot);
    let claims = find_staying_claims(snapshot);
    let domains = compute_domains::find_staying(snapshot);
    let domains: Vec<Action> = release.by_patch(&domains).collect();
    // The release is a write of its own, of the observed version.
    let are_released = domains.is_empty();
    let finalizers = compute_domains::plan_leaving(snapshot).filter(|_| are_released);
    let groups = release.by_put(&snapshot.children.groups);
    let actions = groups
        .chain(release.by_put(&podcliques))
        .chain(release.by_put(&snapshot.children.gangs))
        .chain(release.by_patch(&snapshot.children.services))
        .chain(release.by_patch(&snapshot.children.autoscalers))
        .chain(domains)
        .chain(finalizers)
        .chain(release.by_patch(&claims));
    first_portion(actions)
}

/// How children are released.
struct Release<'a> {
    set: &'a str,
    /// Whether the garbage collector removes references now.
    is_collecting: bool,
}

impl<'a> Release<'a> {
    fn by_put<K: WritableKind + Clone>(
        &self,
        children: &'a [Arc<K>],
    ) -> impl Iterator<Item = Action> + use<'a, K> {
        let set = self.set;
        self.due(children)
            .map(move |child| orphaning::release(&**child, set))
    }

    fn by_patch<K: Resource<DynamicType = ()>>(
        &self,
        children: &'a [Arc<K>],
    ) -> impl Iterator<Item = Action> + use<'a, K> {
        let set = self.set;
        self.due(children)
            .map(move |child| orphaning::release_by_patch::<K>(child.meta(), set))
    }

    fn due<K: Resource>(
        &self,
        children: &'a [Arc<K>],
    ) -> impl Iterator<Item = &'a Arc<K>> + use<'a, K> {
        let (set, is_collecting) = (self.set, self.is_collecting);
        children.iter().filter(move |child| {
            let is_cut_soon = is_collecting && ownership::is_controlled_by(child.meta(), set);
            !is_cut_soon && orphaning::is_to_be_released(child.meta(), set)
        })
    }
}

fn are_children_gone(snapshot: &Snapshot) -> bool {
    let set = ownership::uid(&snapshot.stored.metadata);
    owned(set, &snapshot.children.groups).next().is_none()
        && owned(set, &find_podcliques(snapshot)).next().is_none()
        && owned(set, &snapshot.children.gangs).next().is_none()
        && owned(set, &snapshot.children.services).next().is_none()
        && owned(set, &snapshot.children.autoscalers).next().is_none()
        && owned(set, &snapshot.children.claims).all(|claim| claim.is_terminating())
        && compute_domains::are_gone(snapshot)
}

/// A claim that is being deleted stays as long as pods hold it, and nothing waits for it.
fn find_staying_claims(snapshot: &Snapshot) -> Vec<Arc<Claim>> {
    let claims = snapshot.children.claims.iter();
    let staying = claims.filter(|claim| !claim.is_terminating());
    staying.cloned().collect()
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

/// The objects that the set controls; objects without a controller are not deleted.
fn owned<'a, K: Resource>(set: &'a str, objects: &'a [Arc<K>]) -> impl Iterator<Item = &'a Arc<K>> {
    let is_own = move |o: &&Arc<K>| ownership::is_controlled_by(o.meta(), set);
    objects.iter().filter(is_own)
}

fn delete_all<K: Resource<DynamicType = ()>>(set: &str, objects: &[Arc<K>]) -> Vec<Action> {
    owned(set, objects)
        .filter(|o| !ownership::is_terminating(o.meta()))
        .map(|o| Action::delete_as_seen::<K>(o.meta(), PURPOSE))
        .collect()
}
