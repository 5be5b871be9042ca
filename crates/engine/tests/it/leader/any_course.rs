//! Three operators under random trouble: two never write at the same time.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use engine::leader::WriteGate;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::store::{Link, Store};
use super::{DEADLINE, DURATION, operator};

const OPERATORS: usize = 3;
/// How often the test checks which process may write.
const TICK: Duration = Duration::from_millis(250);
const TICKS: u64 = 2_000;
const SEEDS: u64 = 12;

/// Numbers that look random: a linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// A process: its work stands still while it is stopped; its deadline does not.
struct Process {
    link: Link,
    is_stopped: Arc<AtomicBool>,
    asked_to_end: Arc<AtomicBool>,
    gate: WriteGate,
    life: JoinHandle<()>,
}

impl Process {
    fn start(store: &Store, identity: &str) -> Self {
        let link = store.link();
        let (mut campaign, gate) = operator(&link, identity);
        let (is_stopped, asked_to_end) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let asked = asked_to_end.clone();
        let life = async move {
            campaign.win(|| true).await;
            let ended = async {
                while !asked.load(Ordering::SeqCst) {
                    sleep(TICK).await;
                }
            };
            tokio::select! {
                _ = campaign.hold() => return,
                () = ended => {}
            }
            campaign.release(DEADLINE).await;
        };
        let life = Stoppable {
            inner: Box::pin(life),
            is_stopped: is_stopped.clone(),
        };
        Self {
            link,
            is_stopped,
            asked_to_end,
            gate,
            life: tokio::spawn(life),
        }
    }

    fn may_write(&self) -> bool {
        !self.life.is_finished() && !self.is_stopped.load(Ordering::SeqCst) && self.gate.is_open()
    }
}

/// A future that is not polled while it is stopped.
struct Stoppable {
    inner: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_stopped: Arc<AtomicBool>,
}

impl Future for Stoppable {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_stopped.load(Ordering::SeqCst) {
            let waker = cx.waker().clone();
            tokio::spawn(async move {
                sleep(TICK).await;
                waker.wake();
            });
            return Poll::Pending;
        }
        self.inner.as_mut().poll(cx)
    }
}

#[tokio::test(start_paused = true)]
async fn never_do_two_write_at_the_same_time() {
    let mut led = 0;
    let mut handed_over = 0;
    for seed in 0..SEEDS {
        let (ticks, changes) = run(seed).await;
        led += ticks;
        handed_over += changes;
    }
    let share = led * 100 / (SEEDS * TICKS);
    assert!(
        share > 30,
        "an operator leads most of the time, not {share} %"
    );
    assert!(handed_over > 60, "{handed_over} changes of the leader");
}

async fn run(seed: u64) -> (u64, u64) {
    let store = Store::default();
    let mut numbers = Numbers(seed);
    let mut started = 0;
    let mut start = || {
        started += 1;
        Process::start(&store, &format!("p{started}"))
    };
    let mut all: Vec<Process> = (0..OPERATORS).map(|_| start()).collect();
    let (mut ticks, mut changes) = (0, 0);
    let mut last: Option<(usize, Instant, bool)> = None;
    for _ in 0..TICKS {
        sleep(TICK).await;
        let writers: Vec<usize> = (0..OPERATORS).filter(|i| all[*i].may_write()).collect();
        assert!(writers.len() <= 1, "seed {seed}: {writers:?} may write");
        if let Some(writer) = writers.first() {
            if let Some((_, at, was_asked)) = last.filter(|(before, ..)| before != writer) {
                changes += 1;
                let gap = at.elapsed() + TICK;
                assert!(
                    was_asked || gap + DEADLINE >= DURATION,
                    "seed {seed}: {gap:?}"
                );
            }
            ticks += 1;
            let was_asked = all[*writer].asked_to_end.load(Ordering::SeqCst);
            last = Some((*writer, Instant::now(), was_asked));
        }
        let i = usize::try_from(numbers.below(OPERATORS as u64)).unwrap();
        match numbers.below(120) {
            0 => all[i].link.cut(true),
            1..4 => all[i].link.cut(false),
            4 => all[i].link.lose_answers(true),
            5..8 => all[i].link.lose_answers(false),
            8 => all[i].is_stopped.store(true, Ordering::SeqCst),
            9..12 => all[i].is_stopped.store(false, Ordering::SeqCst),
            12 => {
                all[i].asked_to_end.store(true, Ordering::SeqCst);
                if let Some((_, _, was_asked)) = last.as_mut().filter(|(w, ..)| *w == i) {
                    *was_asked = true;
                }
            }
            13 => all[i].life.abort(),
            _ => {}
        }
        if all[i].life.is_finished() {
            all[i] = start();
            // Another process, which runs.
            if let Some((writer, ..)) = last.as_mut().filter(|(w, ..)| *w == i) {
                *writer = OPERATORS;
            }
        }
    }
    (ticks, changes)
}
