//! The whole operator in a simulated cluster, and its cost.

use std::cell::RefCell;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use engine::metrics::{ByResult, Metrics};
use engine::{ControllerName, Reconciler};
use jiff::SignedDuration;
use operator::config::Config;
use operator::run::{Endpoints, run_until};
use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::PodCliqueSetReconciler;
use podgang::PodGangReconciler;
use serde_json::Value;
use sim::check::OPERATOR;
use sim::service::{Clock, Server};
use sim::{Call, Id, Resource, Store, view};
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep};

use crate::kubelet;
use crate::link::{Speed, connect};
use crate::meter::{Cost, meter, outside};

/// After this long without any event nothing more will happen.
const REST: Duration = Duration::from_secs(8);
const LOOK: Duration = Duration::from_millis(500);

const CONTROLLERS: [ControllerName; 4] = [
    PodCliqueSetReconciler::NAME,
    PodCliqueScalingGroupReconciler::NAME,
    PodCliqueReconciler::NAME,
    PodGangReconciler::NAME,
];

/// The name of a controller, and a function for the number of its decisions.
type Counter = (&'static str, Box<dyn Fn() -> u64>);

/// A cluster with an operator, all in this thread.
pub struct Cluster {
    runtime: Runtime,
    server: Server,
    decisions: Vec<Counter>,
}

/// The cost of a part of a run.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Cost of the operator.
    pub cost: Cost,
    /// Decisions of each controller.
    pub decisions: Vec<(&'static str, u64)>,
    /// The operator's writes, without events.
    pub writes: usize,
}

impl Part {
    /// Decisions of all controllers.
    pub fn decided(&self) -> u64 {
        self.decisions.iter().map(|(_, count)| count).sum()
    }
}

impl Cluster {
    /// An empty cluster. Time passes only while nothing else is to do, or, with a limited speed, as
    /// the server needs it.
    pub fn start(speed: Speed) -> Self {
        let is_paused = matches!(speed, Speed::Endless);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(is_paused);
        let runtime = runtime.build().unwrap();
        let metrics = Metrics::default();
        let decisions = counters(&metrics);
        let server = runtime.block_on(async {
            let began = testkit::builders::after(0);
            let server = Server::new(Store::new(began), clock_from(began));
            kubelet::start(&server);
            server
        });
        let cluster = Self {
            runtime,
            server,
            decisions,
        };
        cluster.runtime.block_on(async {
            let server = cluster.server.clone();
            let clock: Clock = Arc::new(move || server.with_store(|store| store.now));
            let client = connect(&cluster.server, speed);
            let config = Config::default();
            let operator = run_until(
                config,
                client,
                clock,
                pending(),
                Endpoints::Unserved,
                metrics,
            );
            tokio::spawn(async move { operator.await.unwrap() });
            sleep(REST).await;
        });
        cluster
    }

    /// Users create these sets.
    pub fn create(&self, sets: &[Value]) {
        outside(|| {
            self.server.with_store(|store| {
                for set in sets {
                    let path = Resource::PodCliqueSet.path(view::namespace(set));
                    let answer = store.handle("user", &Call::new("POST", &path, set.clone()));
                    assert_eq!(answer.code, 201, "{:?}", answer.body);
                }
            });
        });
    }

    /// Reads from the store.
    pub fn read<T>(&self, read: impl FnOnce(&Store) -> T) -> T {
        outside(|| self.server.with_store(|store| read(store)))
    }

    /// The operator's cost while this happens.
    pub fn measure(&self, happens: impl AsyncFnOnce(&Server)) -> Part {
        let (before, length) = (self.decided(), self.read(|store| store.log.len()));
        let cost = meter(|| self.runtime.block_on(happens(&self.server)));
        let decided = before.into_iter().zip(self.decided());
        let is_ours = |store: &Store| {
            let since = store.log.get(length..).unwrap_or_default();
            since.iter().filter(|r| r.actor == OPERATOR).count()
        };
        Part {
            cost,
            decisions: decided
                .map(|((name, before), (_, after))| (name, after - before))
                .collect(),
            writes: self.read(is_ours),
        }
    }

    fn decided(&self) -> Vec<(&'static str, u64)> {
        let all = self.decisions.iter();
        all.map(|(name, count)| (*name, count())).collect()
    }
}

/// Lets time pass until that many pods are Ready, and nothing happens any more.
pub async fn come_to_rest(server: &Server, pods: usize) {
    let progress = RefCell::new((0, Instant::now()));
    loop {
        sleep(LOOK).await;
        let length = outside(|| server.with_store(|store| store.log.len()));
        if progress.borrow().0 != length {
            *progress.borrow_mut() = (length, Instant::now());
        }
        if progress.borrow().1.elapsed() > REST {
            break;
        }
    }
    let ready = outside(|| server.with_store(|store| ready_pods(store).len()));
    assert_eq!(ready, pods, "pods that are Ready at rest");
}

/// The pods that are Ready.
pub fn ready_pods(store: &Store) -> Vec<Id> {
    let pods = store.all(Resource::Pod);
    let ready = pods.filter(|(_, pod)| view::is_ready(pod));
    ready.map(|(id, _)| id.clone()).collect()
}

fn counters(metrics: &Metrics) -> Vec<Counter> {
    let count = |controller: &'static str| -> Box<dyn Fn() -> u64> {
        let reconciles = metrics.reconciles.clone();
        let of = move |result| {
            let labels = ByResult { controller, result };
            reconciles.get_or_create(&labels).get()
        };
        Box::new(move || ["ok", "conflict", "error"].map(&of).iter().sum())
    };
    CONTROLLERS.map(|name| (name.0, count(name.0))).into()
}

fn clock_from(time: jiff::Timestamp) -> Clock {
    let began = Instant::now();
    Arc::new(move || time + SignedDuration::try_from(began.elapsed()).unwrap())
}
