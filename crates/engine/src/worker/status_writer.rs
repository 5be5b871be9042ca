//! Writes a status if it differs, at the right time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::events;
use domain::Key;
use domain::plan::{Event, Version};
use jiff::Timestamp;
use kube::Resource;
use kube::core::object::HasStatus;
use tokio::time::Instant;

use super::status_hold::hold_status;
use super::{Worker, kind_of, status_of};
use crate::apply::Outcome;
use crate::controllers::Reconciler;
use crate::kinds::find_kind;
use crate::reconcile_log;
use crate::requests::{RequestError, encode_status};
use crate::status;
use crate::status_pace::Pace;

/// After this many requests of the API server to wait, in a row, the status says so.
const THROTTLED_BEFORE_TOLD: u32 = 3;

/// Since when statuses wait to be written.
#[derive(Debug, Default)]
pub(super) struct Debounce(Mutex<HashMap<Key, Instant>>);

impl Debounce {
    /// How much of its delay the status still has to wait; the delay follows from the time that it
    /// has waited.
    fn pause(&self, key: &Key, hold: impl Fn(Duration) -> Duration) -> Option<Duration> {
        let since = *self.since().entry(key.clone()).or_insert_with(Instant::now);
        let waited = since.elapsed();
        let left = hold(waited).checked_sub(waited);
        left.filter(|left| !left.is_zero())
    }

    pub(super) fn holds(&self, key: &Key) -> bool {
        self.since().contains_key(key)
    }

    pub(super) fn forget(&self, key: &Key) {
        self.since().remove(key);
    }

    fn since(&self) -> MutexGuard<'_, HashMap<Key, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Reconciler> Worker<R> {
    /// Writes the status if it differs. A change for which no reader waits is held a little, for
    /// further changes: `Some` is the length of that wait.
    pub(super) async fn write_status(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        next: R::Status,
        now: Timestamp,
    ) -> Result<Option<Duration>, RequestError> {
        let Some(next) = status::complete(object.as_ref(), next, now) else {
            self.debounce.forget(key);
            return Ok(None);
        };
        if let Some(pause) = self.pause(key, object, &next, now) {
            return Ok(Some(pause));
        }
        let body = encode_status(object.as_ref(), &next)?;
        // Through the table of kinds: compiled here, the answers of all kinds are decoded twice.
        let kind = find_kind(kind_of::<R>())?;
        match kind.replace_status(&self.context, key, body).await {
            Ok(()) => {
                let before = object.status().cloned().unwrap_or_default();
                reconcile_log::log_status::<R>(&self.context.metrics, object, &before, &next);
                self.debounce.forget(key);
                self.backoff.succeeded(key, status_of::<R>());
                Ok(None)
            }
            Err(RequestError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// How long the status still waits; `None`: it is written now.
    fn pause(
        &self,
        key: &Key,
        object: &R::Object,
        next: &R::Status,
        now: Timestamp,
    ) -> Option<Duration> {
        let created = object.meta().creation_timestamp.as_ref();
        let age = match R::pace(object.status(), next) {
            Pace::Now => return None,
            Pace::Soon => None,
            Pace::WhenUp => created.map(|at| now.duration_since(at.0)),
        };
        self.debounce.pause(key, |waited| hold_status(age, waited))
    }

    /// Whether the status is left for the next time: do not send another request just to report
    /// that the API server throttles us. If it goes on, users have to know.
    pub(super) fn is_spared(&self, key: &Key, outcome: &Outcome) -> bool {
        let counts = outcome
            .failed_classes()
            .iter()
            .map(|class| self.backoff.count(key, Some(*class)));
        outcome.is_throttled && counts.max().unwrap_or(0) < THROTTLED_BEFORE_TOLD
    }

    /// A status cannot say that it was refused, so an event does.
    pub(super) async fn status_failed(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        error: &RequestError,
        outcome: &mut Outcome,
        now: Timestamp,
    ) {
        if let RequestError::Conflict | RequestError::Unreadable(_) = error {
            outcome.outdated.extend(version_of::<R>(key, object));
            outcome.conflicts.push((kind_of::<R>(), key.clone()));
            return;
        }
        tracing::warn!(%error, "status not written");
        let text = format!("the status cannot be written: {error}");
        if error.is_refusal() {
            let event = Event::warning(events::STATUS_FAILED, text.clone());
            self.publish(object, &[event], now).await;
        }
        outcome.fail(status_of::<R>(), String::new(), error, text, None, now);
    }
}

/// The version in which a status expects its object.
pub(super) fn version_of<R: Reconciler>(key: &Key, object: &R::Object) -> Option<Version> {
    let version = object.meta().resource_version.clone()?;
    Some((kind_of::<R>(), key.clone(), version))
}
