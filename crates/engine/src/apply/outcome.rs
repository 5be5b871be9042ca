//! The results of a plan's writes.

use std::collections::BTreeSet;
use std::time::Duration;

use api::LastError;
use domain::Key;
use domain::plan::{Action, Kind, Purpose, Version};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::backoff::{Class, Sent};
use crate::requests::RequestError;

/// Errors kept per object; the rest is similar.
const MAX_ERRORS: usize = 5;

/// A write that was refused or failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The kind of write and of object.
    pub class: Class,
    /// Whether an object with another owner has the name.
    pub is_name_conflict: bool,
    /// Whether the API server refused the write, rather than gave no answer.
    pub is_refused: bool,
    /// How long the API server asks to wait.
    pub after: Duration,
    /// The same failure for the status.
    pub error: LastError,
    /// The object as it was sent, if the API server refused it and it was sent as a whole.
    pub sent: Option<Sent>,
}

/// The results of a plan's waves.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The writes that succeeded: verb, kind, name.
    pub done: Vec<(&'static str, Kind, String)>,
    /// The purposes of writes, where verb and kind do not show them.
    pub purposes: BTreeSet<Purpose>,
    /// The writes that were refused or failed.
    pub failures: Vec<Failed>,
    /// Objects that another client changed; decide again once their newer version is known.
    pub conflicts: Vec<(Kind, Key)>,
    /// The expected versions of these objects, if the writes named one.
    pub outdated: BTreeSet<Version>,
    /// Whether a write waits for a newer version of its object.
    pub awaits_version: bool,
    /// Whether writes were left out because similar writes failed.
    pub is_cut_short: bool,
    /// Whether the API server asked to wait.
    pub is_throttled: bool,
    /// Whether the namespace is being deleted: nothing can be created there any more.
    pub namespace_ends: bool,
    pub(super) failed: BTreeSet<Class>,
    pub(super) is_unavailable: bool,
}

impl Outcome {
    /// Whether every action succeeded.
    pub fn is_complete(&self) -> bool {
        !self.has_failed() && !self.is_cut_short
    }

    /// Classes of the writes that were done.
    pub fn classes_done(&self) -> BTreeSet<Class> {
        self.done
            .iter()
            .map(|(verb, kind, _)| (*verb, *kind))
            .collect()
    }

    /// Whether some action did not succeed.
    pub fn has_failed(&self) -> bool {
        !self.failed.is_empty() || !self.conflicts.is_empty()
    }

    /// The result in one word, for metrics.
    pub fn result(&self) -> &'static str {
        match (self.failures.is_empty(), self.has_failed()) {
            (false, _) => "error",
            (true, true) => "conflict",
            (true, false) => "ok",
        }
    }

    /// Classes of writes that failed.
    pub fn failed_classes(&self) -> &BTreeSet<Class> {
        &self.failed
    }

    /// The errors for the status.
    pub fn errors(&self) -> impl Iterator<Item = &LastError> {
        self.failures.iter().map(|failed| &failed.error)
    }

    /// Whether the action may still succeed after all failures up to now.
    pub(super) fn allows(&self, action: &Action) -> bool {
        let is_futile = self.namespace_ends && matches!(action, Action::Create(_));
        !self.is_unavailable && !is_futile
    }

    /// Notes a failure of that class.
    pub fn fail(
        &mut self,
        class: Class,
        code: String,
        error: &RequestError,
        text: String,
        sent: Option<Sent>,
        now: Timestamp,
    ) {
        self.failed.insert(class);
        let after = match error {
            RequestError::Throttled { after, .. } => *after,
            _ => Duration::ZERO,
        };
        self.is_throttled |= matches!(error, RequestError::Throttled { .. });
        self.is_unavailable |= !error.is_refusal();
        let is_new = !self.failures.iter().any(|failed| failed.class == class);
        if is_new || self.failures.len() < MAX_ERRORS {
            self.failures.push(Failed {
                class,
                is_name_conflict: matches!(error, RequestError::NameConflict { .. }),
                is_refused: error.is_refusal(),
                after,
                error: LastError {
                    code,
                    description: text,
                    observed_at: Time(now),
                },
                sent,
            });
        }
    }
}
