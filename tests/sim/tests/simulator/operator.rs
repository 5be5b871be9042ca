//! The operator: the real context and workers, with their reconciles as tasks under the control of
//! the run.

use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::PodCliqueSetReconciler;
use podgang::PodGangReconciler;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::labels;
use domain::scheduling::Backend;
use domain::{Key, Pod};
use engine::metrics::Metrics;
use engine::requests::Requests;
use engine::worker::Worker;
use engine::{Context, ControllerName, Reconciler};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sim::check::{Horizon, Violation};
use sim::{Call, Id, RequestPath, Resource, Store, view};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::rules::Rules;
use crate::sabotage::{self, Sabotage, Spoilt, SpoiltGangs, SpoiltGroups, SpoiltPodCliques};
use crate::service::{self, Lot};
use crate::shown::{self, Shown};
use crate::views::{self, Views};
use crate::wakes::{self, Plans};

/// A controller, by number, and a key.
pub type Job = (usize, Key);

/// An ended reconcile, and the time until its next one.
type Done = (Job, Option<Duration>);

const CONTROLLERS: [ControllerName; 4] = [
    PodCliqueSetReconciler::NAME,
    PodCliqueScalingGroupReconciler::NAME,
    PodCliqueReconciler::NAME,
    PodGangReconciler::NAME,
];

/// How long an object older than a full list may be shown after it.
const DOUBT: Duration = Duration::from_mins(1);

struct Running {
    handle: JoinHandle<()>,
    horizon: Horizon,
}

/// The operator.
pub struct Operator {
    context: Arc<Context>,
    /// The views of its watches.
    pub views: Views,
    sets: Arc<Worker<Spoilt>>,
    groups: Arc<Worker<SpoiltGroups>>,
    cliques: Arc<Worker<SpoiltPodCliques>>,
    gangs: Arc<Worker<SpoiltGangs>>,
    rules: Rules,
    waiting: BTreeSet<Job>,
    /// Jobs queued since the plans were computed.
    triggered: BTreeSet<Job>,
    running: BTreeMap<Job, Running>,
    timers: BTreeMap<Job, Instant>,
    done: Arc<Mutex<Vec<Done>>>,
    reads: BTreeMap<(Resource, Key), JoinHandle<()>>,
    sabotage: Option<Sabotage>,
    trusted: BTreeMap<Resource, (usize, Instant)>,
    shown: Shown,
}

/// The simulated time: real time does not pass.
pub fn clock(began: Instant) -> engine::clock::Clock {
    Arc::new(move || now(began))
}

/// The simulated time now.
pub fn now(began: Instant) -> Timestamp {
    testkit::builders::after(0) + SignedDuration::try_from(began.elapsed()).unwrap()
}

fn is_followed(object: &Value) -> bool {
    view::label(object, labels::MANAGED_BY) == labels::MANAGER
}

/// Kinds with objects found at the start that no watch follows.
fn strays(store: &Store, views: &Views) -> BTreeMap<Resource, (usize, Instant)> {
    let has_strays = |kind: &Resource| store.all(*kind).any(|(_, o)| !is_followed(o));
    let is_whole =
        |kind: &Resource| kind.is_of_cluster() || *kind == Resource::ResourceClaimTemplate;
    let kinds = views::KINDS.into_iter().filter(|kind| !is_whole(kind));
    let doubted = kinds.filter(has_strays);
    let until = Instant::now() + DOUBT;
    doubted
        .map(|kind| (kind, (views.position(kind), until)))
        .collect()
}

