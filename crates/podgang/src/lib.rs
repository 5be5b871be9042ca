//! PodGang: where a gang is in its life, computed from its pods for every scheduler.
//!
//! The PodGang object itself is written by the PodCliqueSet; this controller writes its status
//! and nothing else.

pub mod decide;
pub mod observe;

use std::sync::Arc;

use api::{PodGang, PodGangStatus};
use domain::plan::Plan;
use engine::routes::Controller;
use engine::{Reconciler, World};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The rules of PodGangs.
#[derive(Clone, Debug, Default)]
pub struct Rules;

impl Reconciler for Rules {
    type Object = PodGang;
    type Status = PodGangStatus;
    type Snapshot = Snapshot;
    const CONTROLLER: Controller = Controller::PodGang;

    fn observe(&self, object: &Arc<PodGang>, world: &World) -> Snapshot {
        observe::observe(object, world)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodGangStatus> {
        decide::decide(snapshot, now)
    }
}
