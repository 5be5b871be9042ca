//! A set on its way out deletes its children itself, by uid, and goes when they are gone: the
//! garbage collector would take a minute for a thousand pods (design, protocol rule 7).

use std::sync::Arc;

use api::{PodCliqueSetStatus, labels};
use domain::ownership;
use domain::plan::{Action, Kind, Plan};
use kube::Resource;

use crate::observe::Snapshot;

/// Finalizer that the API server sets when children are to be kept.
const ORPHAN: &str = "orphan";
const WHY: &str = "PodCliqueSet is deleted";

pub(super) fn plan(snapshot: &Snapshot) -> Plan<PodCliqueSetStatus> {
    let meta = &snapshot.stored.metadata;
    if !ownership::has_finalizer(meta, labels::PCS_FINALIZER) {
        return Plan::default();
    }
    if are_children_gone(snapshot) || ownership::has_finalizer(meta, ORPHAN) {
        return Plan::only(Action::remove_finalizer(
            Kind::PodCliqueSet,
            meta,
            labels::PCS_FINALIZER,
        ));
    }
    let mut plan = Plan::default();
    let mut actions = delete(Kind::PodCliqueScalingGroup, &snapshot.groups);
    let mut podcliques: Vec<_> = snapshot
        .podcliques
        .values()
        .map(|c| c.podclique.clone())
        .collect();
    podcliques.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    actions.extend(delete(Kind::PodClique, &podcliques));
    actions.extend(delete(Kind::PodGang, &snapshot.gangs));
    actions.extend(delete(Kind::Service, &snapshot.services));
    actions.extend(delete(Kind::RoleBinding, &snapshot.role_bindings));
    actions.extend(delete(Kind::Role, &snapshot.roles));
    actions.extend(delete(Kind::ServiceAccount, &snapshot.service_accounts));
    plan.wave(actions);
    plan
}

fn are_children_gone(snapshot: &Snapshot) -> bool {
    snapshot.groups.is_empty()
        && snapshot.podcliques.is_empty()
        && snapshot.gangs.is_empty()
        && snapshot.services.is_empty()
        && snapshot.service_accounts.is_empty()
        && snapshot.roles.is_empty()
        && snapshot.role_bindings.is_empty()
}

fn delete<K: Resource>(kind: Kind, objects: &[Arc<K>]) -> Vec<Action> {
    let staying = objects
        .iter()
        .filter(|o| !ownership::is_terminating(o.meta()));
    staying
        .map(|o| Action::delete(kind, o.meta(), WHY))
        .collect()
}
