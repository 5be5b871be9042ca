//! One watch per kind, our own fan-out: cache first, then the keys of every controller concerned.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api::labels;
use domain::{Key, ownership};
use futures::StreamExt;
use jiff::Timestamp;
use kube::core::DeserializeGuard;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client};
use strum::IntoEnumIterator;
use tokio::sync::watch;

use crate::cache::Change;
use crate::clock::{self, Clock};
use crate::metrics::{ByController, ByKind, Metrics};
use crate::queue::Queue;
use crate::requests::{RequestError, Requests};
use crate::routes::{Controller, Watched};
use crate::world::World;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// So many failures in a row and the watch is begun anew with a full list: a watch that is
/// answered by 410 at its start would otherwise be repeated for ever.
const FAILURES_BEFORE_RELIST: u32 = 5;
/// How often own writes are checked for being shown by the watch.
const SWEEP: Duration = Duration::from_secs(5);

/// Watches, caches and queues.
pub struct Hub {
    /// What is known.
    pub world: World,
    /// How it is written.
    pub requests: Requests,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    clock: Clock,
    queues: BTreeMap<&'static str, Queue>,
    unsynced: watch::Sender<BTreeMap<&'static str, String>>,
    finished: Mutex<Vec<&'static str>>,
}

impl Hub {
    /// Nothing is known yet.
    pub fn new(requests: Requests, metrics: Arc<Metrics>) -> Self {
        Self {
            world: World::default(),
            requests,
            metrics,
            clock: Arc::new(clock::now),
            queues: Controller::iter()
                .map(|c| (c.into(), Queue::default()))
                .collect(),
            unsynced: watch::Sender::new(BTreeMap::new()),
            finished: Mutex::default(),
        }
    }

    /// With another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The queue of a controller.
    pub fn queue(&self, controller: Controller) -> Queue {
        self.queues
            .get(<&'static str>::from(controller))
            .cloned()
            .unwrap_or_default()
    }

    /// Kinds that were not listed yet, with the reason.
    pub fn unsynced(&self) -> BTreeMap<&'static str, String> {
        self.unsynced.borrow().clone()
    }

    /// Waits until every kind was listed once: before that nothing may be decided.
    pub async fn synced(&self) {
        let mut unsynced = self.unsynced.subscribe();
        // The sender lives as long as self.
        let _ = unsynced.wait_for(BTreeMap::is_empty).await;
    }

    /// Says that this kind will be watched, so that [`Hub::synced`] waits for it.
    pub fn expect<K: Watched>(&self) {
        self.unsynced.send_modify(|u| {
            u.insert(K::KIND.into(), "not listed yet".into());
        });
    }

    /// Hands the keys of those concerned to their queues.
    pub fn publish<K: Watched>(&self, change: Option<Change<K>>) {
        let Some(change) = change else { return };
        for (controller, key) in K::routes(&change, &self.world) {
            let name: &'static str = controller.into();
            if let Some(queue) = self.queues.get(name) {
                queue.push(key);
            }
            self.measure(controller);
        }
    }

    /// Puts the depth of a controller's queue into the metrics.
    pub fn measure(&self, controller: Controller) {
        let controller: &'static str = controller.into();
        let depth = self.queues.get(controller).map_or(0, Queue::len);
        let gauge = self
            .metrics
            .queue_depth
            .get_or_create(&ByController { controller });
        gauge.set(i64::try_from(depth).unwrap_or(i64::MAX));
    }

    /// We wrote this object.
    pub fn wrote<K: Watched>(&self, object: K) {
        self.publish(K::cache(&self.world).wrote(object));
    }

    /// We deleted the object with this uid.
    pub fn wrote_delete<K: Watched>(&self, key: &Key, uid: &str) {
        self.publish(K::cache(&self.world).wrote_delete(key, uid, self.now()));
    }

    /// Reads the object live and believes that.
    pub async fn refresh<K: Watched>(&self, key: &Key) {
        let found = match self.requests.get::<K>(key).await {
            Ok(object) => Some(object),
            Err(RequestError::NotFound) => None,
            Err(error) => {
                tracing::warn!(kind = %K::KIND, %key, %error, "live read failed");
                return;
            }
        };
        self.publish(K::cache(&self.world).read_live(key, found));
    }

    /// Watches one kind for ever.
    pub async fn watch<K: Watched>(self: Arc<Self>, client: Client) {
        loop {
            self.watch_until_stuck::<K>(client.clone()).await;
        }
    }

