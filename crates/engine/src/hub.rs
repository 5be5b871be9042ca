//! One watch per kind and scope, our own fan-out: cache first, then the keys of every controller concerned.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::labels;
use domain::Key;
use domain::object::ownership;
use domain::plan::Kind;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::DeserializeGuard;
use kube::core::error_boundary::InvalidObject;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client};
use strum::IntoEnumIterator;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::cache::{Change, Unsettled};
use crate::clock::{self, Clock};
use crate::heard::{self, Heard, NoHead};
use crate::metrics::{ByController, ByKind, Metrics};
use crate::queue::Queue;
use crate::requests::{RequestError, Requests};
use crate::resync::Resync;
use crate::routes::{Controller, Watched};
use crate::scope::Scope;
use crate::world::World;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// So many failures in a row and the watch is begun anew with a full list: a watch that is
/// answered by 410 at its start would otherwise be repeated for ever.
const FAILURES_BEFORE_RELIST: u32 = 5;
/// What one start counts that gets no answer at all: nobody waits for five of them.
const UNANSWERED: u32 = 3;
/// A failure that comes so long after another is the first of a new row.
const END_OF_ROW: Duration = Duration::from_mins(1);
/// A kind of which nothing is heard for so long is not looked after, whatever the reason.
const STALE: Duration = Duration::from_mins(3);
/// How often own writes are checked for being shown by the watch.
const SWEEP: Duration = Duration::from_secs(5);
/// A full list that takes longer than this hangs.
const LONGEST_LIST: Duration = Duration::from_mins(2);
/// Live reads in flight per kind.
const READS_AT_ONCE: usize = 16;