impl Operator {
    /// Starts the operator: full lists first. Pods that name no scheduler have one with this backend.
    pub fn start(
        store: &Store,
        lot: &Lot,
        began: Instant,
        backend: Backend,
        sabotage: Option<Sabotage>,
    ) -> Self {
        let metrics = Arc::new(Metrics::default());
        let requests = Requests::new(service::client(lot), metrics.clone());
        let context = Arc::new(
            Context::new(requests, metrics, operator::run::controllers()).with_clock(clock(began)),
        );
        let views = Views::new(store, &context, sabotage);
        let rules = Rules::of(backend, sabotage);
        Self {
            trusted: strays(store, &views),
            views,
            sets: Arc::new(Worker::new(rules.sets.clone(), context.clone())),
            groups: Arc::new(Worker::new(rules.groups.clone(), context.clone())),
            cliques: Arc::new(Worker::new(rules.cliques.clone(), context.clone())),
            gangs: Arc::new(Worker::new(rules.spoilt_gangs(sabotage), context.clone())),
            rules,
            context,
            waiting: BTreeSet::new(),
            triggered: BTreeSet::new(),
            running: BTreeMap::new(),
            timers: BTreeMap::new(),
            done: Arc::default(),
            reads: BTreeMap::new(),
            sabotage,
            shown: Shown::default(),
        }
    }

    /// No shown object may go back to an older version.
    pub fn check_views(&mut self, store: &Store) -> Result<(), Violation> {
        self.shown.check(&self.context, store)
    }

    /// Advances the view of a kind.
    pub fn see(&mut self, kind: Resource, store: &Store) {
        self.trust(kind, store);
        self.views.advance(kind, store, &self.context);
    }

    /// Records how far the view of a kind goes back at most: an object that lost its label is shown
    /// in its old state until it is read live, and an object that was created during a list is
    /// shown for a while even if the list lacks it.
    fn trust(&mut self, kind: Resource, store: &Store) {
        let seen = self.views.position(kind);
        let trust = self.trusted.entry(kind).or_insert((seen, Instant::now()));
        if self.views.is_listing(kind) {
            trust.1 = Instant::now() + DOUBT;
        } else if trust.1 <= Instant::now() {
            trust.0 = shown::up_to(&self.context, store, kind, trust.0, seen);
        }
    }

    /// How much of the log has been seen: for each kind up to the point before which nothing is
    /// shown.
    fn view(&self, store: &Store) -> Horizon {
        let mut horizon = self.views.horizon();
        for (kind, (at, _)) in &self.trusted {
            let seen = self.views.position(*kind);
            let shown = shown::up_to(&self.context, store, *kind, *at, seen);
            horizon.set(*kind, shown);
        }
        horizon
    }

    /// The watch of a kind breaks and lists again.
    pub fn relist(&mut self, kind: Resource, store: &Store) {
        self.trust(kind, store);
        self.views.relist(kind, store, &self.context);
    }

    /// The jobs that may start.
    pub fn ready(&mut self) -> Vec<Job> {
        self.take_in();
        let is_free = |job: &&Job| !self.running.contains_key(*job);
        self.waiting.iter().filter(is_free).cloned().collect()
    }

    /// Lets the tasks run until each waits for an answer.
    pub async fn settle(&mut self, lot: &Lot) {
        // Between two turns of this task all others run until they wait, or many of them.
        let mut before = None;
        loop {
            tokio::task::yield_now().await;
            let present = Some((lot.lock().unwrap().len(), self.under_way()));
            if present == before {
                return;
            }
            before = present;
        }
    }

    /// Number of running reconciles.
    pub fn under_way(&mut self) -> usize {
        self.take_in();
        self.running.len()
    }

