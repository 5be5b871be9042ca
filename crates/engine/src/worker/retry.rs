//! Decides when a failed reconcile is repeated.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::Key;
use kube::Resource;

use super::{Worker, kind_of};
use crate::apply::{self, Outcome};
use crate::backoff::{Class, Failure, STATUS};
use crate::controllers::Reconciler;

/// After this many conflicts in a row, the conflicting objects are read live.
const CONFLICTS_BEFORE_READ: u32 = 3;

impl<R: Reconciler> Worker<R> {
    /// Records the failed and the successful writes; returns how long to wait if nothing happens
    /// meanwhile.
    pub(super) async fn settle(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        outcome: Outcome,
        delay: Option<Duration>,
    ) -> Option<Duration> {
        if !outcome.has_failed() {
            let done = outcome.classes_done();
            // A write that waits for a newer version has not succeeded.
            let failed = outcome.awaits_version.then_some(None);
            self.backoff.keep(key, &failed.into_iter().collect(), &done);
            return delay;
        }
        let wait = self.retry(key, object, outcome).await;
        Some(delay.map_or(wait, |delay| delay.min(wait)))
    }

    /// After a failure: waits a little longer each time, and after some conflicts in a row reads
    /// the conflicting objects live.
    async fn retry(&self, key: &Key, object: &Arc<R::Object>, outcome: Outcome) -> Duration {
        let generation = object.meta().generation;
        let mut failed = BTreeSet::new();
        let mut first = Duration::MAX;
        for class in outcome.failed_classes() {
            failed.insert(Some(*class));
            let failure = build_failure(*class, generation, &outcome);
            first = first.min(self.backoff.failed(key, failure).1);
        }
        if outcome.awaits_version || !outcome.conflicts.is_empty() {
            failed.insert(None);
        }
        if !outcome.conflicts.is_empty() {
            let conflict = Failure {
                outdated: outcome.outdated.clone(),
                ..Failure::default()
            };
            let (count, wait) = self.backoff.failed(key, conflict);
            first = first.min(wait);
            if count >= CONFLICTS_BEFORE_READ {
                apply::read_all_live(&self.context, &outcome.conflicts).await;
            }
        }
        self.backoff.keep(key, &failed, &outcome.classes_done());
        first
    }
}

/// The class of writes of a controller's statuses.
pub(super) fn status_of<R: Reconciler>() -> Class {
    (STATUS, kind_of::<R>())
}

/// The failures of one class. Failed status writes are not listed in `lastErrors`: that status was
/// not written.
fn build_failure(class: Class, generation: Option<i64>, outcome: &Outcome) -> Failure {
    let all = || {
        outcome
            .failures
            .iter()
            .filter(|failed| failed.class == class)
    };
    let reported = all().filter(|failed| failed.class.0 != STATUS);
    let is_of_ending_namespace = outcome.namespace_ends && all().next().is_none();
    Failure {
        class: Some(class),
        generation,
        errors: reported.map(|failed| failed.error.clone()).collect(),
        is_refused: is_of_ending_namespace || all().any(|failed| failed.is_refused),
        after: all().map(|failed| failed.after).max().unwrap_or_default(),
        outdated: BTreeSet::new(),
        sent: all().filter_map(|failed| failed.sent.clone()).collect(),
    }
}
