//! One controller: takes keys, observes, decides, applies, writes the status.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::Key;
use domain::plan::{Note, Plan};
use futures::{FutureExt, Stream, StreamExt, TryStreamExt, future, stream};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::PartialObjectMeta;
use kube::core::object::HasStatus;
use kube::runtime::controller::{Action, Config, applier};
use kube::runtime::reflector::{ObjectRef, store::Writer};
use kube::runtime::watcher;
use tokio::time::Instant;

use crate::apply::{self, Outcome};
use crate::backoff::{Backoff, Class, Failure, STATUS};
use crate::events::Events;
use crate::hub::Hub;
use crate::metrics::{ByController, ByResult};
use crate::record;
use crate::requests::RequestError;
use crate::routes::{Controller, Watched};
use crate::status::{self, Status};
use crate::world::World;

/// A waiting object reads the clock at least this often, so that a step of the clock is noticed.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long a status that differs in nothing urgent waits for more of the kind.
const LATE: Duration = Duration::from_millis(500);
/// Least time between two decisions on one object that events ask for. A clique of 1,000 pods gets
/// some 6,000 events within seconds, and each decision looks at all of its pods.
const REST: Duration = Duration::from_millis(20);
/// Events of one decision that are posted at once.
const NOTES_AT_ONCE: usize = 16;
/// So many conflicts in a row and what changed under us is read live.
const CONFLICTS_BEFORE_READ: u32 = 3;
/// So often in a row has the API server asked to wait, and the status says so.
const TOLD_AFTER: u32 = 3;

/// The rules of one kind.
pub trait Reconciler: Send + Sync + 'static {
    /// The kind.
    type Object: Watched + HasStatus<Status = Self::Status>;
    /// Its status.
    type Status: Status + Default;
    /// Everything that a decision may depend on.
    type Snapshot;
    /// Its name.
    const CONTROLLER: Controller;
    /// Reads caches and nothing else.
    fn observe(&self, object: &Arc<Self::Object>, world: &World) -> Self::Snapshot;
    /// Pure: no clock, no I/O, no randomness.
    fn decide(&self, snapshot: &Self::Snapshot, now: Timestamp) -> Plan<Self::Status>;
}

/// Runs the controller until `stop`. At most `concurrency` objects at once, never one twice.
pub async fn run<R: Reconciler>(
    rules: R,
    hub: Arc<Hub>,
    concurrency: u16,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let stop = stop.shared();
    let queue = hub.queue(R::CONTROLLER).paced_keys(REST);
    let queue = queue.take_until(stop.clone());
    let mut writer = Writer::<PartialObjectMeta<R::Object>>::new(());
    let store = writer.as_reader();
    writer.apply_watcher_event(&watcher::Event::Init);
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let worker = Arc::new(Worker::new(rules, hub.clone()));
    let requests = requests::<R>(worker.clone(), writer, queue);
    let results = applier(
        |object, worker: Arc<Worker<R>>| {
            let key = Key::of(&object.metadata);
            let is_stopping = stop.clone().now_or_never().is_some();
            async move {
                // The applier still hands out what it has in store.
                if is_stopping {
                    return Ok(Action::await_change());
                }
                let again = worker.reconcile(&key).await;
                Ok::<_, Infallible>(again.map_or_else(Action::await_change, Action::requeue))
            }
            .boxed()
        },
        |_, never, _| match *never {},
        worker,
        store,
        requests,
        Config::default().concurrency(concurrency),
    );
    results.for_each(|_| std::future::ready(())).await;
}

/// The applier runs only for objects in its store; ours holds names and nothing else.
fn requests<R: Reconciler>(
    worker: Arc<Worker<R>>,
    mut writer: Writer<PartialObjectMeta<R::Object>>,
    keys: impl Stream<Item = Key>,
) -> impl Stream<Item = Result<ObjectRef<PartialObjectMeta<R::Object>>, Infallible>> {
    keys.map(move |key| {
        let metadata = ObjectMeta {
            name: Some(key.name.clone()),
            namespace: Some(key.namespace.clone()),
            ..ObjectMeta::default()
        };
        let name = PartialObjectMeta {
            types: None,
            metadata,
            _phantom: PhantomData,
        };
        let reference = ObjectRef::from_obj(&name);
        worker.hub.measure(R::CONTROLLER);
        let exists = R::Object::cache(&worker.hub.world).get(&key).is_some();
        writer.apply_watcher_event(&if exists {
            watcher::Event::Apply(name)
        } else {
            worker.forget(&key);
            watcher::Event::Delete(name)
        });
        Ok(reference)
    })
    .into_stream()
}

/// Reconciles one object at a time; all that it remembers between two reconciles may be lost.
pub struct Worker<R> {
    rules: R,
    hub: Arc<Hub>,
    backoff: Backoff,
    events: Events,
    /// Since when a status waits to be written late.
    late: Mutex<HashMap<Key, Instant>>,
}