/// A kind and where it is watched.
type Watch = (&'static str, Scope);

/// Nothing is decided on an object before every kind was listed once where it is: its children
/// never leave its namespace, so one scope does not wait for another.
#[derive(Debug, Default)]
struct Gate {
    /// What was never listed yet.
    unlisted: BTreeSet<Watch>,
    /// Keys that came meanwhile.
    held: HashMap<Scope, HashSet<(Controller, Key)>>,
}

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
    heard: Mutex<BTreeMap<Watch, Arc<Heard>>>,
    gate: Mutex<Gate>,
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
            heard: Mutex::default(),
            gate: Mutex::default(),
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

    /// Kinds that were not listed yet, whose watch is lost until they are listed again, or of which
    /// nothing is heard, each with where that is, and the reason.
    pub fn unsynced(&self) -> BTreeMap<String, String> {
        let named = |(kind, scope): &Watch| format!("{kind}{scope}");
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = heard.iter().filter(|(_, heard)| heard.silence() > STALE);
        let mut all: BTreeMap<String, String> = silent
            .map(|(watch, heard)| (named(watch), stale(heard.silence())))
            .collect();
        let unsynced = self.unsynced.borrow();
        all.extend(
            unsynced
                .iter()
                .map(|(watch, why)| (named(watch), why.clone())),
        );
        all
    }

    /// Puts into the metrics how long nothing was heard of each kind.
    pub fn measure_silence(&self) {
        let mut longest = BTreeMap::<&'static str, f64>::new();
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        for ((kind, _), heard) in heard.iter() {
            let seconds = longest.entry(kind).or_default();
            *seconds = seconds.max(heard.silence().as_secs_f64());
        }
        for (kind, seconds) in longest {
            let gauge = self.metrics.watch_silence.get_or_create(&ByKind { kind });
            gauge.set(seconds);
        }
    }

    fn heard<K: Watched>(&self, scope: &Scope) -> Arc<Heard> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.entry(watch_of::<K>(scope)).or_default().clone()
    }

    /// Waits until every kind is listed everywhere.
    pub async fn synced(&self) {
        let mut unsynced = self.unsynced.subscribe();
        // The sender lives as long as self.
        let _ = unsynced.wait_for(BTreeMap::is_empty).await;
    }

    /// Says that this kind will be watched: keys are held back until it is listed where they are.
    pub fn expect<K: Watched>(&self) {
        self.gate()
            .unlisted
            .extend(self.scopes.iter().map(watch_of::<K>));
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
            self.enqueue(controller, key);
        }
    }

    /// Has the controller look at the object, once all that belongs to it is known.
    pub fn enqueue(&self, controller: Controller, key: Key) {
        let is_concerned = |scope: &&Scope| scope.holds(&key.namespace);
        if let Some(scope) = self.scopes.iter().find(is_concerned) {
            let mut gate = self.gate();
            if gate.unlisted.iter().any(|(_, unlisted)| unlisted == scope) {
                let held = gate.held.entry(scope.clone()).or_default();
                held.insert((controller, key));
                return;
            }
        }
        self.queue(controller).push(key);
        self.measure(controller);
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
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
            self.enqueue(controller, key);
        }
    }

    /// We deleted the object with this uid.
    pub fn wrote_delete<K: Watched>(&self, key: &Key, uid: &str) {
        self.publish(K::cache(&self.world).wrote_delete(key, uid, self.now()));
    }

    /// Reads the object live and believes that, unless it changed meanwhile. Says whether the API
    /// server answered: if not, it is of no use to ask for others.
    pub async fn refresh<K: Watched>(&self, key: &Key) -> bool {
        let cache = K::cache(&self.world);
        let before = cache.seen(key);
        let found = match self.requests.get::<K>(key).await {
            Ok(object) => Some(object),
            Err(RequestError::NotFound) => None,
            Err(error) => {
                tracing::warn!(kind = %K::KIND, %key, %error, "live read failed");
                let is_silent = matches!(
                    error,
                    RequestError::Unavailable(_) | RequestError::Throttled { .. }
                );
                return !is_silent;
            }
        };
        let doubted = cache.unsettled(key);
        let foreign = found.as_ref().filter(|o| self.is_foreign::<K>(o.meta()));
        let change = match foreign {
            Some(foreign) => cache.let_go(key, &before, foreign.meta()),
            None => cache.read_live(key, &before, found),
        };
        self.publish(change);
        if let Some(settled) = doubted.filter(|_| cache.unsettled(key).is_none()) {
            self.wake::<K>(settled);
        }
        true
    }

    /// Whether an object that no watch shows belongs to nobody that is known.
    fn is_foreign<K: Watched>(&self, meta: &ObjectMeta) -> bool {
        let is_followed = ownership::label(meta, labels::MANAGED_BY) == Some(labels::MANAGER);
        let is_all_known = self.unsynced.borrow().is_empty();
        K::IS_SELECTED && !is_followed && is_all_known && !self.world.is_concerned(meta)
    }

    /// Watches one kind for ever.
    pub async fn watch<K: Watched>(self: Arc<Self>, client: Client) {
        let watches = self.scopes.iter().map(|scope| {
            let client = client.clone();
            self.watch_scope::<K>(client, scope)
        });
        let watches = futures::future::join_all(watches);
        let sweeps = async {
            let mut resync = Resync::begin();
            loop {
                self.sweep::<K>().await;
                if resync.is_due() {
                    self.decide_all_again::<K>();
                }
                let _ = tokio::time::timeout(SWEEP, self.doubts::<K>().notified()).await;
            }
        };
        futures::future::join(watches, sweeps).await;
    }

    async fn watch_scope<K: Watched>(&self, client: Client, scope: &Scope) {
        let heard = self.heard::<K>(scope);
        let client = heard::listening(client, heard.clone());
        let mut row = Row::default();
        loop {
            self.watch_until_stuck::<K>(&client, scope, &heard, &mut row)
                .await;
        }
    }

    /// Lists, and watches until that is of no use any more.
    async fn watch_until_stuck<K: Watched>(
        &self,
        client: &Client,
        scope: &Scope,
        heard: &Heard,
        row: &mut Row,
    ) {
        let mut config = watcher::Config::default().timeout(heard::WATCH_SECONDS);
        if K::IS_SELECTED {
            config = config.labels(labels::MANAGED_SELECTOR);
        }
        let mut events = pin!(watcher(api::<K>(client.clone(), scope), config));
        let mut is_listed = false;
        // Beside the watch: what cannot be listed here must not hold up what is told there.
        let mut strays: Option<BoxFuture<'_, ()>> = None;
        row.attempts = 0;
        while row.attempts < FAILURES_BEFORE_RELIST {
            // A watch that is open has limits of its own, a list as a whole has not.
            let limit = (!is_listed).then_some(LONGEST_LIST);
            let event = tokio::select! {
                event = within(limit, events.next()) => event,
                () = end_of(&mut strays) => {
                    strays = None;
                    self.is_listed::<K>(scope);
                    continue;
                }
            };
            match event {
                Some(Ok(event)) => {
                    // Init comes before every attempt to list: it is no success yet.
                    is_listed =
                        !matches!(&event, watcher::Event::Init | watcher::Event::InitApply(_));
                    if is_listed {
                        *row = Row::default();
                    }
                    let is_end_of_list = matches!(&event, watcher::Event::InitDone);
                    self.take::<K>(scope, event);
                    if is_end_of_list {
                        strays = Some(self.find_strays::<K>(scope).boxed());
                    }
                }
                Some(Err(error)) => {
                    row.count(weight(&error, heard.was_silent()));
                    let problem = explain::<K>(scope, &error);
                    self.failed::<K>(scope, problem, row.is_lost());
                    row.rest().await;
                }
                None => {
                    row.count(FAILURES_BEFORE_RELIST);
                    let problem = format!("its list did not end within {LONGEST_LIST:?}");
                    self.failed::<K>(scope, problem, true);
                    row.rest().await;
                }
            }
        }
    }

    fn is_listed<K: Watched>(&self, scope: &Scope) {
        let watch = watch_of::<K>(scope);
        self.unsynced.send_modify(|u| {
            u.remove(&watch);
        });
        let held = {
            let mut gate = self.gate();
            gate.unlisted.remove(&watch);
            let is_open = !gate.unlisted.iter().any(|(_, unlisted)| unlisted == scope);
            is_open.then(|| gate.held.remove(scope)).flatten()
        };
        for (controller, key) in held.into_iter().flatten() {
            self.enqueue(controller, key);
        }
    }

    /// Lists what is ours but for the managed-by label, by which the watch selects.
    async fn find_strays<K: Watched>(&self, scope: &Scope) {
        let Some(label) = K::STRAY_LABEL else { return };
        let selector = format!("{label},{}!={}", labels::MANAGED_BY, labels::MANAGER);
        let mut row = Row::default();
        loop {
            let error = match self.requests.list::<K>(scope, &selector).await {
                Ok(strays) => return strays.into_iter().for_each(|stray| self.found(stray)),
                Err(error) => error,
            };
            row.count(1);
            let problem = format!("what lost its label cannot be listed: {error}");
            self.failed::<K>(scope, problem, row.is_lost());
            row.rest().await;
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
    fn failed<K: Watched>(&self, scope: &Scope, problem: String, is_lost: bool) {
        let watch = watch_of::<K>(scope);
        let kind = watch.0;
        self.metrics
            .watch_restarts
            .get_or_create(&ByKind { kind })
            .inc();
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
        K::cache(&self.world).tidy();
        let overdue = K::cache(&self.world).overdue();
        let reads: Vec<_> = overdue
            .iter()
            .map(|key| self.refresh::<K>(key).boxed())
            .collect();
        let mut reads = futures::stream::iter(reads).buffer_unordered(READS_AT_ONCE);
        while let Some(is_answered) = reads.next().await {
            if !is_answered {
                return;
            }
        }
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

/// Failures in a row.
#[derive(Debug, Default)]
struct Row {
    /// Those of the present watch, weighed.
    attempts: u32,
    /// All of them: pauses grow with it.
    failures: u32,
    last: Option<Instant>,
}

impl Row {
    fn count(&mut self, weight: u32) {
        if self.last.is_some_and(|last| last.elapsed() > END_OF_ROW) {
            *self = Self::default();
        }
        self.attempts = self.attempts.saturating_add(weight);
        self.failures = self.failures.saturating_add(1);
        self.last = Some(Instant::now());
    }

    fn is_lost(&self) -> bool {
        self.attempts >= FAILURES_BEFORE_RELIST
    }

    async fn rest(&self) {
        let doublings = self.failures.saturating_sub(1).min(16);
        let pause = FIRST_PAUSE.saturating_mul(1 << doublings);
        tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
    }
}

/// How much a failure says. An open watch that is silent may have been so for long: only a full
/// list tells what it did not.
fn weight(error: &watcher::Error, was_silent: bool) -> u32 {
    let (watcher::Error::InitialListFailed(error)
    | watcher::Error::WatchStartFailed(error)
    | watcher::Error::WatchFailed(error)) = error
    else {
        return 1;
    };
    match error {
        _ if was_silent => FAILURES_BEFORE_RELIST,
        kube::Error::Service(error) if error.is::<NoHead>() => UNANSWERED,
        _ => 1,
    }
}

fn stale(silence: Duration) -> String {
    format!(
        "nothing was heard of its watch for {} s; is the API server reachable, and does what is in \
         between let watches through?",
        silence.as_secs()
    )
}

/// What comes next; `None` if that takes too long.
async fn within<T>(limit: Option<Duration>, next: impl Future<Output = Option<T>>) -> Option<T> {
    match limit {
        None => next.await,
        Some(limit) => tokio::time::timeout(limit, next).await.unwrap_or(None),
    }
}

/// The end of what may be under way.
async fn end_of(under_way: &mut Option<BoxFuture<'_, ()>>) {
    match under_way {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
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
