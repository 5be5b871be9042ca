//! Admission cases, each a set and the expected verdict: one table for the rules alone and for a
//! real API server that calls them.
//!
//! An object may break the definition too; then the API server refuses it before it calls a
//! webhook: its message has other words, the verdict is the same. A refused object has no warnings.

mod autoscaling;
mod claims;
mod composition;
mod editable;
mod fixed;
mod names;
mod pods;
mod ratchet;
mod sizes;
mod start_order;
mod texts;
mod times;
pub mod topology;
mod training;
mod unwise;

use serde_json::{Value, json};

use crate::good_set::{Edit, NAME, changed, edited};

/// A request, and the expected verdict.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique; lower-case letters, digits and hyphens.
    pub name: &'static str,
    /// The stored object, for an update. One with a deletionTimestamp is being deleted and has a
    /// finalizer.
    pub before: Option<Value>,
    /// The rules or the definition refuse `before`: it was stored when there was no such rule.
    pub before_is_invalid: bool,
    /// The sent object: a complete PodCliqueSet without a namespace.
    pub object: Value,
    /// Exact JSON paths of the errors, in the order of the answer. Empty: accepted.
    pub refused_at: Vec<String>,
    /// Exact JSON paths of the warnings, in the order of the answer.
    pub warned_at: Vec<String>,
}

/// All cases. Each has a name of its own, so that all can exist side by side.
pub fn all() -> Vec<Case> {
    let themes = [
        names::cases(),
        texts::cases(),
        sizes::cases(),
        start_order::cases(),
        pods::cases(),
        autoscaling::cases(),
        times::cases(),
        training::cases(),
        topology::cases(),
        claims::cases(),
        fixed::cases(),
        composition::cases(),
        editable::cases(),
        ratchet::cases(),
        unwise::cases(),
    ];
    let all = themes.into_iter().flatten().enumerate();
    all.map(|(i, case)| case.called(&format!("c{i:03}")))
        .collect()
}

/// A new set: the good one, changed.
fn create(name: &'static str, edits: &[Edit<'_>]) -> Case {
    Case {
        name,
        before: None,
        before_is_invalid: false,
        object: edited(edits),
        refused_at: Vec::new(),
        warned_at: Vec::new(),
    }
}

/// A change of the good set.
fn update(name: &'static str, edits: &[Edit<'_>]) -> Case {
    update_of(name, &[], edits)
}

/// A change of the good set with some other values.
fn update_of(name: &'static str, before: &[Edit<'_>], edits: &[Edit<'_>]) -> Case {
    let stored = edited(before);
    Case {
        before: Some(stored.clone()),
        object: changed(stored, edits),
        ..create(name, &[])
    }
}

impl Case {
    fn refused<const N: usize>(mut self, at: [&str; N]) -> Self {
        self.refused_at = at.map(String::from).to_vec();
        self
    }

    fn warned<const N: usize>(mut self, at: [&str; N]) -> Self {
        self.warned_at = at.map(String::from).to_vec();
        self
    }

    fn of_an_invalid_set(mut self) -> Self {
        self.before_is_invalid = true;
        self
    }

    /// Changes the set's name. A case that changed the name itself keeps it.
    fn called(mut self, name: &str) -> Self {
        for object in self.before.iter_mut().chain([&mut self.object]) {
            let own = object.pointer_mut("/metadata/name");
            if let Some(own) = own.filter(|own| **own == NAME) {
                *own = json!(name);
            }
        }
        self
    }
}

/// Places with `=>` and their new values, as JSON.
macro_rules! edits {
    ($($pointer:expr => $value:tt),+ $(,)?) => {
        &[$(($pointer.as_ref(), ::serde_json::json!($value))),+]
    };
}

use edits;
