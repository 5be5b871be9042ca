//! One run of a scenario: a cluster, the operator in it, one fault.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use engine::metrics::Metrics;
use jiff::{SignedDuration, Timestamp};
use operator::config::{Config, Gangs, parse};
use operator::run::{Endpoints, run_until};
use serde_json::Value;
use sim::check::Checker;
use sim::service::{Clock, Server};
use sim::{Id, Resource, Store, story, topology};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::cluster;
use crate::link::Link;
use crate::normal::{difference, normal};
use crate::wire::Wire;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(250);
/// Looks without a change after which the store is worth comparing.
const STILL: usize = 4;
/// How long another operator takes to start.
const RESTART: Duration = Duration::from_secs(1);
/// The kinds that an operator watches.
pub const WATCHED: [Resource; 10] = [
    Resource::PodCliqueSet,
    Resource::PodCliqueScalingGroup,
    Resource::PodClique,
    Resource::PodGang,
    Resource::Pod,
    Resource::Service,
    Resource::HorizontalPodAutoscaler,
    Resource::ControllerRevision,
    Resource::ResourceClaim,
    Resource::ResourceClaimTemplate,
];

/// Objects in a page of a list: few, so that most lists have several pages.
const PAGE: usize = 2;

/// How long everything has to stay the same at the end.
pub const REST: Duration = Duration::from_secs(65);

/// A cluster at the begin.
#[derive(Clone)]
pub struct Begin {
    /// The store.
    pub store: Store,
    /// The checks of its log.
    pub checker: Checker,
    /// The configuration of its operators.
    pub config: Config,
    /// Time between two moves of the other actors.
    pub pace: Duration,
}

impl Begin {
    /// An empty cluster.
    pub fn empty() -> Self {
        Self {
            store: Store::new(testkit::builders::after(0)),
            checker: Checker::default(),
            config: Config::default(),
            pace: cluster::PACE,
        }
    }

    /// This scheduler receives gangs: its name, its backend and the mode.
    pub fn with_scheduler(mut self, told: Option<(&str, &str, Gangs)>) -> Self {
        self.config = Config::default();
        if let Some((name, backend, gangs)) = told {
            let profile = format!("{{name: {name}, backend: {backend}, gangs: {gangs:?}}}");
            let config = format!(
                "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n\
                 scheduler: {{profiles: [{profile}]}}\n"
            );
            self.config = parse(&config).unwrap();
        }
        self
    }

    /// Its nodes have zones and racks. The scheduler's own Topology is the operator's to create.
    pub fn with_topology(mut self, has_topology: bool) -> Self {
        if has_topology {
            topology::install(&mut self.store);
            let of_scheduler = Id::of_cluster(Resource::KaiTopology, topology::BINDING);
            self.store.remove("administrator", &of_scheduler);
        }
        self
    }
}

/// A cluster with an operator in it.
pub struct Ring {
    /// The way to its API server.
    pub wire: Arc<Wire>,
    operators: Vec<Running>,
    cluster: JoinHandle<()>,
    pace: Duration,
    config: Config,
    /// The versions of the first lists of later operators.
    later_lists: BTreeMap<Resource, u64>,
    /// Whether pods may be in other PodGroups than usual. An operator with old data deletes
    /// PodGroups in use, which Kubernetes keeps, and takes free names for used ones and the other
    /// way round.
    may_group_otherwise: bool,
}

struct Running {
    link: Arc<Link>,
    task: JoinHandle<()>,
}

impl Drop for Ring {
    fn drop(&mut self) {
        self.cluster.abort();
        for operator in &self.operators {
            operator.task.abort();
        }
    }
}

impl Ring {
    /// Starts everything except the operator.
    pub fn start(begin: Begin) -> Self {
        let pace = begin.pace;
        Self::start_among(begin, |server| cluster::act(server, pace))
    }

    /// The same with another cluster around the operator.
    pub fn start_among<A>(begin: Begin, act: impl FnOnce(Server) -> A) -> Self
    where
        A: Future<Output = ()> + Send + 'static,
    {
        let clock = clock_from(begin.store.now);
        let server = Server::new(begin.store, clock);
        server.configure(|options| options.longest_page = PAGE);
        let cluster = tokio::spawn(act(server.clone()));
        Self {
            wire: Arc::new(Wire::new(server, begin.checker)),
            operators: Vec::new(),
            cluster,
            pace: begin.pace,
            config: begin.config,
            later_lists: BTreeMap::new(),
            may_group_otherwise: false,
        }
    }

    /// The present state, as the begin of other runs.
    pub fn present(&self) -> Begin {
        Begin {
            store: self.wire.server.with_store(|store| store.clone()),
            checker: self.wire.state().checker.clone(),
            config: self.config.clone(),
            pace: self.pace,
        }
    }

    /// Operators that start from now on watch this namespace by name.
    pub fn watch_namespace(&mut self, name: &str) {
        self.config.watch_namespaces.push(name.to_owned());
    }

    /// The first lists of later operators have these versions.
    pub fn list_later_at(&mut self, versions: BTreeMap<Resource, u64>) {
        self.later_lists = versions;
        self.may_group_otherwise = true;
    }

    /// Starts one more operator.
    pub fn start_operator(&mut self) {
        let link = Link::new(&self.wire);
        let server = self.wire.server.clone();
        let clock: Clock = Arc::new(move || server.with_store(|store| store.now));
        let (config, client) = (self.config.clone(), link.client());
        let (endpoints, metrics) = (Endpoints::Unserved, Metrics::default());
        let operator = run_until(config, client, clock, pending(), endpoints, metrics);
        let task = tokio::spawn(async move { operator.await.unwrap() });
        self.operators.push(Running { link, task });
    }

