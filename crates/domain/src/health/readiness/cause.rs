//! One cause, the first of several, and the condition that tells it.

use api::conditions::{ConditionType, ConditionUpdate, Reason};

use super::states::State;

/// Why something is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// For programs.
    pub reason: Reason,
    /// For people: one sentence.
    pub text: String,
    /// What to do about it, where that depends on more than the reason.
    pub remedy: Option<&'static str>,
    /// The container that it is about, if it is about one.
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

    /// The same with what the table of states has for it.
    pub(super) fn of_state(self, state: &State, container: Option<&str>) -> Self {
        Self {
            remedy: state.remedy,
            container: container.map(str::to_owned),
            ..self
        }
    }

    /// Of something that is not there yet, or quite new.
    pub fn being_created() -> Self {
        Self::new(Reason::PodsBeingCreated, "is being created")
    }

    /// The same, seen from further away: `replica 0: ` and the like go before it.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        Self {
            text: format!("{place}{}", self.text),
            ..self
        }
    }
}

/// The cause that is reported: the first in the order of reasons, and of equal reasons the first
/// that was found.
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

/// Condition `Ready` of something that consists of replicas. `are_enough`: as many run as have to;
/// `told`: the first cause that keeps one from running; `tally`: how many run.
pub fn of_replicas(are_enough: bool, tally: String, cause: Option<Cause>) -> ConditionUpdate {
    match cause {
        Some(cause) if are_enough => {
            let message = format!("{tally}; {}", cause.text);
            ready_condition(true, Reason::MinimumReady, message)
        }
        Some(cause) => ready_condition(false, cause.reason, cause.text),
        None if are_enough => ready_condition(true, Reason::AllReady, tally),
        // Between two states of what was seen.
        None => ready_condition(false, Reason::PodsStarting, tally),
    }
}
