//! PodCliqueScalingGroup: cliques that are scaled together.
//!
//! ```text
//! observe: the group, its set, its PodCliques
//! decide:  deletion, or: PodCliques that are too many, wrong or missing, then the status
//! ```

pub mod decide;
pub mod observe;
pub mod status;

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use api::{PodCliqueScalingGroup, PodCliqueScalingGroupStatus};
use domain::plan::Plan;
use engine::routes::Controller;
use engine::{Reconciler, World};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The rules of scaling groups.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Defaults of the operator's configuration.
    pub defaults: DefaultsConfig,
}

impl Reconciler for Rules {
    type Object = PodCliqueScalingGroup;
    type Status = PodCliqueScalingGroupStatus;
    type Snapshot = Snapshot;
    const CONTROLLER: Controller = Controller::PodCliqueScalingGroup;

    fn observe(&self, object: &Arc<PodCliqueScalingGroup>, world: &World) -> Snapshot {
        observe::observe(object, world, &self.defaults)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueScalingGroupStatus> {
        decide::decide(snapshot, now)
    }
}