    /// Kills all operators; another one follows each of them as time passes.
    pub fn kill_operators(&self) {
        self.operators
            .iter()
            .for_each(|operator| operator.link.end());
    }

    /// Ends all operators except the one that started first.
    pub fn end_others(&mut self) {
        for operator in self.operators.drain(1..) {
            operator.link.end();
            operator.task.abort();
        }
    }

    /// Lets time pass. Another operator follows one that ends.
    pub async fn pass(&mut self, time: Duration) -> Result<(), String> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            let look = sleep(LOOK.min(end - Instant::now()));
            tokio::select! {
                biased;
                () = self.wire.joined.notified() => self.start_operator(),
                () = look => {}
            }
            if let Some(violation) = &self.wire.state().violation {
                return Err(violation.to_string());
            }
            if self.operators.iter().any(|o| o.link.is_dead()) {
                self.replace_operators().await;
            }
            if self.operators.iter().any(|o| o.task.is_finished()) {
                return Err("the operator has ended by itself".to_owned());
            }
        }
        Ok(())
    }

    async fn replace_operators(&mut self) {
        let is_dead = |operator: &mut Running| operator.link.is_dead();
        let dead: Vec<Running> = self.operators.extract_if(.., is_dead).collect();
        for operator in &dead {
            operator.task.abort();
        }
        sleep(RESTART).await;
        self.wire.note("another operator starts".to_owned());
        let old = std::mem::take(&mut self.later_lists);
        let server = &self.wire.server;
        server.configure(|options| options.list_at = old);
        for _ in dead {
            self.start_operator();
        }
    }

    /// Lets time pass until nothing has changed for the longest time in which an operator at rest
    /// may find work.
    pub async fn come_to_rest(&mut self, limit: Duration) -> Result<(), String> {
        let end = Instant::now() + limit;
        let mut since = (self.version(), Instant::now());
        while since.1.elapsed() < REST {
            self.pass(LOOK).await?;
            if self.version() != since.0 {
                since = (self.version(), Instant::now());
            }
            if Instant::now() > end {
                return Err(format!("there is no rest within {limit:?}"));
            }
        }
        Ok(())
    }

    /// Lets time pass until the store has these objects, and keeps them.
    pub async fn come_to(&mut self, wanted: &[Value], limit: Duration) -> Result<(), String> {
        let wrong = |ring: &Self| ring.difference(wanted);
        self.come_to_right(wrong, limit).await
    }

    /// Lets time pass until this claim holds and all is as the sets ask for, and stays so.
    pub async fn come_to_end(
        &mut self,
        is_end: fn(&Store) -> bool,
        limit: Duration,
    ) -> Result<(), String> {
        let wrong = |ring: &Self| {
            ring.wire.server.with_store(|store| {
                let other = (!is_end(store)).then(|| "it does not end as it should".to_owned());
                let problems = sim::expected::problems(store);
                let all: Vec<String> = other.into_iter().chain(problems).collect();
                all.join("\n")
            })
        };
        self.come_to_right(wrong, limit).await
    }

    /// Lets time pass until nothing is wrong any more, and stays so.
    async fn come_to_right(
        &mut self,
        wrong: impl Fn(&Self) -> String,
        limit: Duration,
    ) -> Result<(), String> {
        let end = Instant::now() + limit;
        let (mut version, mut still) = (self.version(), 0);
        loop {
            self.pass(LOOK).await?;
            still = if self.version() == version {
                still + 1
            } else {
                0
            };
            version = self.version();
            let is_over = Instant::now() > end;
            if still != STILL && !is_over {
                continue;
            }
            let difference = wrong(self);
            if difference.is_empty() {
                break;
            }
            if is_over {
                return Err(format!(
                    "after {limit:?} it is not as it should be:\n{difference}"
                ));
            }
        }
        self.pass(REST).await?;
        if self.version() == version {
            return Ok(());
        }
        let difference = wrong(self);
        if difference.is_empty() {
            return Ok(());
        }
        Err(format!("it does not stay as it should be:\n{difference}"))
    }

    fn difference(&self, wanted: &[Value]) -> String {
        let is = self.wire.server.with_store(|store| normal(store));
        let all = difference(&is, wanted);
        if !self.may_group_otherwise {
            return all;
        }
        let is_of_groups = |line: &&str| {
            let kinds = ["\"PodGroup\"", "\"CompositePodGroup\""];
            kinds.iter().any(|kind| line.starts_with(kind)) || line.contains("/schedulingGroup/")
        };
        let rest: Vec<&str> = all.lines().filter(|line| !is_of_groups(line)).collect();
        rest.join("\n")
    }

    fn version(&self) -> u64 {
        self.wire.server.with_store(|store| store.version())
    }

    /// The last lines of the story.
    pub fn story(&self, lines: usize) -> String {
        let state = self.wire.state();
        let tell = |store: &mut Store| story::tell(store, &state.notes, lines);
        self.wire.server.with_store(tell)
    }
}

fn clock_from(time: Timestamp) -> Clock {
    let began = Instant::now();
    Arc::new(move || time + SignedDuration::try_from(began.elapsed()).unwrap())
}

/// Runs this in its own time, which passes only while nothing else is left to do.
pub fn in_paused_time<T>(run: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(run)
}
