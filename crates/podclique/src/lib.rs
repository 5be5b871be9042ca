//! PodClique: the pods of one role.
//!
//! ```text
//! observe: the PodClique, its owners, its pods, its PodGang
//! decide:  deletion, or: gates · stuck pods · relabelling · scale-in · new pods, then the status
//! ```

pub mod decide;
pub mod observe;
pub mod pod_template;
pub mod status;

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use api::{PodClique, PodCliqueStatus};
use domain::plan::Plan;
use engine::routes::Controller;
use engine::{Reconciler, World};
use jiff::{SignedDuration, Timestamp};

pub use observe::Snapshot;

/// The rules of PodCliques.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// How long after its deletionTimestamp a pod still holds its slot (a dead node never
    /// confirms the end of its pods). Default 60 s.
    pub stuck_pod_timeout: SignedDuration,
    /// Defaults of the operator's configuration.
    pub defaults: DefaultsConfig,
}

impl Reconciler for Rules {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = Snapshot;
    const CONTROLLER: Controller = Controller::PodClique;

    fn observe(&self, object: &Arc<PodClique>, world: &World) -> Snapshot {
        observe::observe(object, world, self)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
        decide::decide(snapshot, now)
    }
}
