//! One cause, the first of several, and the condition that reports it.

use api::conditions::{ConditionType, ConditionUpdate, Reason};

use super::states::ReadinessState;

/// Why an object is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// For programs.
    pub reason: Reason,
    /// For people: one sentence.
    pub text: String,
    /// The remedy, if it depends on more than the reason.
    pub remedy: Option<&'static str>,
    /// The container that caused it, if one did.
    pub container: Option<String>,
}

impl Cause {
    /// A cause.
    pub fn new(reason: Reason, text: impl Into<String>) -> Self {
        Self {
            reason,
            text: text.into(),
            remedy: None,
            container: None,
        }
    }

    /// The same with the fields of its row in the table of states.
    pub(super) fn of_state(self, state: &ReadinessState, container: Option<&str>) -> Self {
        Self {
            remedy: state.remedy,
            container: container.map(str::to_owned),
            ..self
        }
    }

    /// The cause of an object that does not exist yet, or is quite new.
    pub fn being_created() -> Self {
        Self::new(Reason::PodsBeingCreated, "is being created")
    }

    /// The same as seen from a parent: `replica 0: ` or the like precedes the text.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        Self {
            text: format!("{place}{}", self.text),
            ..self
        }
    }

    /// The same with a fact that may explain it.
    #[must_use]
    pub fn and(self, fact: &str) -> Self {
        Self {
            text: format!("{}; {fact}", self.text),
            ..self
        }
    }
}

/// The reported cause: the first in the order of reasons, and of equal reasons the first that was
/// found.
pub fn first(causes: impl IntoIterator<Item = Cause>) -> Option<Cause> {
    causes
        .into_iter()
        .min_by_key(|cause| cause.reason.priority())
}

/// Condition `Ready`.
pub fn ready_condition(is_ready: bool, reason: Reason, message: String) -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::Ready,
        status: is_ready.into(),
        reason,
        message,
    }
}

/// Condition `Ready` of an object that consists of replicas. `are_enough`: the required number of
/// replicas runs; `tally`: how many run; `cause`: the first cause that keeps one from running.
pub fn of_replicas(are_enough: bool, tally: String, cause: Option<Cause>) -> ConditionUpdate {
    match cause {
        Some(cause) if are_enough => {
            let message = format!("{tally}; {}", cause.text);
            ready_condition(true, Reason::MinimumReady, message)
        }
        Some(cause) => ready_condition(false, cause.reason, cause.text),
        None if are_enough => ready_condition(true, Reason::AllReady, tally),
        // The observation falls between two states.
        None => ready_condition(false, Reason::PodsStarting, tally),
    }
}
