//! One replay: the real operator, a recorded pod, and peers that run without trouble.

use std::time::Duration;

use domain::scheduling::Backend;
use jiff::{SignedDuration, Timestamp};
use sim::check::OPERATOR;
use sim::store::Call;
use sim::{Resource, Store};
use testkit::recordings::{RecordedStep, Recording};
use tokio::time::Instant;

use super::Moment;
use super::cluster::{self, Recorded};
use super::pod;
use super::said::Said;
use super::situation::Situation;
use crate::operator::{self, Operator};
use crate::run::paused;
use crate::service::Lot;

/// The time between the set's creation and its pod's.
const BEFORE: SignedDuration = SignedDuration::from_secs(1);
/// The time to wait for consequences of a step that later steps follow.
const A_WHILE: SignedDuration = SignedDuration::from_secs(1);
/// How long a deleted pod may continue its recording.
const A_MOMENT: SignedDuration = SignedDuration::from_secs(2);
/// The time to wait for consequences of the end.
const IN_THE_END: SignedDuration = SignedDuration::from_secs(12);

/// The lines of each moment.
pub fn replay(recording: &Recording, situation: &Situation) -> Vec<Moment> {
    paused().block_on(async {
        let mut replay = Replay::start(recording, situation).await;
        replay.play(recording).await;
        replay.moments
    })
}

struct Replay {
    store: Store,
    operator: Operator,
    lot: Lot,
    clock: Instant,
    began: Timestamp,
    said: Said,
    /// The last shown status of the pod.
    shown: String,
    moments: Vec<Moment>,
}

impl Replay {
    /// The user creates the set a moment before the recording begins.
    async fn start(recording: &Recording, situation: &Situation) -> Self {
        let clock = Instant::now();
        let first = recording.began() - BEFORE;
        let until = first.duration_since(operator::now(clock));
        tokio::time::advance(Duration::try_from(until).unwrap()).await;
        let (mut store, lot) = (Store::new(operator::now(clock)), Lot::default());
        let path = Resource::PodCliqueSet.path("default");
        let answer = store.handle("user", &Call::new("POST", &path, situation.manifest()));
        assert_eq!(answer.code, 201, "{}", answer.body);
        let operator = Operator::start(&store, &lot, clock, Backend::default(), None);
        let mut replay = Self {
            store,
            operator,
            lot,
            clock,
            began: recording.began(),
            said: Said::default(),
            shown: String::new(),
            moments: vec![],
        };
        replay.pass_until(recording.began()).await;
        replay.moments.clear();
        replay
    }

    async fn play(&mut self, recording: &Recording) {
        let recorded = Recorded::find(&self.store);
        let (mut others_run, mut may_start) = (true, recording.may_start());
        let mut timing = Timing::default();
        for step in &recording.steps {
            let is_going = recorded.is_going(&self.store);
            let is_undone = recording.is_deleted_by_operator() && !is_going;
            let Some(step) = pod::without_deletion(step, is_undone) else {
                break;
            };
            let step = &step;
            let Some(due) = timing.due(step, is_going) else {
                continue;
            };
            if let Some(at) = may_start.take_if(|at| *at <= due) {
                self.pass_until(at).await;
                cluster::release_parents(&mut self.store);
                self.step("p-0 is Ready".to_owned()).await;
            }
            self.pass_until(due).await;
            if !recorded.is_there(&self.store) {
                self.note("w-0 is gone before");
                break;
            }
            recorded.show(&mut self.store, step);
            if step.is_bound {
                cluster::run_others(&mut self.store, &recorded);
            }
            self.step(pod::describe(step)).await;
            if others_run && pod::is_completed(step) {
                self.pass_until(due + A_WHILE).await;
                others_run = false;
                cluster::complete_others(&mut self.store, &recorded);
                self.step("the other pods end well, too".to_owned()).await;
            }
        }
        let end = operator::now(self.clock) + IN_THE_END;
        self.pass_until(end).await;
    }

    /// Processes an event. Lines that were printed before and have not changed are not repeated.
    async fn step(&mut self, what: String) {
        self.rest().await;
        let said = self.said.listen(&self.store);
        if !said.is_empty() || self.shown != what {
            self.note(&what);
        }
        if let Some((_, all)) = self.moments.last_mut() {
            all.extend(said);
        }
        self.shown = what;
    }

    fn note(&mut self, what: &str) {
        let moment = format!("{}  {what}", self.time());
        self.moments.push((moment, vec![]));
    }

    fn time(&self) -> String {
        let time = operator::now(self.clock).duration_since(self.began);
        format!("{:.1} s", time.as_secs_f64())
    }

    /// Lets time pass, including timers of the operator.
    async fn pass_until(&mut self, at: Timestamp) {
        loop {
            let left = at.duration_since(operator::now(self.clock));
            let left = Duration::try_from(left).unwrap_or_default();
            let now = Instant::now();
            let timer = self.operator.next_timer().map(|timer| timer - now);
            let due = timer.filter(|timer| *timer < left);
            tokio::time::advance(due.unwrap_or(left)).await;
            self.store.now = operator::now(self.clock);
            self.rest().await;
            let said = self.said.listen(&self.store);
            if !said.is_empty() {
                self.moments.push((format!("{}  later", self.time()), said));
            }
            if due.is_none() {
                return;
            }
        }
    }

    /// Until the operator has seen everything and has nothing to do.
    async fn rest(&mut self) {
        loop {
            self.operator.settle(&self.lot).await;
            let parked = take_first(&self.lot);
            if let Some(parked) = parked {
                let answer = self.store.handle(OPERATOR, &parked.call);
                let _ = parked.answer.send(Some(answer));
            } else if let Some(kind) = self.operator.views.behind(&self.store).first() {
                self.operator.see(*kind, &self.store);
            } else if let Some(job) = self.operator.ready().first() {
                self.operator.reconcile(job.clone(), &self.store);
            } else if let Some(read) = self.operator.expired().first() {
                self.operator.refresh(read.clone(), &self.store);
            } else {
                return;
            }
        }
    }
}

/// The due times of steps. A pod that the operator has deleted follows its recording only for a
/// moment: then it ends, as recorded.
#[derive(Default)]
struct Timing {
    /// The previous step, and its due time.
    before: Option<(Timestamp, Timestamp)>,
    /// When the deletion of the pod was first seen.
    going_since: Option<Timestamp>,
    has_skipped: bool,
}

impl Timing {
    fn due(&mut self, step: &RecordedStep, is_going: bool) -> Option<Timestamp> {
        let (recorded, due) = self.before.unwrap_or((step.at, step.at));
        let since = is_going.then(|| *self.going_since.get_or_insert(due));
        let gap = if std::mem::take(&mut self.has_skipped) {
            A_WHILE
        } else {
            step.at.duration_since(recorded)
        };
        let next = due + gap;
        if step.deletion.is_none() && since.is_some_and(|since| next > since + A_MOMENT) {
            self.has_skipped = true;
            return None;
        }
        self.before = Some((step.at, next));
        Some(next)
    }
}

fn take_first(lot: &Lot) -> Option<crate::service::Parked> {
    let mut lot = lot.lock().unwrap();
    (!lot.is_empty()).then(|| lot.remove(0))
}