    /// Processes ended reconciles and arrived triggers.
    fn take_in(&mut self) {
        for (job, again) in std::mem::take(&mut *self.done.lock().unwrap()) {
            self.running.remove(&job);
            if let Some(delay) = again {
                self.timers.insert(job, Instant::now() + delay);
            }
        }
        self.reads.retain(|_, handle| !handle.is_finished());
        for (number, controller) in CONTROLLERS.iter().enumerate() {
            let queue = self.context.queue(*controller);
            let jobs = queue.take_all().into_iter().map(|key| (number, key));
            let jobs: Vec<Job> = jobs.filter(|job| !self.is_overheard(job)).collect();
            self.triggered.extend(jobs.iter().cloned());
            self.waiting.extend(jobs);
        }
        let now = Instant::now();
        let due: Vec<Job> = self
            .timers
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|(job, _)| job.clone())
            .collect();
        for job in due {
            self.timers.remove(&job);
            self.waiting.insert(job);
        }
    }

    /// A trigger that the bug suppresses.
    fn is_overheard(&self, job: &Job) -> bool {
        let is_gang = CONTROLLERS.get(job.0) == Some(&PodGangReconciler::NAME);
        self.sabotage == Some(Sabotage::DeafGangs) && is_gang
    }

    /// The present plan of each controller.
    pub fn plans(&mut self) -> Plans {
        self.take_in();
        self.triggered.clear();
        self.rules.plans(&self.context)
    }

    /// Checks that each object with a changed plan was queued.
    pub fn check_wakes(&mut self, before: &Plans) -> Result<(), Violation> {
        self.take_in();
        let after = self.rules.plans(&self.context);
        // A due job is decided with the view of its own time.
        let soon = Instant::now() + Duration::from_secs(1);
        let is_due = |job: &Job| self.timers.get(job).is_some_and(|at| *at <= soon);
        wakes::check(before, &after, |job| {
            self.triggered.contains(job) || is_due(job)
        })
    }

    /// The next timer.
    pub fn next_timer(&self) -> Option<Instant> {
        self.timers.values().min().copied()
    }

    /// How much of the log every current decision had seen.
    pub fn horizon(&self, store: &Store) -> Horizon {
        let present = self.view(store);
        self.running
            .values()
            .fold(present, |h, r| h.earlier(&r.horizon))
    }

    /// Starts a reconcile.
    pub fn reconcile(&mut self, job: Job, store: &Store) {
        sabotage::forget(self.sabotage, &self.context);
        self.waiting.remove(&job);
        self.timers.remove(&job);
        let handle = match job.0 {
            0 => self.spawn(self.sets.clone(), &job),
            1 => self.spawn(self.groups.clone(), &job),
            2 => self.spawn(self.cliques.clone(), &job),
            _ => self.spawn(self.gangs.clone(), &job),
        };
        let horizon = self.view(store);
        self.running.insert(job, Running { handle, horizon });
    }

    fn spawn<R: Reconciler>(&self, worker: Arc<Worker<R>>, job: &Job) -> JoinHandle<()> {
        let (done, job) = (self.done.clone(), job.clone());
        tokio::spawn(async move {
            let again = worker.reconcile(&job.1).await.again;
            done.lock().unwrap().push((job, again));
        })
    }

    /// Objects that have to be read live and are not being read.
    pub fn expired(&self) -> Vec<(Resource, Key)> {
        let mut all = views::expired(&self.context);
        all.retain(|read| !self.reads.contains_key(read));
        all
    }

    /// Reads live. No watch follows an object that has lost its label: from then on it is known in
    /// the state that was read.
    pub fn refresh(&mut self, (kind, key): (Resource, Key), store: &Store) {
        let mut id = Id::new(kind, &key.name);
        id.namespace.clone_from(&key.namespace);
        let found = store.get(&id);
        if found.is_some_and(|o| !is_followed(o)) {
            self.trust(kind, store);
            let trust = self.trusted.get_mut(&kind).unwrap();
            trust.1 = Instant::now() + DOUBT;
        }
        let handle = views::read_live(kind, self.context.clone(), key.clone());
        self.reads.insert((kind, key), handle);
    }

    /// A POST was sent.
    pub fn has_sent(&self, call: &Call) {
        if self.sabotage == Some(Sabotage::NoUnsettled) && call.path.ends_with("/pods") {
            let namespace = RequestPath::parse(&call.path).unwrap().namespace;
            let key = Key::new(namespace, view::name(&call.body));
            self.context.caches.of::<Pod>().observe_answer(&key);
        }
    }

    /// The state, in words.
    pub fn state(&mut self) -> String {
        let ready = self.ready();
        let running: Vec<_> = self.running.keys().collect();
        let expired = self.expired();
        format!(
            "ready {ready:?}; running {running:?}; to be read {expired:?}; timers {:?}",
            self.timers
        )
    }

    /// Ends all running tasks.
    pub fn kill(&mut self) {
        let tasks = self.running.values().map(|r| &r.handle);
        for task in tasks.chain(self.reads.values()) {
            task.abort();
        }
    }
}
