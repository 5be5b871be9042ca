//! One run: trouble first, then none, and then everything has to be right.

mod acts;
mod answers;
mod calm;
mod course;
mod domains;
mod leaving;
mod queued;
mod restarting;
mod suspending;
mod trouble;

use std::time::Duration;

use domain::scheduling::Backend;
use sim::actors::{self, GarbageCollector, Playing, User};
use sim::check::{Checker, Requests, Violation};
use sim::{Coverage, Rng, Store, nvlink, sharing, topology};
use tokio::time::Instant;

use crate::operator::{self, Operator};
use crate::sabotage::Sabotage;
use crate::service::{Lot, Parked};
pub use course::{Failure, log_of, run, run_leaving, run_queued, run_restarting, run_suspending};
use leaving::Held;
use sim::story::Notes;

/// Steps with trouble.
const TROUBLED: usize = 350;

/// One seed in this many compares all plans before and after each shown event.
const WAKES_EVERY: u64 = 16;

/// One seed in this many has a scheduler that places gangs as a whole and lets them preempt.
const GANGS_EVERY: u64 = 3;

/// A runtime in which time passes only when a test advances it.
pub fn paused() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

struct Run {
    rng: Rng,
    store: Store,
    user: User,
    operator: Operator,
    lot: Lot,
    collector: GarbageCollector,
    held: Held,
    checker: Checker,
    began: Instant,
    sabotage: Option<Sabotage>,
    is_calm: bool,
    has_webhook: bool,
    is_quota_used_up: bool,
    are_nodes_dead: bool,
    capacity: usize,
    requests: u64,
    asked: Requests,
    events: Notes,
    keeps_story: bool,
    minds_wakes: bool,
    places_gangs: bool,
    /// Whether the cluster has a topology, and the set has constraints.
    has_topology: bool,
    /// Whether pods of the set share resource claims.
    has_claims: bool,
    /// Whether pods of the set join ComputeDomains.
    has_domains: bool,
    /// The pods for which Kueue has quota in all, if the set names a queue.
    quota: Option<i64>,
    /// How the scheduler of pods that name none learns of gangs.
    backend: Backend,
    /// Whether pods only start and nothing else happens.
    is_quiet: bool,
    coverage: Coverage,
}

impl Run {
    fn new(seed: u64, sabotage: Option<Sabotage>, keeps_story: bool) -> Self {
        let began = Instant::now();
        let mut rng = Rng::new(seed);
        let mut user = User::new(&mut rng);
        let mut store = Store::new(operator::now(began));
        let has_topology = topology::is_in(seed);
        if has_topology {
            user = user.with_constraints(&mut rng);
            topology::install(&mut store);
        }
        let has_claims = if user.has_job() {
            sharing::is_in_job(seed)
        } else {
            sharing::is_in(seed)
        };
        if has_claims {
            user = user.with_sharing(&mut sharing::entries_of(seed));
        }
        let has_domains = if user.has_job() {
            nvlink::is_in_job(seed)
        } else {
            nvlink::is_in(seed)
        };
        if has_domains {
            user = user.with_nvlink(&mut nvlink::annotations_of(seed));
        }
        user.create(&mut store);
        let lot = Lot::default();
        let places_gangs = seed.is_multiple_of(GANGS_EVERY) || has_topology;
        Self {
            operator: Operator::start(&store, &lot, began, Backend::default(), sabotage),
            capacity: rng.below(30) + 1,
            // A gang whose pods wait for quota one by one is almost never complete.
            has_webhook: rng.chance(500) && !places_gangs,
            rng,
            store,
            user,
            lot,
            collector: GarbageCollector::default(),
            held: Held::default(),
            checker: Checker::default(),
            began,
            sabotage,
            is_calm: false,
            is_quota_used_up: false,
            are_nodes_dead: false,
            requests: 0,
            asked: Requests::default(),
            events: Notes::new(),
            keeps_story,
            minds_wakes: seed.is_multiple_of(WAKES_EVERY),
            places_gangs,
            has_topology,
            has_claims,
            has_domains,
            quota: None,
            backend: Backend::default(),
            is_quiet: false,
            coverage: Coverage::default(),
        }
    }

    /// The state of the run, in words.
    fn state(&mut self) -> String {
        let calls = self.lot.lock().unwrap();
        let calls: Vec<_> = calls
            .iter()
            .map(|p| format!("{} {}", p.call.method, p.call.path))
            .collect();
        let time = operator::now(self.began).duration_since(testkit::builders::after(0));
        format!(
            "  at {time:?}; requests waiting: {calls:?}; {}",
            self.operator.state()
        )
    }

    async fn all(&mut self) -> Result<(), Violation> {
        for _ in 0..TROUBLED {
            self.troubled_step().await?;
        }
        self.calm_down();
        self.converge().await?;
        self.verdict()?;
        self.second_act().await?;
        self.last_act().await?;
        self.be_refused().await?;
        self.stay_quiet().await
    }

