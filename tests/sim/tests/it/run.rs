//! One run: trouble first, then none, and by then all has to be right.

use std::time::Duration;

use api::labels;
use serde_json::Value;
use testkit::sim::actors::{self, User};
use testkit::sim::check::{Checker, Horizon, LATE, OPERATOR, Violation};
use testkit::sim::{Answer, Rng, Store, expected, view};
use tokio::time::Instant;

use crate::operator::{self, Operator};
use crate::sabotage::{self, Sabotage};
use crate::service::{Lot, Parked};
use crate::story::{self, Notes};

/// Steps with trouble.
const TROUBLED: usize = 350;
/// Steps that the rest may take.
const CALM: usize = 20_000;
/// Simulated time within which all has to be right.
const PATIENCE: Duration = Duration::from_mins(30);

/// A seed that failed.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong.
    pub violation: Violation,
    /// How it came to that.
    pub story: String,
}

/// Runs a seed.
pub fn run(seed: u64, sabotage: Option<Sabotage>, lines: usize) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut run = Run::new(seed, sabotage);
        let result = run.all().await;
        result.map_err(|violation| Failure {
            violation,
            story: format!(
                "{}\n{}",
                story::tell(&run.store, &run.notes, lines),
                run.state()
            ),
        })
    })
}

struct Run {
    rng: Rng,
    store: Store,
    user: User,
    operator: Operator,
    lot: Lot,
    checker: Checker,
    began: Instant,
    sabotage: Option<Sabotage>,
    is_calm: bool,
    is_quota_used_up: bool,
    are_nodes_dead: bool,
    capacity: usize,
    requests: u64,
    notes: Notes,
    is_told: bool,
}

impl Run {
    fn new(seed: u64, sabotage: Option<Sabotage>) -> Self {
        let began = Instant::now();
        let mut rng = Rng::new(seed);
        let user = User::new(&mut rng);
        let mut store = Store::new(operator::now(began));
        user.create(&mut store);
        let lot = Lot::default();
        Self {
            operator: Operator::start(&store, &lot, began, sabotage),
            capacity: rng.below(30) + 1,
            rng,
            store,
            user,
            lot,
            checker: Checker::default(),
            began,
            sabotage,
            is_calm: false,
            is_quota_used_up: false,
            are_nodes_dead: false,
            requests: 0,
            notes: Notes::new(),
            is_told: true,
        }
    }

