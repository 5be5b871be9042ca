//! Inputs of the rules in addition to the object.

use domain::scheduling::DEFAULT_SCHEDULER;

/// Inputs of the rules in addition to the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The scheduler of pods that name none.
    pub default_scheduler: String,
    /// Schedulers that the operator is configured for. Empty: any.
    pub schedulers: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            default_scheduler: DEFAULT_SCHEDULER.into(),
            schedulers: Vec::new(),
        }
    }
}