    /// Lets the tasks run until each waits for an answer.
    async fn settle(&mut self) {
        self.operator.settle(&self.lot).await;
        let is_new = |parked: &Parked| parked.sent.is_none();
        if !self.lot.lock().unwrap().iter().any(is_new) {
            return;
        }
        let (length, horizon) = (self.store.log.len(), self.operator.horizon(&self.store));
        for parked in self.lot.lock().unwrap().iter_mut().filter(|p| is_new(p)) {
            parked.sent = Some(length);
            parked.horizon = Some(horizon);
            self.operator.has_sent(&parked.call);
        }
    }

    fn check(&mut self) -> Result<(), Violation> {
        self.operator.check_views(&self.store)?;
        if self.checker.is_up_to_date(&self.store) {
            return Ok(());
        }
        let horizon = self.operator.horizon(&self.store);
        self.checker.check(&self.store, &horizon)
    }

    fn note(&mut self, text: impl FnOnce() -> String) {
        if self.keeps_story {
            self.events.push((self.store.log.len(), text()));
        }
    }

    async fn start_one(&mut self) {
        let ready = self.operator.ready();
        if let Some(job) = self.rng.pick(&ready) {
            self.note(|| format!("reconcile {job:?}"));
            self.operator.reconcile(job.clone(), &self.store);
            self.settle().await;
        }
    }

    fn see_one(&mut self) -> Result<(), Violation> {
        let behind = self.operator.views.behind(&self.store);
        if let Some(kind) = self.rng.pick(&behind) {
            let steps = if self.rng.chance(300) { 4 } else { 1 };
            self.note(|| format!("{steps} events of {kind} shown"));
            for _ in 0..steps {
                self.show(|operator, store| operator.see(*kind, store))?;
            }
        }
        Ok(())
    }

    /// Shows an event to the operator; a plan that changes because of it has to be queued.
    fn show(&mut self, event: impl FnOnce(&mut Operator, &Store)) -> Result<(), Violation> {
        let before = self.minds_wakes.then(|| self.operator.plans());
        event(&mut self.operator, &self.store);
        before.map_or(Ok(()), |before| self.operator.check_wakes(&before))
    }

    fn cluster(&mut self) -> bool {
        // Quota is freed slowly, so that many of our gates are removed while its gates exist; jobs
        // need the time.
        let is_granted = self.is_calm || self.user.has_job() || self.rng.chance(100);
        let playing = self.playing();
        let (store, rng) = (&mut self.store, &mut self.rng);
        let does_load_change = !self.is_calm && rng.chance(200);
        if self.has_topology && actors::collect_pods(store, rng) {
            return true;
        }
        if self.has_claims && actors::free_devices(store, rng) {
            return true;
        }
        if self.has_domains && actors::run_driver(store, rng) {
            return true;
        }
        if self.backend.is_kubernetes() && actors::let_groups_go(store, rng) {
            return true;
        }
        if let Some(pods) = self.quota
            && actors::run_kueue(store, &[("", pods)])
        {
            return true;
        }
        let first = rng.below(5);
        (0..5).any(|turn| match (first + turn) % 5 {
            0 if self.has_topology => actors::place_gang_in_domains(store, rng, self.capacity),
            0 if self.places_gangs => actors::place_gang(store, rng, self.capacity),
            0 => actors::bind(store, rng, self.capacity),
            1 => !self.are_nodes_dead && actors::run_pods(store, rng, playing),
            2 => self.collector.act(store, rng),
            3 => actors::autoscale(store, rng, does_load_change),
            _ => is_granted && actors::lift_gate(store, rng),
        })
    }

    /// After the trouble pods play only recordings that come to an end.
    fn playing(&self) -> Playing {
        if self.is_quiet {
            Playing::Nothing
        } else if self.is_calm {
            Playing::WhatSettles
        } else {
            Playing::Anything
        }
    }

    /// The time of the next event without a request.
    fn next_timer(&self) -> Option<Instant> {
        let now = operator::now(self.began);
        let next = actors::next_due(&self.store).filter(|_| !self.are_nodes_dead);
        let due = next.map(|at| {
            let wait = at.duration_since(now);
            Instant::now() + Duration::try_from(wait).unwrap_or_default()
        });
        let held = self.held.next_landing();
        due.into_iter()
            .chain(self.operator.next_timer())
            .chain(held)
            .min()
    }

    async fn wait(&mut self, time: Duration) {
        tokio::time::advance(time).await;
        self.store.now = operator::now(self.began);
        self.settle().await;
    }

    async fn read_one(&mut self) {
        let expired = self.operator.expired();
        if let Some(read) = self.rng.pick(&expired) {
            self.note(|| format!("live read of {read:?}"));
            self.operator.refresh(read.clone(), &self.store);
            self.settle().await;
        }
    }
}
