//! The status of a binding: for each scheduler with topology objects whether its levels are the same.

mod drift;
mod scheduler;

use api::conditions::{self, ConditionType};
use api::topology::ClusterTopologyBindingStatus;
use jiff::Timestamp;

use crate::observe::Snapshot;

/// The status that follows from the observation.
pub(crate) fn next_status(snapshot: &Snapshot, now: Timestamp) -> ClusterTopologyBindingStatus {
    let binding = &snapshot.binding;
    let generation = binding.metadata.generation;
    let schedulers = scheduler::judge_all(snapshot);
    let verdict = drift::judge(snapshot, &schedulers);
    let mut next = ClusterTopologyBindingStatus {
        observed_generation: generation,
        scheduler_topology_statuses: schedulers,
        ..binding.status.clone().unwrap_or_default()
    };
    conditions::set_or_remove(
        &mut next.conditions,
        ConditionType::SchedulerTopologyDrift,
        verdict,
        generation,
        now,
    );
    next
}
