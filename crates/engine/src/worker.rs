//! One reconcile: observe, decide, apply, status.

mod retry;
mod status_hold;
mod status_writer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use domain::Key;
use domain::plan::{Action, Event, Kind, Plan, Target};
use futures::{FutureExt, StreamExt, future, stream};
use jiff::Timestamp;
use kube::Resource;
use kube::core::object::HasStatus;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

use crate::adoption;
use crate::apply::{self, Outcome};
use crate::backoff::{Backoff, Blocked, Failure, Pending};
use crate::cache::Cache;
use crate::context::Context;
use crate::controllers::Reconciler;
use crate::event_recorder::{self, EventRecorder};
use crate::metrics::{ByController, ByResult};
use crate::reconcile_log;
use crate::work_queue::TurnEnd;
use retry::status_of;
use status_hold::STATUS_DEBOUNCE;
use status_writer::{Debounce, version_of};

/// A waiting object reads the clock at least this often, so that a step of the clock is noticed.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// The delay until an overdue object is reconciled once more.
const OVERDUE_WAIT: Duration = Duration::from_secs(1);
/// The verb of a question to the API server, whose answer is in no watch.
const CHECK: &str = "check";
/// Events of one decision that are posted at once.
const MAX_CONCURRENT_EVENTS: usize = 16;
/// Longest time a reconcile waits for its events to be posted.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(10);

/// Reconciles one object at a time; all that it remembers between two reconciles may be lost.
pub struct Worker<R> {
    reconciler: R,
    context: Arc<Context>,
    backoff: Backoff,
    events: EventRecorder,
    debounce: Debounce,
}

impl<R: Reconciler> Worker<R> {
    /// A worker that remembers nothing yet.
    pub fn new(reconciler: R, context: Arc<Context>) -> Self {
        Self {
            reconciler,
            context,
            backoff: Backoff::default(),
            events: EventRecorder::default(),
            debounce: Debounce::default(),
        }
    }

    /// Observes, decides and carries out; returns when to reconcile again if nothing happens
    /// before.
    pub async fn reconcile(&self, key: &Key) -> TurnEnd {
        let end = self.reconcile_known(key).await;
        if self.exists(key) {
            return end;
        }
        // The object was deleted meanwhile, and possibly forgotten before the reconcile ended.
        self.forget(key);
        TurnEnd { again: None, ..end }
    }

    /// Whether anything is remembered of the object.
    pub fn remembers(&self, key: &Key) -> bool {
        self.backoff.holds(key) || self.debounce.holds(key)
    }

    /// Whether the object exists.
    pub(crate) fn exists(&self, key: &Key) -> bool {
        self.cache().get(key).is_some()
    }

    pub(crate) fn forget(&self, key: &Key) {
        self.backoff.forget(key);
        self.debounce.forget(key);
    }

    /// The turn of the object is over.
    pub(crate) fn finish(&self, key: &Key, end: TurnEnd) {
        self.context.queue(R::NAME).finish(key, end);
    }

    fn cache(&self) -> Arc<Cache<R::Object>> {
        self.context.caches.of::<R::Object>()
    }

    async fn reconcile_known(&self, key: &Key) -> TurnEnd {
        let Some(object) = self.cache().get(key) else {
            return TurnEnd::default();
        };
        // All lines logged meanwhile name the object, whatever level is logged. In JSON the span
        // has its own name under `name`.
        let span = tracing::error_span!(
            "reconcile",
            controller = R::NAME.0,
            namespace = key.namespace,
            object = key.name,
            generation = object.meta().generation,
            reconcile_id = self.context.next_reconcile(),
        );
        self.reconcile_object(key, object).instrument(span).await
    }

    async fn reconcile_object(&self, key: &Key, object: Arc<R::Object>) -> TurnEnd {
        let began = Instant::now();
        let now = self.context.now();
        let plan = self.decide(&object, now);
        let deciding = began.elapsed();
        let Ok(plan) = plan else {
            tracing::error!("a rule panicked; this is a bug, please report it");
            self.count_panic();
            self.count_reconcile("error", began);
            let (_, wait) = self.backoff.failed(key, Failure::default());
            return TurnEnd {
                deciding,
                again: Some(wait),
            };
        };
        let (outcome, delay) = self.carry_out(key, &object, plan, now).await;
        self.count_reconcile(outcome.result(), began);
        let again = self.settle(key, &object, outcome, delay).await;
        TurnEnd { deciding, again }
    }

    /// A rule that panics stops its own object and no other.
    fn decide(
        &self,
        object: &Arc<R::Object>,
        now: Timestamp,
    ) -> std::thread::Result<Plan<R::Status>> {
        catch_unwind(AssertUnwindSafe(|| {
            let snapshot = self.reconciler.observe(object, &self.context.caches);
            self.reconciler.decide(&snapshot, now)
        }))
    }

