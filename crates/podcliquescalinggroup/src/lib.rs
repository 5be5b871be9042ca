//! PodCliqueScalingGroup: cliques that are scaled together.
//!
//! ```text
//! observe: the group, its set, its PodCliques
//! decide:  deletion, or: PodCliques that are too many, wrong or missing, then the status
//! ```

pub mod decide;
pub mod observe;
mod rollout;
pub mod status;
mod status_pace;
mod triggers;

use std::sync::Arc;

use admission::Validator;
use api::{PodCliqueScalingGroup, PodCliqueScalingGroupStatus};
use domain::health::stuck::StuckTimeouts;
use domain::plan::Plan;
use domain::sharing::TemplatesOfOtherNamespaces;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The rules of scaling groups.
#[derive(Clone, Debug, Default)]
pub struct PodCliqueScalingGroupReconciler {
    /// Validates sets, with the defaults of the operator's configuration.
    pub validator: Arc<Validator>,
    /// How long after its deletionTimestamp the operator waits for a pod.
    pub stuck_timeouts: StuckTimeouts,
    /// Whether claims are created from ResourceClaimTemplates of other namespaces.
    pub templates_of_other_namespaces: TemplatesOfOtherNamespaces,
    /// Whether MNNVL groups have ComputeDomains.
    pub is_mnnvl_enabled: bool,
}

impl Reconciler for PodCliqueScalingGroupReconciler {
    type Object = PodCliqueScalingGroup;
    type Status = PodCliqueScalingGroupStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = ControllerName("podcliquescalinggroup");

    fn triggers(on: &mut TriggersOf<'_>) {
        triggers::register(on);
    }

    fn pace(old: Option<&PodCliqueScalingGroupStatus>, new: &PodCliqueScalingGroupStatus) -> Pace {
        status_pace::choose(old, new)
    }

    fn observe(&self, object: &Arc<PodCliqueScalingGroup>, caches: &Caches) -> Snapshot {
        observe::observe(object, caches, self)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueScalingGroupStatus> {
        decide::decide(snapshot, now)
    }
}
