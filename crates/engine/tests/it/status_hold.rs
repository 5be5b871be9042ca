//! How long a status waits for more of its kind.

use std::sync::Arc;
use std::time::Duration;

use api::{PodClique, PodCliqueStatus};
use domain::Key;
use domain::plan::Plan;
use engine::metrics::Metrics;
use engine::requests::Requests;
use engine::triggers::TriggersOf;
use engine::worker::Worker;
use engine::{Caches, Context, ControllerName, Pace, Reconciler};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use tokio::time::{Instant, advance};

use crate::server::{Asked, PODCLIQUE, client, controllers};

const NOW: SignedDuration = SignedDuration::from_hours(1);

/// Counts another pod; a latch is urgent, and ends the start.
struct Counting {
    next: PodCliqueStatus,
}

impl Reconciler for Counting {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = ();
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(_: &mut TriggersOf<'_>) {}

    fn pace(old: Option<&PodCliqueStatus>, new: &PodCliqueStatus) -> Pace {
        match old {
            None if new.replicas == 0 || new.was_available => Pace::Now,
            Some(old) if old.was_available != new.was_available => Pace::Now,
            _ if new.was_available => Pace::Soon,
            _ => Pace::WhenUp,
        }
    }

    fn observe(&self, _: &Arc<PodClique>, _: &Caches) {}

    fn decide(&self, (): &(), _: Timestamp) -> Plan<PodCliqueStatus> {
        Plan {
            status: Some(self.next.clone()),
            ..Plan::default()
        }
    }
}

/// A PodClique of that age whose stored and next status are these.
fn worker(
    age: SignedDuration,
    stored: Option<PodCliqueStatus>,
    next: PodCliqueStatus,
) -> (Worker<Counting>, Asked) {
    let (client, asked) = client(Vec::new());
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client, metrics.clone());
    let now = Timestamp::UNIX_EPOCH + NOW;
    let began = Instant::now();
    let clock = move || now + SignedDuration::try_from(began.elapsed()).unwrap();
    let context = Context::new(requests, metrics, controllers()).with_clock(Arc::new(clock));
    let built = testkit::builders::podclique("demo").build();
    let mut podclique = Arc::unwrap_or_clone(built);
    podclique.metadata.namespace = Some("default".into());
    podclique.metadata.creation_timestamp = Some(Time(now - age));
    podclique.status = stored;
    context.caches.of::<PodClique>().apply(podclique);
    (Worker::new(Counting { next }, Arc::new(context)), asked)
}

fn counted(replicas: i32, was_available: bool) -> PodCliqueStatus {
    PodCliqueStatus {
        replicas,
        was_available,
        ..PodCliqueStatus::default()
    }
}

async fn pause(worker: &Worker<Counting>) -> Option<u128> {
    let turn = worker.reconcile(&Key::new("default", "demo")).await;
    turn.again.map(|again| again.as_millis())
}

#[tokio::test(start_paused = true)]
async fn counts_of_a_starting_object_wait_as_long_as_it_has_been_starting_within_bounds() {
    for (age, hold) in [
        (SignedDuration::from_secs(-30), 2000),
        (SignedDuration::from_secs(0), 2000),
        (SignedDuration::from_secs(3), 3000),
        (SignedDuration::from_secs(60), 5000),
        (SignedDuration::from_mins(10), 500),
    ] {
        for stored in [None, Some(counted(0, false))] {
            let (worker, asked) = worker(age, stored, counted(1, false));
            assert_eq!(pause(&worker).await, Some(hold), "{age}");
            advance(Duration::from_millis(200)).await;
            assert_eq!(pause(&worker).await, Some(hold - 200), "{age}");
            assert_eq!(asked.lock().unwrap().len(), 0, "{age}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_status_that_waited_is_written_in_the_end() {
    let age = SignedDuration::from_secs(0);
    let (worker, asked) = worker(age, None, counted(1, false));
    pause(&worker).await;
    advance(Duration::from_secs(2)).await;
    pause(&worker).await;
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_urgent_status_and_an_awaited_first_one_wait_for_nothing() {
    let age = SignedDuration::from_secs(3);
    for (stored, next) in [
        (Some(counted(0, false)), counted(1, true)),
        (Some(counted(1, true)), counted(1, false)),
        (None, counted(0, false)),
        (None, counted(1, true)),
    ] {
        let (worker, asked) = worker(age, stored, next);
        pause(&worker).await;
        assert_eq!(asked.lock().unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn counts_of_a_running_object_wait_shortly() {
    let stored = Some(counted(0, true));
    let (worker, _) = worker(SignedDuration::from_secs(3), stored, counted(1, true));
    assert_eq!(pause(&worker).await, Some(500));
}