impl<R: Reconciler> Worker<R> {
    /// Nothing is remembered yet.
    pub fn new(rules: R, hub: Arc<Hub>) -> Self {
        Self {
            rules,
            hub,
            backoff: Backoff::default(),
            events: Events::default(),
            late: Mutex::default(),
        }
    }

    /// Observes, decides and carries out; says when to come again if nothing happens before.
    pub async fn reconcile(&self, key: &Key) -> Option<Duration> {
        let again = self.attempt(key).await;
        if R::Object::cache(&self.hub.world).get(key).is_some() {
            return again;
        }
        // It went meanwhile, and was maybe forgotten before the attempt ended.
        self.forget(key);
        None
    }

    /// Whether anything is remembered of the object.
    pub fn remembers(&self, key: &Key) -> bool {
        self.backoff.holds(key) || self.late().contains_key(key)
    }

    async fn attempt(&self, key: &Key) -> Option<Duration> {
        let began = Instant::now();
        let object = R::Object::cache(&self.hub.world).get(key)?;
        let now = self.hub.now();
        let Ok(plan) = self.decide(&object, now) else {
            tracing::error!(controller = name::<R>(), %key, "a rule panicked; this is a bug, please report it");
            self.count("error", began);
            return Some(self.backoff.failed(key, Failure::default()).1);
        };
        let (outcome, delay) = self.carry_out(key, &object, plan, now).await;
        self.count(outcome.result(), began);
        if !outcome.has_failed() {
            self.backoff
                .keep(key, &BTreeSet::new(), &outcome.classes_done());
            return delay;
        }
        let wait = self.retry(key, &object, outcome).await;
        Some(delay.map_or(wait, |delay| delay.min(wait)))
    }

    /// A rule that panics stops its own object and no other.
    fn decide(
        &self,
        object: &Arc<R::Object>,
        now: Timestamp,
    ) -> std::thread::Result<Plan<R::Status>> {
        catch_unwind(AssertUnwindSafe(|| {
            let snapshot = self.rules.observe(object, &self.hub.world);
            self.rules.decide(&snapshot, now)
        }))
    }

    /// Waves, events, status; how long to wait if nothing happens meanwhile.
    async fn carry_out(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        plan: Plan<R::Status>,
        now: Timestamp,
    ) -> (Outcome, Option<Duration>) {
        let pending = self.backoff.pending(key, object.meta().generation);
        let blocked = pending
            .as_ref()
            .map_or_else(BTreeSet::new, |p| p.blocked.clone());
        self.say(object, &plan.notes, now).await;
        let mut outcome = apply::perform(&self.hub, &plan.waves, &blocked, now).await;
        record::writes(name::<R>(), key, &outcome);
        let mut delay = plan.wake_at.map(|at| until(at, now));
        let is_status_blocked = blocked.contains(&status_of::<R>());
        outcome.is_cut_short |= is_status_blocked && plan.status.is_some();
        let mut errors: Vec<_> = outcome.errors().cloned().collect();
        if let Some(waiting) = pending.filter(|_| outcome.is_cut_short) {
            delay = Some(delay.map_or(waiting.rest, |d| d.min(waiting.rest)));
            errors.extend(waiting.errors);
        }
        let summaries = crate::events::summaries(&outcome);
        let said = self.say(object, &summaries, now);
        // The first status would tell of the time before these writes, which ask for the next
        // decision themselves.
        let is_outdated =
            object.status().is_none() && outcome.is_complete() && !outcome.done.is_empty();
        if is_outdated {
            delay = Some(delay.map_or(LATE, |d| d.min(LATE)));
            said.await;
        } else if let Some(mut next) = plan.status.filter(|_| !is_status_blocked)
            && !self.is_spared(key, &outcome)
        {
            if let Some(list) = next.last_errors() {
                list.extend(errors);
            }
            status::set_name_conflict(&mut next, object.meta().generation, now);
            // Nobody who reads the status waits for what is said of these writes, nor the reverse.
            let ((), written) = future::join(said, self.write_status(key, object, next)).await;
            match written {
                Ok(None) => {}
                Ok(Some(pause)) => delay = Some(delay.map_or(pause, |d| d.min(pause))),
                Err(error) => {
                    self.status_failed(key, object, &error, &mut outcome, now)
                        .await;
                }
            }
        } else {
            said.await;
        }
        (outcome, delay)
    }

    /// Says all of it, and returns when it is said: events of a fence precede its first delete.
    async fn say(&self, object: &Arc<R::Object>, notes: &[Note], now: Timestamp) {
        let requests = &self.hub.requests;
        let mut all = Vec::new();
        for note in notes {
            let said = self.events.say(requests, object.as_ref(), note, now);
            all.push(said.boxed());
        }
        let all = stream::iter(all).buffer_unordered(NOTES_AT_ONCE);
        all.collect::<()>().await;
    }

