//! A plan: the writes that one reconcile wants, as data that prints as readable text.

mod action;
mod check;
mod event;
mod guarded_patch;
mod kind;
mod object;
mod pointer;
mod portion;
mod purpose;
mod target;

use std::fmt;

use jiff::Timestamp;

pub use action::{Action, Version};
pub use check::{Check, CheckAnswer, CheckedTemplate};
pub use event::Event;
pub use guarded_patch::GuardedPatch;
pub use kind::Kind;
pub use object::{Object, WritableKind};
pub use pointer::Pointer;
pub use portion::first_portion;
pub use purpose::Purpose;
pub use target::Target;

/// The result of one reconcile's decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<S> {
    /// Writes; waves one after the other, the actions of a wave at once.
    pub waves: Vec<Vec<Action>>,
    /// The status that follows from the observation; `None` leaves it alone.
    pub status: Option<S>,
    /// Events; posted before the first write of the plan.
    pub events: Vec<Event>,
    /// When to decide again if no trigger comes earlier.
    pub wake_at: Option<Timestamp>,
}

impl<S> Default for Plan<S> {
    fn default() -> Self {
        Self {
            waves: Vec::new(),
            status: None,
            events: Vec::new(),
            wake_at: None,
        }
    }
}

impl<S> Plan<S> {
    /// A plan that does one thing and nothing else.
    pub fn only(action: Action) -> Self {
        Self {
            waves: vec![vec![action]],
            ..Self::default()
        }
    }

    /// Adds a wave unless it is empty.
    pub fn wave(&mut self, actions: Vec<Action>) {
        if !actions.is_empty() {
            self.waves.push(actions);
        }
    }

    /// Decides again at that time, or at an earlier time already requested.
    pub fn wake(&mut self, at: Timestamp) {
        self.wake_at = Some(self.wake_at.map_or(at, |before| before.min(at)));
    }

    /// Whether it writes at most the status.
    pub fn writes_nothing(&self) -> bool {
        self.waves.is_empty()
    }
}

impl<S: serde::Serialize> fmt::Display for Plan<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, wave) in self.waves.iter().enumerate() {
            writeln!(f, "wave {}", number + 1)?;
            for action in wave {
                writeln!(f, "  {action}")?;
            }
        }
        for note in &self.events {
            let kind = if note.is_warning { "warning" } else { "event" };
            let about = note.about.as_ref();
            let about = about.map_or(String::new(), |t| format!(" on {} {}", t.kind, t.key.name));
            writeln!(f, "{kind} {}{about}: {}", note.reason, note.message)?;
        }
        if let Some(wake_at) = self.wake_at {
            writeln!(f, "wake at {wake_at}")?;
        }
        match self.status.as_ref().map(serde_json::to_string_pretty) {
            Some(Ok(status)) => writeln!(f, "status {status}"),
            Some(Err(_)) => Err(fmt::Error),
            None => writeln!(f, "status unchanged"),
        }
    }
}
