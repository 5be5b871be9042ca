//! One headless Service per replica, and none for replicas that are scaled in.

use std::collections::HashMap;
use std::sync::Arc;

use api::names;
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::workload::layout::Layout;
use k8s_openapi::api::core::v1::Service;

use super::completed;
use crate::desired::service;
use crate::observe::{Snapshot, is_owned};

/// Deletes the Services of replicas that are scaled in.
pub(super) fn plan_deletions(snapshot: &Snapshot) -> Vec<Action> {
    let is_wanted = |name: &str| {
        let replica = names::replica_of_headless_service(snapshot.name(), name);
        replica.is_some_and(|i| i < snapshot.replicas())
    };
    let surplus = snapshot.children.services.iter().filter(|s| {
        !is_wanted(ownership::name(&s.metadata))
            && is_owned(&s.metadata)
            && !ownership::is_terminating(&s.metadata)
    });
    let delete = |s: &Arc<Service>| Action::delete::<Service>(&s.metadata, Purpose::ScaleInReplica);
    surplus.map(delete).collect()
}

/// Creates missing Services and corrects the others.
pub(super) fn plan_services(snapshot: &Snapshot, layout: &Layout<'_>) -> Vec<Action> {
    let set = &snapshot.validated.set;
    let services = snapshot.children.services.iter();
    let existing: HashMap<_, _> = services.map(|s| (&s.metadata.name, s)).collect();
    let replicas = layout.replicas.iter();
    let desired = replicas.map(|replica| service::headless(set, replica.index));
    first_portion(desired.filter_map(|desired| {
        let found = existing.get(&desired.metadata.name).copied();
        if found.is_some_and(|found| service::is_right(found, &desired)) {
            return None;
        }
        completed::keep_object(found, desired)
    }))
}
