//! PodGang: the life cycle of a gang, computed from its pods for every scheduler, and the objects
//! that describe it to its scheduler.
//!
//! The PodCliqueSet writes the PodGang object itself; this controller writes its status, and
//! objects of the scheduler's own kinds.

pub mod backend;
mod cause;
mod closed;
pub mod decide;
pub mod gang_part;
mod levels;
mod no_domain;
pub mod observe;
mod outside_quota;
mod part_scopes;
mod peers;
pub mod placement;
pub mod queueing;
pub mod room;
mod scaling_group;
mod slots;
mod status_pace;
pub mod topology;
pub mod tree;
mod triggers;

use std::sync::Arc;

use api::conditions::ConditionType;
use api::{PodGang, PodGangStatus};
use domain::plan::Plan;
use domain::scheduling::Profiles;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The rules of PodGangs.
#[derive(Clone, Debug, Default)]
pub struct PodGangReconciler {
    /// The backends of the schedulers that receive gangs.
    pub profiles: Arc<Profiles>,
}

impl Reconciler for PodGangReconciler {
    type Object = PodGang;
    type Status = PodGangStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = ControllerName("podgang");
    const MILESTONES: &'static [ConditionType] = &[ConditionType::Scheduled, ConditionType::Ready];

    fn triggers(on: &mut TriggersOf<'_>) {
        triggers::register(on);
    }

    fn pace(old: Option<&PodGangStatus>, new: &PodGangStatus) -> Pace {
        status_pace::choose(old, new)
    }

    fn observe(&self, object: &Arc<PodGang>, caches: &Caches) -> Snapshot {
        observe::observe(object, caches, &self.profiles)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodGangStatus> {
        decide::decide(snapshot, now)
    }
}