    async fn watch_until_stuck<K: Watched>(&self, client: Client) {
        let mut config = watcher::Config::default().timeout(60);
        if K::IS_SELECTED {
            config = config.labels(labels::MANAGED_SELECTOR);
        }
        let mut events = pin!(watcher(Api::<DeserializeGuard<K>>::all(client), config));
        let mut sweep = tokio::time::interval(SWEEP);
        let mut failures = 0;
        while failures < FAILURES_BEFORE_RELIST {
            let event = tokio::select! {
                event = events.next() => event,
                _ = sweep.tick() => {
                    self.sweep::<K>().await;
                    continue;
                }
            };
            match event {
                Some(Ok(event)) => {
                    failures = 0;
                    let may_doubt =
                        matches!(event, watcher::Event::Delete(_) | watcher::Event::InitDone);
                    self.take::<K>(event);
                    if may_doubt {
                        self.sweep::<K>().await;
                    }
                }
                Some(Err(error)) => {
                    self.failed::<K>(&error);
                    tokio::time::sleep(
                        FIRST_PAUSE.saturating_mul(1 << failures).min(LONGEST_PAUSE),
                    )
                    .await;
                    failures += 1;
                }
                None => return,
            }
        }
    }

    fn take<K: Watched>(&self, event: watcher::Event<DeserializeGuard<K>>) {
        let cache = K::cache(&self.world);
        match event {
            watcher::Event::Init => cache.begin_list(),
            watcher::Event::InitApply(guard) => {
                if let Some(object) = self.decoded(guard) {
                    cache.list_item(object);
                }
            }
            watcher::Event::InitDone => {
                for change in cache.end_list() {
                    self.publish(Some(change));
                }
                self.unsynced.send_modify(|u| {
                    u.remove(<&'static str>::from(K::KIND));
                });
            }
            watcher::Event::Apply(guard) => {
                if let Some(object) = self.decoded(guard) {
                    self.publish(cache.apply(object));
                }
            }
            watcher::Event::Delete(guard) => {
                if let Some(object) = self.decoded(guard) {
                    self.publish(cache.delete(&object));
                }
            }
        }
    }

    /// One object that cannot be decoded is left alone and holds nobody else up.
    fn decoded<K: Watched>(&self, guard: DeserializeGuard<K>) -> Option<K> {
        match guard.0 {
            Ok(object) => Some(object),
            Err(invalid) => {
                let kind: &'static str = K::KIND.into();
                self.metrics
                    .undecodable
                    .get_or_create(&ByKind { kind })
                    .inc();
                tracing::warn!(
                    kind,
                    name = ownership::name(&invalid.metadata),
                    namespace = invalid.metadata.namespace,
                    error = invalid.error,
                    "object cannot be decoded and is left alone until it is corrected"
                );
                None
            }
        }
    }

    fn failed<K: Watched>(&self, error: &watcher::Error) {
        let kind: &'static str = K::KIND.into();
        self.metrics
            .watch_restarts
            .get_or_create(&ByKind { kind })
            .inc();
        let problem = explain::<K>(error);
        tracing::warn!(kind, problem, "watch failed, trying again");
        self.unsynced.send_modify(|u| {
            if let Some(reason) = u.get_mut(kind) {
                *reason = problem;
            }
        });
    }

    async fn sweep<K: Watched>(&self) {
        for key in K::cache(&self.world).overdue() {
            self.refresh::<K>(&key).await;
        }
    }

    /// A part of the process that must run for ever has ended.
    pub fn ended(&self, part: &'static str) {
        self.finished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(part);
    }

    /// Parts of the process that have ended though they must not.
    pub fn ended_parts(&self) -> Vec<&'static str> {
        self.finished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// What a failed watch means to whoever runs the operator.
fn explain<K: Watched>(error: &watcher::Error) -> String {
    let status = match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status)) => status,
        other => return format!("{other}; is the API server reachable?"),
    };
    let resource = match K::group(&()) {
        group if group.is_empty() => K::plural(&()).into_owned(),
        group => format!("{}.{group}", K::plural(&())),
    };
    match status.code {
        404 => format!(
            "CustomResourceDefinition {resource} is not installed: run `make install`, \
             or install the chart with crds.install=true"
        ),
        403 => format!("not allowed to list and watch {resource}: grant it in the ClusterRole"),
        _ => status.message.clone(),
    }
}
