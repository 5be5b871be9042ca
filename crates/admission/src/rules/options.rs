//! What the rules depend on besides the object.

use domain::scheduling::DEFAULT_SCHEDULER;

/// What the rules depend on besides the object.
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
