//! One watch per kind and scope, our own fan-out: cache first, then the keys of every controller concerned.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api::labels;
use domain::plan::Kind;
use domain::{Key, ownership};
use futures::{FutureExt, StreamExt};
use jiff::Timestamp;
use kube::core::DeserializeGuard;
use kube::core::error_boundary::InvalidObject;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client};
use strum::IntoEnumIterator;
use tokio::sync::{Notify, watch};

use crate::cache::{Change, Unsettled};
use crate::clock::{self, Clock};
use crate::metrics::{ByController, ByKind, Metrics};
use crate::queue::Queue;
use crate::requests::{RequestError, Requests};
use crate::routes::{Controller, Watched};
use crate::scope::Scope;
use crate::world::World;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// So many failures in a row and the watch is begun anew with a full list: a watch that is
/// answered by 410 at its start would otherwise be repeated for ever.
const FAILURES_BEFORE_RELIST: u32 = 5;
/// How often own writes are checked for being shown by the watch.
const SWEEP: Duration = Duration::from_secs(5);
/// A full list that takes longer than this hangs.
const LONGEST_LIST: Duration = Duration::from_mins(2);
/// Live reads in flight per kind.
const READS_AT_ONCE: usize = 16;

/// A kind and where it is watched.
type Watch = (&'static str, Scope);

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
    scopes: Vec<Scope>,
    unsynced: watch::Sender<BTreeMap<Watch, String>>,
    doubts: Mutex<HashMap<&'static str, Arc<Notify>>>,
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
            scopes: Scope::of(&[]),
            unsynced: watch::Sender::new(BTreeMap::new()),
            doubts: Mutex::default(),
        }
    }

    /// With another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Watches only these namespaces, each by itself; all of them if none is named.
    #[must_use]
    pub fn in_namespaces(mut self, namespaces: &[String]) -> Self {
        self.scopes = Scope::of(namespaces);
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

    /// Kinds that were not listed yet, or whose watch is lost until they are listed again, each
    /// with where that is, and the reason.
    pub fn unsynced(&self) -> BTreeMap<String, String> {
        let unsynced = self.unsynced.borrow();
        let named = unsynced
            .iter()
            .map(|((kind, scope), why)| (format!("{kind}{scope}"), why.clone()));
        named.collect()
    }

    /// Waits until every kind was listed once everywhere: before that nothing may be decided.
    pub async fn synced(&self) {
        let mut unsynced = self.unsynced.subscribe();
        // The sender lives as long as self.
        let _ = unsynced.wait_for(BTreeMap::is_empty).await;
    }

    /// Says that this kind will be watched, so that [`Hub::synced`] waits for it.
    pub fn expect<K: Watched>(&self) {
        self.unsynced.send_modify(|u| {
            for scope in &self.scopes {
                u.insert(watch_of::<K>(scope), "not listed yet".into());
            }
        });
    }

    /// Says what is wrong with the definitions of our kinds, so that [`Hub::synced`] waits.
    pub fn await_definitions(&self, problem: Option<String>) {
        let definitions = ("CustomResourceDefinitions", Scope::Cluster);
        self.unsynced.send_modify(|u| {
            match problem {
                Some(why) => u.insert(definitions, why),
                None => u.remove(&definitions),
            };
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

    /// A POST was answered.
    pub fn was_answered<K: Watched>(&self, key: &Key) {
        if let Some(settled) = K::cache(&self.world).was_answered(key) {
            self.wake::<K>(settled);
        }
    }

    /// A POST got no answer: the object is looked for at once.
    pub fn may_have_created<K: Watched>(&self, key: &Key) {
        K::cache(&self.world).may_have_created(key);
        self.doubts::<K>().notify_one();
    }

    /// Wakes who waits for a pod that may be there: that there is none is an event of no watch.
    fn wake<K: Watched>(&self, settled: Unsettled) {
        if K::KIND != Kind::Pod {
            return;
        }
        let set = settled.set.filter(|set| self.world.awaits_last_pod(set));
        let owner = settled.owner.map(|key| (Controller::PodClique, key));
        let set = set.map(|key| (Controller::PodCliqueSet, key));
        for (controller, key) in owner.into_iter().chain(set) {
            self.queue(controller).push(key);
        }
    }

    /// We deleted the object with this uid.
    pub fn wrote_delete<K: Watched>(&self, key: &Key, uid: &str) {
        self.publish(K::cache(&self.world).wrote_delete(key, uid, self.now()));
    }

    /// Reads the object live and believes that, unless it changed meanwhile.
    pub async fn refresh<K: Watched>(&self, key: &Key) {
        let cache = K::cache(&self.world);
        let before = cache.seen(key);
        let found = match self.requests.get::<K>(key).await {
            Ok(object) => Some(object),
            Err(RequestError::NotFound) => None,
            Err(error) => {
                tracing::warn!(kind = %K::KIND, %key, %error, "live read failed");
                return;
            }
        };
        let doubted = cache.unsettled(key);
        self.publish(cache.read_live(key, &before, found));
        if let Some(settled) = doubted.filter(|_| cache.unsettled(key).is_none()) {
            self.wake::<K>(settled);
        }
    }

    /// Watches one kind for ever.
    pub async fn watch<K: Watched>(self: Arc<Self>, client: Client) {
        let watches = self.scopes.iter().map(|scope| {
            let client = client.clone();
            self.watch_scope::<K>(client, scope)
        });
        let watches = futures::future::join_all(watches);
        let sweeps = async {
            loop {
                self.sweep::<K>().await;
                let _ = tokio::time::timeout(SWEEP, self.doubts::<K>().notified()).await;
            }
        };
        futures::future::join(watches, sweeps).await;
    }

    async fn watch_scope<K: Watched>(&self, client: Client, scope: &Scope) {
        let mut failures = 0;
        loop {
            self.watch_until_stuck::<K>(client.clone(), scope, &mut failures)
                .await;
        }
    }

    async fn watch_until_stuck<K: Watched>(
        &self,
        client: Client,
        scope: &Scope,
        failures: &mut u32,
    ) {
        let mut config = watcher::Config::default().timeout(60);
        if K::IS_SELECTED {
            config = config.labels(labels::MANAGED_SELECTOR);
        }
        let mut events = pin!(watcher(api::<K>(client, scope), config));
        let mut is_listed = false;
        let mut attempts = 0;
        while attempts < FAILURES_BEFORE_RELIST {
            // An idle watch is normal and kube notices a dead one; a list that hangs it does not.
            let next = events.next();
            let event = if is_listed {
                next.await
            } else {
                within(LONGEST_LIST, next).await
            };
            match event {
                Some(Ok(event)) => {
                    // Init comes before every attempt to list: it is no success yet.
                    is_listed =
                        !matches!(&event, watcher::Event::Init | watcher::Event::InitApply(_));
                    if is_listed {
                        (attempts, *failures) = (0, 0);
                    }
                    let is_end_of_list = matches!(&event, watcher::Event::InitDone);
                    self.take::<K>(scope, event);
                    if is_end_of_list {
                        self.find_strays::<K>(scope).await;
                        self.is_listed::<K>(scope);
                    }
                }
                Some(Err(error)) => {
                    let is_lost = attempts + 1 == FAILURES_BEFORE_RELIST;
                    self.failed::<K>(scope, &error, is_lost);
                    let pause = FIRST_PAUSE.saturating_mul(1 << (*failures).min(16));
                    tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
                    attempts += 1;
                    *failures = failures.saturating_add(1);
                }
                None => return,
            }
        }
    }

    fn is_listed<K: Watched>(&self, scope: &Scope) {
        self.unsynced.send_modify(|u| {
            u.remove(&watch_of::<K>(scope));
        });
    }

    /// Lists what is ours but for the managed-by label, by which the watch selects.
    async fn find_strays<K: Watched>(&self, scope: &Scope) {
        let Some(label) = K::STRAY_LABEL else { return };
        let selector = format!("{label},{}!={}", labels::MANAGED_BY, labels::MANAGER);
        let mut pause = FIRST_PAUSE;
        loop {
            match self.requests.list::<K>(scope, &selector).await {
                Ok(strays) => return strays.into_iter().for_each(|stray| self.found(stray)),
                Err(error) => tracing::warn!(kind = %K::KIND, %error, "list failed, trying again"),
            }
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    /// An object of which the watch tells nothing. It counts if its owner is one of ours.
    pub fn found<K: Watched>(&self, stray: K) {
        if ownership::is_controlled_by_us(stray.meta()) {
            self.wrote(stray);
        }
    }

    fn take<K: Watched>(&self, scope: &Scope, event: watcher::Event<DeserializeGuard<K>>) {
        let cache = K::cache(&self.world);
        match event {
            watcher::Event::Init => cache.begin_list(scope),
            watcher::Event::InitApply(guard) => match guard.0 {
                Ok(object) => cache.list_item(scope, object),
                Err(invalid) => {
                    cache.list_unreadable(scope, &invalid.metadata);
                    self.unreadable::<K>(&invalid);
                }
            },
            watcher::Event::InitDone => {
                for change in cache.end_list(scope) {
                    self.publish(Some(change));
                }
                self.doubts::<K>().notify_one();
            }
            watcher::Event::Apply(guard) => match guard.0 {
                Ok(object) => self.publish(cache.apply(object)),
                Err(invalid) => self.unreadable::<K>(&invalid),
            },
            watcher::Event::Delete(guard) => {
                let change = match &guard.0 {
                    Ok(object) => cache.delete(object.meta()),
                    Err(invalid) => cache.delete(&invalid.metadata),
                };
                match change {
                    Some(change) => self.publish(Some(change)),
                    None => self.doubts::<K>().notify_one(),
                }
            }
        }
    }

    /// One object that cannot be decoded is left alone and holds nobody else up.
    fn unreadable<K: Watched>(&self, invalid: &InvalidObject) {
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
    }

    fn doubts<K: Watched>(&self) -> Arc<Notify> {
        let mut doubts = self.doubts.lock().unwrap_or_else(PoisonError::into_inner);
        doubts.entry(K::KIND.into()).or_default().clone()
    }

    /// A watch that is lost is begun anew with a full list, and the kind counts as unsynced until
    /// that is there: the probes are not to say that all is well without an API server.
    fn failed<K: Watched>(&self, scope: &Scope, error: &watcher::Error, is_lost: bool) {
        let watch = watch_of::<K>(scope);
        let kind = watch.0;
        self.metrics
            .watch_restarts
            .get_or_create(&ByKind { kind })
            .inc();
        let problem = explain::<K>(scope, error);
        let namespace = scope.namespace();
        tracing::warn!(kind, namespace, problem, "watch failed, trying again");
        self.unsynced.send_modify(|u| {
            if is_lost || u.contains_key(&watch) {
                u.insert(watch, problem);
            }
        });
    }

    /// Reads live what has to be, some at once; what could not be read comes again.
    async fn sweep<K: Watched>(&self) {
        let overdue = K::cache(&self.world).overdue();
        let reads: Vec<_> = overdue
            .iter()
            .map(|key| self.refresh::<K>(key).boxed())
            .collect();
        futures::stream::iter(reads)
            .buffer_unordered(READS_AT_ONCE)
            .collect::<()>()
            .await;
    }
}

fn watch_of<K: Watched>(scope: &Scope) -> Watch {
    (K::KIND.into(), scope.clone())
}

fn api<K: Watched>(client: Client, scope: &Scope) -> Api<DeserializeGuard<K>> {
    match scope.namespace() {
        None => Api::all(client),
        Some(namespace) => Api::namespaced(client, namespace),
    }
}

/// `None`, which begins the watch anew, if it takes too long.
async fn within<T>(limit: Duration, next: impl Future<Output = Option<T>>) -> Option<T> {
    tokio::time::timeout(limit, next).await.unwrap_or(None)
}

/// What a failed watch means to whoever runs the operator.
fn explain<K: Watched>(scope: &Scope, error: &watcher::Error) -> String {
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
        403 => match scope.namespace() {
            None => {
                format!("not allowed to list and watch {resource}: grant it in the ClusterRole")
            }
            Some(namespace) => format!(
                "not allowed to list and watch {resource}: grant it in a Role in namespace \
                 {namespace}, or take {namespace} off watchNamespaces"
            ),
        },
        _ => status.message.clone(),
    }
}