    /// Writes the status if it differs. What is not urgent waits a little for more of the kind:
    /// `Some` says how long.
    async fn write_status(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        mut next: R::Status,
    ) -> Result<Option<Duration>, RequestError> {
        let mut before = object.status().cloned().unwrap_or_default();
        if let (Some(old), Some(new)) = (before.last_errors(), next.last_errors()) {
            status::keep_times(old, new);
        }
        let is_first = object.status().is_none();
        if !is_first && before == next {
            self.late().remove(key);
            return Ok(None);
        }
        if !is_first
            && !status::is_urgent(&before, &next)
            && let Some(pause) = self.pause(key)
        {
            return Ok(Some(pause));
        }
        match self
            .hub
            .requests
            .replace_status(object.as_ref(), &next)
            .await
        {
            Ok(written) => {
                record::status(&self.hub.metrics, object.as_ref(), &before, &next);
                self.late().remove(key);
                self.hub.wrote(written);
                Ok(None)
            }
            Err(RequestError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the status is left for the next time: who is asked for less is not asked for more
    /// only to be told so. If it goes on, users have to know.
    fn is_spared(&self, key: &Key, outcome: &Outcome) -> bool {
        let classes = outcome.failed_classes().iter();
        let counts = classes.map(|class| self.backoff.count(key, Some(*class)));
        outcome.is_throttled && counts.max().unwrap_or(0) < TOLD_AFTER
    }

    /// A status cannot say that it was refused, so an event does.
    async fn status_failed(
        &self,
        key: &Key,
        object: &Arc<R::Object>,
        error: &RequestError,
        outcome: &mut Outcome,
        now: Timestamp,
    ) {
        if let RequestError::Conflict | RequestError::Unreadable(_) = error {
            outcome.conflicts.push((R::Object::KIND, key.clone()));
            return;
        }
        tracing::warn!(controller = name::<R>(), %key, %error, "status not written");
        let text = format!("the status cannot be written: {error}");
        if error.is_refusal() {
            let note = Note::warning(crate::events::STATUS_FAILED, text.clone());
            self.say(object, &[note], now).await;
        }
        outcome.fail(status_of::<R>(), String::new(), error, text, now);
    }

    /// How long it still has to wait.
    fn pause(&self, key: &Key) -> Option<Duration> {
        let since = *self.late().entry(key.clone()).or_insert_with(Instant::now);
        LATE.checked_sub(since.elapsed()).filter(|d| !d.is_zero())
    }

    fn late(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Instant>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After a failure: waits a little longer each time, and after some conflicts in a row reads
    /// live what changed under us.
    async fn retry(&self, key: &Key, object: &Arc<R::Object>, outcome: Outcome) -> Duration {
        let generation = object.meta().generation;
        let mut failed = BTreeSet::new();
        let mut first = Duration::MAX;
        for class in outcome.failed_classes() {
            failed.insert(Some(*class));
            let failure = failure(*class, generation, &outcome);
            first = first.min(self.backoff.failed(key, failure).1);
        }
        if !outcome.conflicts.is_empty() {
            failed.insert(None);
            let (count, wait) = self.backoff.failed(key, Failure::default());
            first = first.min(wait);
            if count >= CONFLICTS_BEFORE_READ {
                apply::refresh_all(&self.hub, &outcome.conflicts).await;
            }
        }
        self.backoff.keep(key, &failed, &outcome.classes_done());
        first
    }

    fn forget(&self, key: &Key) {
        self.backoff.forget(key);
        self.late().remove(key);
    }

    fn count(&self, result: &'static str, began: Instant) {
        let controller = name::<R>();
        self.hub
            .metrics
            .reconciles
            .get_or_create(&ByResult { controller, result })
            .inc();
        let duration = self
            .hub
            .metrics
            .durations
            .get_or_create(&ByController { controller });
        duration.observe(began.elapsed().as_secs_f64());
    }
}

fn name<R: Reconciler>() -> &'static str {
    R::CONTROLLER.into()
}

fn status_of<R: Reconciler>() -> Class {
    (STATUS, R::Object::KIND)
}

/// What failed of one class. What the status says of its own refusal nobody would read.
fn failure(class: Class, generation: Option<i64>, outcome: &Outcome) -> Failure {
    let all = || {
        outcome
            .failures
            .iter()
            .filter(|failed| failed.class == class)
    };
    let told = all().filter(|failed| failed.class.0 != STATUS);
    let is_of_ending_namespace = outcome.namespace_ends && all().next().is_none();
    Failure {
        class: Some(class),
        generation,
        errors: told.map(|failed| failed.error.clone()).collect(),
        is_refused: is_of_ending_namespace || all().any(|failed| failed.is_refused),
        after: all().map(|failed| failed.after).max().unwrap_or_default(),
    }
}

/// Time left until `at`, but never so long that a step of the clock goes unnoticed.
fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(now))
        .unwrap_or(Duration::ZERO)
        .min(LONGEST_WAIT)
}
