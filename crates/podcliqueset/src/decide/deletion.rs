//! A set on its way out deletes its children itself, by uid, and goes when they are gone: the
//! garbage collector would take a minute for a thousand pods (design, protocol rule 7).

use std::sync::Arc;

use api::{PodClique, PodCliqueSetStatus, labels};
use domain::ownership;
use domain::plan::{Action, Kind, Plan};
use kube::Resource;

use crate::observe::{Snapshot, is_owned};

const WHY: &str = "PodCliqueSet is deleted";

pub(super) fn plan(snapshot: &Snapshot) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        return Plan::default();
    }
    if are_children_gone(snapshot) || ownership::has_finalizer(meta, labels::ORPHAN_FINALIZER) {
        return Plan::only(Action::remove_finalizer(
            Kind::PodCliqueSet,
            meta,
            labels::PCS_FINALIZER,
        ));
    }
    let mut plan = Plan::default();
    let mut actions = delete(Kind::PodCliqueScalingGroup, &snapshot.groups);
    actions.extend(delete(Kind::PodClique, &podcliques(snapshot)));
    actions.extend(delete(Kind::PodGang, &snapshot.gangs));
    actions.extend(delete(Kind::Service, &snapshot.services));
    plan.wave(actions);
    plan
}

fn are_children_gone(snapshot: &Snapshot) -> bool {
    owned(&snapshot.groups).next().is_none()
        && owned(&podcliques(snapshot)).next().is_none()
        && owned(&snapshot.gangs).next().is_none()
        && owned(&snapshot.services).next().is_none()
}

fn podcliques(snapshot: &Snapshot) -> Vec<Arc<PodClique>> {
    let mut all: Vec<_> = snapshot
        .podcliques
        .values()
        .map(|c| c.podclique.clone())
        .collect();
    all.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    all
}

/// What nobody controls is not ours to delete.
fn owned<K: Resource>(objects: &[Arc<K>]) -> impl Iterator<Item = &Arc<K>> {
    objects.iter().filter(|o| is_owned(o.meta()))
}

fn delete<K: Resource>(kind: Kind, objects: &[Arc<K>]) -> Vec<Action> {
    let staying = owned(objects).filter(|o| !ownership::is_terminating(o.meta()));
    staying
        .map(|o| Action::delete(kind, o.meta(), WHY))
        .collect()
}
