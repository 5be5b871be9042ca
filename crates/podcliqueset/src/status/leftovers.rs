//! Condition `LeftoverPods`: pods of earlier attempts that a user left behind with
//! `--cascade=orphan`. They run on under the host names of their successors, hold their resources,
//! and the operator does not end them.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{PodCliqueSetStatus, labels};
use domain::Pod;
use domain::health::training;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::roster::Roster;
use jiff::Timestamp;

use crate::observe::Snapshot;

/// At most this many of them are named.
const MAX_NAMES: usize = 20;

/// Sets or removes the condition.
pub(super) fn set_leftovers(
    next: &mut PodCliqueSetStatus,
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    now: Timestamp,
) {
    let type_ = ConditionType::LeftoverPods;
    let left: Vec<&Pod> = snapshot
        .strays
        .pods
        .iter()
        .map(AsRef::as_ref)
        .filter(|pod| is_leftover(snapshot, roster, pod))
        .collect();
    let verdict = (!left.is_empty()).then(|| ConditionUpdate {
        type_,
        status: Status::True,
        reason: Reason::PodsLeftBehind,
        message: describe(snapshot, &left),
    });
    let generation = snapshot.stored.metadata.generation;
    conditions::set_or_remove(&mut next.conditions, type_, verdict, generation, now);
}

/// Whether the pod may run and no PodClique adopts it: its PodClique is of another attempt, or its
/// job is over and creates none.
fn is_leftover(snapshot: &Snapshot, roster: &Roster<'_>, pod: &Pod) -> bool {
    let podclique = ownership::label(&pod.metadata, labels::POD_CLIQUE);
    let Some(name) = podclique.filter(|_| pod.index().is_some() && !pod.has_run_out()) else {
        return false;
    };
    let is_over = training::is_over(snapshot.stored.status.as_ref());
    let found = roster.slot_named(name).occupant();
    found.map_or(is_over, |c| c.attempt() != Attempt::of(&pod.metadata))
}

fn describe(snapshot: &Snapshot, left: &[&Pod]) -> String {
    let names: Vec<&str> = left.iter().take(MAX_NAMES).map(|p| p.name()).collect();
    let namespace = snapshot.stored.metadata.namespace.as_deref();
    format!(
        "{} pods of earlier attempts still run beside their successors, without a controller; \
         delete them: `kubectl -n {} delete pod {}`",
        left.len(),
        namespace.unwrap_or_default(),
        names.join(" ")
    )
}