    /// Where the run stands.
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
        self.is_calm = true;
        self.is_quota_used_up = false;
        self.are_nodes_dead = false;
        self.capacity = usize::MAX;
        self.converge().await?;
        self.verdict()
    }

    /// Lets the tasks run until each waits for an answer.
    async fn settle(&mut self) {
        let mut quiet = 0;
        let mut before = (0, 0);
        while quiet < 4 {
            tokio::task::yield_now().await;
            let present = (self.lot.lock().unwrap().len(), self.operator.ready().len());
            quiet = if present == before { quiet + 1 } else { 0 };
            before = present;
        }
        let length = self.store.log.len();
        for parked in self.lot.lock().unwrap().iter_mut() {
            parked.sent.get_or_insert(length);
        }
    }

    async fn troubled_step(&mut self) -> Result<(), Violation> {
        match self.rng.below(1000) {
            0..300 => self.start_one().await,
            300..560 => self.answer_one().await?,
            560..820 => self.see_one(),
            820..930 => drop(self.cluster()),
            930..950 => self.pass_time().await,
            950..965 => self.read_one().await,
            965..978 => {
                let kind = *self.rng.pick(&crate::views::KINDS).unwrap();
                self.operator.relist(kind, &self.store);
            }
            978..982 => self.crash().await,
            982..988 => actors::act(&self.user, &mut self.store, &mut self.rng),
            988..990 => self.is_quota_used_up = !self.is_quota_used_up,
            990..992 => self.are_nodes_dead = !self.are_nodes_dead,
            _ => actors::make_trouble(&mut self.store, &mut self.rng),
        }
        self.check()
    }

    fn check(&mut self) -> Result<(), Violation> {
        let horizon = self.operator.horizon();
        self.checker.check(&self.store, &horizon)
    }

    fn note(&mut self, text: impl FnOnce() -> String) {
        if self.is_told {
            self.notes.push((self.store.log.len(), text()));
        }
    }

    async fn start_one(&mut self) {
        let ready = self.operator.ready();
        if let Some(job) = self.rng.pick(&ready) {
            self.note(|| format!("reconcile {job:?}"));
            self.operator.reconcile(job.clone());
            self.settle().await;
        }
    }

    fn see_one(&mut self) {
        let behind = self.operator.views.behind(&self.store);
        if let Some(kind) = self.rng.pick(&behind) {
            let steps = if self.rng.chance(300) { 4 } else { 1 };
            self.note(|| format!("{steps} events of {kind} shown"));
            for _ in 0..steps {
                self.operator.see(*kind, &self.store);
            }
        }
    }

    fn cluster(&mut self) -> bool {
        let (store, rng) = (&mut self.store, &mut self.rng);
        let first = rng.below(4);
        (0..4).any(|turn| match (first + turn) % 4 {
            0 => actors::bind(store, rng, self.capacity),
            1 => !self.are_nodes_dead && actors::run_pods(store, rng),
            2 => actors::collect_garbage(store, rng),
            _ => actors::lift_gate(store, rng),
        })
    }

    async fn pass_time(&mut self) {
        let milliseconds = match self.rng.below(10) {
            0..6 => self.rng.between(1, 400),
            6..9 => self.rng.between(400, 5_000),
            _ => self.rng.between(5_000, 70_000),
        };
        self.wait(Duration::from_millis(milliseconds.unsigned_abs()))
            .await;
    }

    async fn wait(&mut self, time: Duration) {
        tokio::time::advance(time).await;
        self.store.now = operator::now(self.began);
        self.settle().await;
    }

    async fn read_one(&mut self) {
        let overdue = self.operator.overdue();
        if let Some(read) = self.rng.pick(&overdue) {
            self.note(|| format!("live read of {read:?}"));
            self.operator.refresh(read.clone());
            self.settle().await;
        }
    }

    /// The process ends; its requests may still arrive.
    async fn crash(&mut self) {
        // Whoever starts with a list by label cannot know of objects that have lost it.
        let is_visible = |o: &Value| view::label(o, labels::MANAGED_BY) == labels::MANAGER;
        let mut owned = self
            .store
            .objects
            .values()
            .filter(|o| view::owner(o).is_some());
        if !owned.all(|o| is_visible(o)) {
            return;
        }
        self.note(|| "the operator crashes and starts again".to_owned());
        let horizon = self.operator.horizon();
        self.operator.kill();
        self.settle().await;
        for parked in self.lot.lock().unwrap().iter_mut() {
            parked.horizon.get_or_insert_with(|| horizon.clone());
        }
        self.operator = Operator::start(&self.store, &self.lot, self.began, self.sabotage);
    }

    async fn answer_one(&mut self) -> Result<(), Violation> {
        let count = self.lot.lock().unwrap().len();
        if count == 0 {
            return Ok(());
        }
        let parked = self.lot.lock().unwrap().remove(self.rng.below(count));
        if self.is_calm {
            return self.carry_out(parked, true).await;
        }
        let fate = self.rng.below(100);
        if fate >= 84 {
            let call = &parked.call;
            self.note(|| format!("{} {}: {}", call.method, call.path, fate_of(fate)));
        }
        match fate {
            0..84 => self.carry_out(parked, true).await,
            84..89 => self.carry_out(parked, false).await,
            89..92 => {
                let _ = parked.answer.send(None);
                Ok(())
            }
            code => {
                let (code, reason) = match code {
                    92..95 => (500, "InternalError"),
                    95..97 => (429, "TooManyRequests"),
                    _ => (503, "ServiceUnavailable"),
                };
                let _ = parked
                    .answer
                    .send(Some(Answer::failure(code, reason, "injected")));
                Ok(())
            }
        }?;
        self.settle().await;
        Ok(())
    }

    async fn carry_out(&mut self, mut parked: Parked, is_answered: bool) -> Result<(), Violation> {
        self.requests += 1;
        let is_late = parked.answer.is_canceled();
        if let Some(sabotage) = self.sabotage {
            sabotage::spoil(sabotage, &mut parked.call, &self.store, self.requests);
        }
        let is_pod = parked.call.method == "POST" && parked.call.path.ends_with("/pods");
        let answer = if is_pod && self.is_quota_used_up {
            Answer::failure(403, "Forbidden", "exceeded quota")
        } else {
            let actor = if is_late { LATE } else { OPERATOR };
            self.store.handle(actor, &parked.call)
        };
        if let Some(sabotage) = self.sabotage {
            sabotage::add(sabotage, &parked.call, &mut self.store);
        }
        let horizon = self.operator.horizon();
        let horizon = parked
            .horizon
            .map_or(horizon.clone(), |h| h.earlier(&horizon));
        let horizon = Horizon(horizon.0, parked.sent);
        self.checker.check(&self.store, &horizon)?;
        if answer.code >= 400 {
            let (call, message) = (&parked.call, answer.body["message"].clone());
            self.note(|| format!("{} {}: {} {message}", call.method, call.path, answer.code));
        }
        let _ = parked.answer.send(is_answered.then_some(answer));
        self.settle().await;
        Ok(())
    }

    /// Goes on without trouble until nothing is left to do, and for a while longer: the engine
    /// looks every few seconds for what has to be read live.
    async fn converge(&mut self) -> Result<(), Violation> {
        const A_WHILE: Duration = Duration::from_secs(40);
        let end = Instant::now() + PATIENCE;
        let mut quiet = 0;
        for _ in 0..CALM {
            self.settle().await;
            if self.calm_step().await? {
                self.check()?;
                quiet = 0;
                continue;
            }
            let now = Instant::now();
            let timer = self.operator.next_timer().map(|at| at - now);
            if now >= end || (quiet >= 2 && timer.is_none()) {
                return Ok(());
            }
            quiet += 1;
            self.wait(timer.unwrap_or(A_WHILE).min(A_WHILE)).await;
        }
        Err(Violation {
            invariant: "I31",
            message: "it never comes to rest".to_owned(),
        })
    }

    /// Whether there was anything to do.
    async fn calm_step(&mut self) -> Result<bool, Violation> {
        let can_start = !self.operator.ready().is_empty();
        let can_answer = !self.lot.lock().unwrap().is_empty();
        let can_see = !self.operator.views.behind(&self.store).is_empty();
        let can_read = !self.operator.overdue().is_empty();
        let first = self.rng.below(5);
        for turn in 0..5 {
            match (first + turn) % 5 {
                0 if can_start => self.start_one().await,
                1 if can_answer => self.answer_one().await?,
                2 if can_see => self.see_one(),
                3 if can_read => self.read_one().await,
                4 if self.cluster() => {}
                _ => continue,
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn verdict(&self) -> Result<(), Violation> {
        let problems = expected::problems(&self.store);
        if problems.is_empty() {
            return Ok(());
        }
        Err(Violation {
            invariant: "ESR",
            message: problems.join("; "),
        })
    }
}

fn fate_of(fate: usize) -> &'static str {
    match fate {
        0..84 => "carried out",
        84..89 => "carried out, the answer is lost",
        89..92 => "lost",
        92..95 => "refused with 500",
        95..97 => "refused with 429",
        _ => "refused with 503",
    }
}
