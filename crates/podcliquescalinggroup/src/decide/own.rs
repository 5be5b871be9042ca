//! The PodCliques that the group controls, and how one of them is deleted.

use std::sync::Arc;

use api::PodClique;
use domain::object::ownership;
use domain::plan::{Action, Purpose};

use crate::observe::Snapshot;

/// PodCliques that the group controls and that are not terminating. Those without a controller are
/// adopted first.
pub(super) fn staying_podcliques(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<PodClique>> {
    owned_podcliques(snapshot).filter(|c| !ownership::is_terminating(&c.metadata))
}

pub(super) fn owned_podcliques(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<PodClique>> {
    let all = snapshot.podcliques.values();
    all.filter(|c| snapshot.is_own(c))
}

pub(super) fn delete_podclique(podclique: &PodClique, purpose: Purpose) -> Action {
    Action::delete::<PodClique>(&podclique.metadata, purpose)
}
