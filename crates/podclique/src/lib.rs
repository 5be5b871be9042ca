//! PodClique: the pods of one role.
//!
//! ```text
//! observe: the PodClique, its owners, its pods, its PodGang, its dependencies
//! decide:  deletion, or: gates · start order · stuck pods · relabelling · scale-in or suspension · new pods,
//!          then the status
//! ```

pub mod decide;
pub mod dependencies;
pub mod observe;
pub mod pod_group;
pub mod preferred_domains;
mod rollout;
pub mod status;
mod status_pace;
mod triggers;

use std::sync::Arc;

use admission::Validator;
use api::{PodClique, PodCliqueStatus};
use domain::health::stuck::StuckTimeouts;
use domain::plan::Plan;
use domain::scheduling::Profiles;
use domain::sharing::TemplatesOfOtherNamespaces;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;

pub use observe::Snapshot;

/// The rules of PodCliques.
#[derive(Clone, Debug, Default)]
pub struct PodCliqueReconciler {
    /// How long after its deletionTimestamp the operator waits for a pod: a dead node never
    /// confirms the end of its pods.
    pub stuck_timeouts: StuckTimeouts,
    /// Knows the hashes of newest templates, and the defaults of the operator's configuration.
    pub validator: Arc<Validator>,
    /// Image of the init container of pods with dependencies.
    pub init_container_image: String,
    /// The backends of the schedulers that receive gangs.
    pub profiles: Arc<Profiles>,
    /// Whether new pods get no affinity to pods of a domain that they should share.
    pub ignores_preferred_domains: bool,
    /// Whether claims are created from ResourceClaimTemplates of other namespaces.
    pub templates_of_other_namespaces: TemplatesOfOtherNamespaces,
    /// Whether MNNVL groups have ComputeDomains.
    pub is_mnnvl_enabled: bool,
}

impl Reconciler for PodCliqueReconciler {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = ControllerName("podclique");

    fn triggers(on: &mut TriggersOf<'_>) {
        triggers::register(on);
    }

    fn pace(old: Option<&PodCliqueStatus>, new: &PodCliqueStatus) -> Pace {
        status_pace::choose(old, new)
    }

    fn observe(&self, object: &Arc<PodClique>, caches: &Caches) -> Snapshot {
        observe::observe(object, caches, self)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
        decide::decide(snapshot, now)
    }
}
