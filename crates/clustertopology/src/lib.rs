//! ClusterTopologyBinding: the levels of the cluster's topology, and the topology objects in which
//! schedulers read them.
//!
//! ```text
//! observe: the binding, and the Topologies of KAI Scheduler that it is about
//! decide:  create, keep or recreate the Topology of its name; compare the others; then the status
//! ```
//!
//! The Topology that it creates goes with it: the binding controls it, so the garbage collector of
//! Kubernetes deletes it, and the binding needs no finalizer.

mod comparison;
pub mod decide;
mod flip_event;
pub mod observe;
mod own_topology;
mod status;
mod triggers;

use std::sync::Arc;

use api::ClusterTopologyBinding;
use api::topology::ClusterTopologyBindingStatus;
use domain::plan::Plan;
use domain::scheduling::Profiles;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The rules of a ClusterTopologyBinding.
#[derive(Clone, Debug, Default)]
pub struct ClusterTopologyReconciler {
    /// The backends of the schedulers, of which those of KAI read topology objects.
    pub profiles: Arc<Profiles>,
    /// Whether topology constraints have an effect. If not, nothing is written.
    pub is_topology_aware: bool,
}

impl Reconciler for ClusterTopologyReconciler {
    type Object = ClusterTopologyBinding;
    type Status = ClusterTopologyBindingStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = ControllerName("clustertopology");
    const HAS_READY: bool = false;

    fn triggers(on: &mut TriggersOf<'_>) {
        triggers::register(on);
    }

    /// Only people read it, and a Topology that is recreated has other states for a moment.
    fn pace(
        old: Option<&ClusterTopologyBindingStatus>,
        _new: &ClusterTopologyBindingStatus,
    ) -> Pace {
        old.map_or(Pace::Now, |_| Pace::Soon)
    }

    fn observe(&self, object: &Arc<ClusterTopologyBinding>, caches: &Caches) -> Snapshot {
        observe::observe(object, caches, &self.profiles)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<ClusterTopologyBindingStatus> {
        if !self.is_topology_aware {
            return Plan::default();
        }
        decide::decide(snapshot, now)
    }
}
