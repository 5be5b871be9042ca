//! The controllers of the operator: the triggers of each, and the keys that wait for it.

mod ready_state;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::conditions::ConditionType;
use api::status::Status;
use domain::Key;
use domain::plan::Plan;
use jiff::Timestamp;
use kube::core::object::HasStatus;

use crate::caches::Caches;
use crate::caches::watched::Watched;
pub use crate::controller_name::ControllerName;
use crate::status_pace::Pace;
use crate::triggers::{Triggers, TriggersOf};
use crate::work_queue::WorkQueue;
use ready_state::list_ready_states;
pub(crate) use ready_state::{ReadyState, false_since, ready_labels};

/// The rules of one kind.
pub trait Reconciler: Send + Sync + 'static {
    /// The kind.
    type Object: Watched + HasStatus<Status = Self::Status>;
    /// Its status.
    type Status: Status + Default;
    /// All inputs of a decision.
    type Snapshot;
    /// Its name.
    const NAME: ControllerName;
    /// Conditions whose change to True is timed.
    const MILESTONES: &'static [ConditionType] = &[];
    /// Whether its objects have condition `Ready`, by which metrics count them.
    const HAS_READY: bool = true;
    /// Declares the triggers of the controller: all objects that `observe` reads.
    fn triggers(on: &mut TriggersOf<'_>);
    /// How soon this change of the status is written; `None`: the object has no status yet.
    fn pace(old: Option<&Self::Status>, new: &Self::Status) -> Pace;
    /// Reads caches and nothing else.
    fn observe(&self, object: &Arc<Self::Object>, caches: &Caches) -> Self::Snapshot;
    /// Pure: no clock, no I/O, no randomness.
    fn decide(&self, snapshot: &Self::Snapshot, now: Timestamp) -> Plan<Self::Status>;
}

/// One controller, as the engine sees it.
pub(crate) struct Controller {
    pub(crate) queue: WorkQueue,
    /// Keys of all its objects.
    pub(crate) keys: fn(&Caches) -> Vec<Key>,
    /// The number of its objects in each state.
    pub(crate) states: fn(&Caches) -> Vec<ReadyState>,
}

/// All controllers.
#[derive(Default)]
pub struct Controllers {
    /// The triggers of the controllers.
    pub triggers: Triggers,
    by_name: BTreeMap<ControllerName, Controller>,
}

impl Controllers {
    /// Adds a controller.
    #[must_use]
    pub fn with<R: Reconciler>(mut self) -> Self {
        R::triggers(&mut self.triggers.of(R::NAME));
        let controller = Controller {
            queue: WorkQueue::default(),
            keys: list_keys::<R::Object>,
            states: if R::HAS_READY {
                list_ready_states::<R::Object>
            } else {
                list_no_states
            },
        };
        self.by_name.insert(R::NAME, controller);
        self
    }

    pub(crate) fn get(&self, name: ControllerName) -> Option<&Controller> {
        self.by_name.get(&name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ControllerName, &Controller)> {
        self.by_name
            .iter()
            .map(|(name, controller)| (*name, controller))
    }
}

fn list_no_states(_: &Caches) -> Vec<ReadyState> {
    Vec::new()
}

fn list_keys<K: Watched>(caches: &Caches) -> Vec<Key> {
    let all = caches.of::<K>().all();
    all.iter().map(|o| Key::of(o.meta())).collect()
}
