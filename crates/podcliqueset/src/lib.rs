//! PodCliqueSet: the object that a user writes; all other objects are created from it.
//!
//! ```text
//! observe: the set with defaults and its faults, all its children, their pods
//! decide:  deletion, or: services · limits · groups and cliques · gangs ·
//!          autoscalers, then the status
//! ```

pub mod check;
pub mod decide;
pub mod desired;
mod last_pods;
pub mod observe;
mod rollout;
pub mod scaled_to_zero;
pub mod status;
mod status_pace;
mod triggers;

use std::sync::Arc;

use admission::Validator;
use api::{PodCliqueSet, PodCliqueSetStatus};
use domain::health::stuck::StuckTimeouts;
use domain::plan::Plan;
use domain::scheduling::Profiles;
use domain::sharing::TemplatesOfOtherNamespaces;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The condition of the base gang that scaled gangs wait for before they start (seed 003; config
/// `gangScheduling.scaledGangsWaitFor`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScaledGangsWaitFor {
    /// Every part of the base gang has its minimum of pods Ready.
    #[default]
    BaseReady,
    /// Every part of the base gang has its minimum of pods bound (Grove's looser rule).
    BaseScheduled,
}

/// The rules of PodCliqueSets.
#[derive(Clone, Debug, Default)]
pub struct PodCliqueSetReconciler {
    /// Validates sets, with the defaults of the operator's configuration.
    pub validator: Arc<Validator>,
    /// The condition that scaled gangs wait for.
    pub scaled_gangs_wait_for: ScaledGangsWaitFor,
    /// How long after its deletionTimestamp the operator waits for a pod of a failed job.
    pub stuck_timeouts: StuckTimeouts,
    /// The backends of the schedulers that receive gangs.
    pub profiles: Arc<Profiles>,
    /// Image of the init container of pods with dependencies.
    pub init_container_image: String,
    /// Whether topology constraints have an effect.
    pub is_topology_aware: bool,
    /// Whether claims are created from ResourceClaimTemplates of other namespaces.
    pub templates_of_other_namespaces: TemplatesOfOtherNamespaces,
    /// Whether MNNVL groups have ComputeDomains.
    pub is_mnnvl_enabled: bool,
}

impl Reconciler for PodCliqueSetReconciler {
    type Object = PodCliqueSet;
    type Status = PodCliqueSetStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = ControllerName("podcliqueset");

    fn triggers(on: &mut TriggersOf<'_>) {
        triggers::register(on);
    }

    fn pace(old: Option<&PodCliqueSetStatus>, new: &PodCliqueSetStatus) -> Pace {
        status_pace::choose(old, new)
    }

    fn observe(&self, object: &Arc<PodCliqueSet>, caches: &Caches) -> Snapshot {
        observe::observe(object, caches, self)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueSetStatus> {
        decide::decide(snapshot, now)
    }
}
