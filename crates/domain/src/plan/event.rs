//! An event that a plan posts.

use api::events::EventReason;

use super::Target;

/// An event to be posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Whether it needs attention (event type Warning).
    pub is_warning: bool,
    /// Why, for programs.
    pub reason: EventReason,
    /// For people.
    pub message: String,
    /// The identity of an event that may be posted repeatedly: the event's name follows from this,
    /// its reason and the uid of the object it is about (docs/semantics.md §13.1).
    pub identity: Option<String>,
    /// The object it is about, if that is not the one being reconciled.
    pub about: Option<Target>,
}

impl Event {
    /// An event about normal progress.
    pub fn normal(reason: impl Into<EventReason>, message: impl Into<String>) -> Self {
        Self {
            is_warning: false,
            reason: reason.into(),
            message: message.into(),
            identity: None,
            about: None,
        }
    }

    /// An event about a problem.
    pub fn warning(reason: impl Into<EventReason>, message: impl Into<String>) -> Self {
        Self {
            is_warning: true,
            ..Self::normal(reason, message)
        }
    }

    /// Whether it may be dropped if there are many. A warning never may.
    pub fn is_routine(&self) -> bool {
        !self.is_warning && self.reason.is_routine()
    }

    /// Posts it once for this identity, also across restarts of the operator.
    #[must_use]
    pub fn once(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// About another object than the one being reconciled.
    #[must_use]
    pub fn about(mut self, target: Target) -> Self {
        self.about = Some(target);
        self
    }
}