    /// Events, waves, status; returns how long to wait if nothing happens meanwhile.
    async fn carry_out(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        plan: Plan<R::Status>,
        now: Timestamp,
    ) -> (Outcome, Option<Duration>) {
        self.backoff.forget_corrected(key, &plan.waves);
        let pending = self.backoff.pending(key, object.meta().generation);
        let blocked = pending
            .as_ref()
            .map_or_else(Blocked::default, |p| p.blocked.clone());
        self.publish(object, &plan.events, now).await;
        let mut outcome = self.apply(object, &plan.waves, &blocked, now).await;
        reconcile_log::log_writes(&outcome);
        let is_outdated =
            version_of::<R>(key, object).is_some_and(|version| blocked.outdated.contains(&version));
        let is_status_blocked = is_outdated || blocked.classes.contains(&status_of::<R>());
        outcome.is_cut_short |= is_status_blocked && plan.status.is_some();
        outcome.awaits_version |= is_outdated && plan.status.is_some();
        let next = plan.status.filter(|_| !is_status_blocked);
        let next = next.map(|next| with_errors(next, &outcome, pending.as_ref()));
        let waiting = pending.filter(|_| outcome.is_cut_short).map(|p| p.rest);
        let status_wait = self
            .report_outcome(key, object, next, &mut outcome, now)
            .await;
        let is_answered = outcome.done.iter().any(|(verb, ..)| *verb == CHECK);
        let answered = is_answered.then_some(Duration::ZERO);
        let waits = [
            plan.wake_at.map(|at| until(at, now)),
            waiting,
            status_wait,
            answered,
        ];
        (outcome, waits.into_iter().flatten().min())
    }

    async fn apply(
        &self,
        object: &Arc<R::Object>,
        waves: &[Vec<Action>],
        blocked: &Blocked,
        now: Timestamp,
    ) -> Outcome {
        let owner = Target::of::<R::Object>(object.meta());
        if adoption::is_allowed(&self.context, &owner, waves).await {
            return apply::apply_plan(&self.context, waves, blocked, now).await;
        }
        let mut outcome = Outcome::default();
        outcome.is_cut_short = true;
        outcome.conflicts.push((owner.kind, owner.key));
        outcome
    }

    /// Reports the results of the writes: as events, and in the status.
    async fn report_outcome(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        next: Option<R::Status>,
        outcome: &mut Outcome,
        now: Timestamp,
    ) -> Option<Duration> {
        let summaries = event_recorder::summaries(outcome);
        let published = self.publish(object, &summaries, now);
        // The first status would describe the time before these writes, which trigger the next
        // decision themselves.
        let is_outdated =
            object.status().is_none() && outcome.is_complete() && !outcome.done.is_empty();
        if is_outdated {
            published.await;
            return Some(STATUS_DEBOUNCE);
        }
        let Some(next) = next.filter(|_| !self.is_spared(key, outcome)) else {
            published.await;
            return None;
        };
        // The status write does not wait for the events of these writes, nor the reverse.
        let writing = self.write_status(key, object, next, now);
        let ((), written) = future::join(published, writing).await;
        match written {
            Ok(pause) => pause,
            Err(error) => {
                self.status_failed(key, object, &error, outcome, now).await;
                None
            }
        }
    }

    /// Publishes all of them, and returns when that is done: events of a fence precede its first
    /// delete. An event without an answer in time is published by the next decision, if it still
    /// holds.
    async fn publish(&self, object: &Arc<R::Object>, events: &[Event], now: Timestamp) {
        let mut all = Vec::new();
        for event in events {
            let about = self.context.reference(object.as_ref(), event);
            let published = self.events.publish(&self.context, about, event, now);
            all.push(published.boxed());
        }
        let all = stream::iter(all).buffer_unordered(MAX_CONCURRENT_EVENTS);
        let told = timeout(PUBLISH_TIMEOUT, all.collect::<()>()).await;
        if told.is_err() {
            tracing::warn!("some events not posted: no answer within {PUBLISH_TIMEOUT:?}");
        }
    }

    /// Counts a reconcile that panicked.
    pub(crate) fn count_panic(&self) {
        self.context.count_panic(R::NAME);
    }

    fn count_reconcile(&self, result: &'static str, began: Instant) {
        let controller = R::NAME.0;
        let metrics = &self.context.metrics;
        let labels = ByResult { controller, result };
        metrics.reconciles.get_or_create(&labels).inc();
        let duration = metrics
            .durations
            .get_or_create(&ByController { controller });
        let seconds = began.elapsed().as_secs_f64();
        duration.observe(seconds);
        metrics.usual.note_reconcile(controller, result, seconds);
    }
}

/// The status with the failures of this reconcile, and with earlier ones whose wait goes on.
fn with_errors<S: api::status::Status>(
    mut next: S,
    outcome: &Outcome,
    pending: Option<&Pending>,
) -> S {
    if let Some(list) = next.last_errors_mut() {
        list.extend(outcome.errors().cloned());
        let waiting = pending.filter(|_| outcome.is_cut_short);
        list.extend(waiting.into_iter().flat_map(|p| p.errors.clone()));
    }
    next
}

/// Time left until `at`, but never so long that a step of the clock goes unnoticed. A time in the
/// past was due in this very decision: if the decision waits for something else, a trigger follows.
fn until(at: Timestamp, now: Timestamp) -> Duration {
    if at <= now {
        return OVERDUE_WAIT;
    }
    Duration::try_from(at.duration_since(now))
        .unwrap_or(MAX_WAIT)
        .min(MAX_WAIT)
}

/// The kind of the objects that a controller reconciles.
fn kind_of<R: Reconciler>() -> Kind {
    Kind::of::<R::Object>()
}
