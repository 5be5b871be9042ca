//! What the operator makes of a stored PodCliqueSet: defaults applied, and whether it may be acted
//! on. A webhook may be absent, so controllers never rely on one having seen the object.

use api::{PodCliqueSet, WorkloadType};

use crate::admission::{self, FieldError};
use crate::defaults::{self, DefaultsConfig};
use crate::unimplemented;

/// More replicas than this at one level are never acted on: a slip of the finger on `/scale` must
/// not take the operator, or the API server, down.
pub const MOST_REPLICAS: i32 = 10_000;

/// A PodCliqueSet as rules see it.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    /// With defaults applied.
    pub set: PodCliqueSet,
    /// What is wrong with it; nothing is created while there is anything.
    pub errors: Vec<FieldError>,
    /// Delays of gang termination that make no sense: it counts as disabled there, and everything
    /// else goes on.
    pub invalid_delays: Vec<FieldError>,
    /// Changes that are impossible: what was there before counts, and everything else goes on.
    pub not_acted_on: Vec<FieldError>,
    /// What it asks for that is not built yet and must not be guessed at; nothing is created.
    pub blocked_by: Vec<String>,
    /// Fields that are accepted and have no effect yet.
    pub ignored: Vec<String>,
}

impl Intake {
    /// Whether children may be created and corrected.
    pub fn may_act(&self) -> bool {
        self.errors.is_empty() && self.blocked_by.is_empty()
    }
}

/// Takes in a stored PodCliqueSet.
pub fn take(stored: &PodCliqueSet, config: &DefaultsConfig) -> Intake {
    let set = defaults::apply(stored, config);
    let mut errors = admission::validate(&set, &admission::Rules::default());
    let is_inference = set.spec.workload_type == Some(WorkloadType::Inference);
    let invalid_delays = if is_inference {
        admission::invalid_delays(&set)
    } else {
        Vec::new()
    };
    errors.retain(|e| !invalid_delays.contains(e));
    Intake {
        errors,
        invalid_delays,
        not_acted_on: Vec::new(),
        blocked_by: unimplemented::blocks_creation(&set).into_iter().collect(),
        ignored: unimplemented::ignored_fields(&set),
        set,
    }
}
