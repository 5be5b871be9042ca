//! The rules (docs/semantics.md §8.10).

use api::topology::ClusterTopologyBindingStatus;
use domain::object::ownership;
use domain::plan::Plan;
use jiff::Timestamp;

use crate::observe::Snapshot;
use crate::{flip_event, own_topology, status};

/// Decides the writes that keep the binding's own Topology right, and the status.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<ClusterTopologyBindingStatus> {
    if ownership::is_terminating(&snapshot.binding.metadata) {
        // Its Topology goes with it: a new one would have an owner that is gone.
        return Plan::default();
    }
    let mut plan = Plan {
        status: Some(status::next_status(snapshot, now)),
        events: flip_event::find_flip(snapshot, now).into_iter().collect(),
        ..Plan::default()
    };
    plan.wave(own_topology::plan(snapshot).into_iter().collect());
    plan
}
