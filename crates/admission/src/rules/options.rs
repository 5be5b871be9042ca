//! What the rules depend on besides the object.

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
            default_scheduler: "default-scheduler".into(),
            schedulers: Vec::new(),
        }
    }
}
