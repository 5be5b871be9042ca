//! The cost per tenant, times the number of tenants.

use std::sync::Arc;
use std::time::Duration;

use domain::Key;
use engine::flow::Flow;
use engine::work_queue::{TurnEnd, WorkQueue};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;

/// As many as PodCliques have.
const SLOTS: usize = 10;
/// Sets of each tenant.
const SETS: usize = 12;
/// Pods that a turn creates at once.
const PODS: usize = 4;
/// How long the API server waits for a silent webhook.
const HANG: Duration = Duration::from_secs(30);
/// How long it takes for any other write.
const QUICK: Duration = Duration::from_millis(5);
const ROUNDS: usize = 600;
const NEIGHBOUR: &str = "neighbour";

/// The work of one controller, where webhooks hang in namespaces whose names say so.
#[derive(Clone, Default)]
struct Operator {
    queue: WorkQueue,
    flow: Flow,
    reported: Arc<Notify>,
}

impl Operator {
    async fn run(self) {
        loop {
            let standing = |namespace: &str| self.flow.write_health(namespace);
            let turn = self.queue.next(SLOTS, standing).await;
            tokio::spawn(self.clone().work(turn.key));
        }
    }

    async fn work(self, key: Key) {
        let writes = (0..PODS).map(|_| self.write(&key.namespace));
        futures::future::join_all(writes).await;
        let does_hang = key.namespace.starts_with("hangs");
        let again = does_hang.then_some(Duration::from_secs(5));
        let deciding = Duration::from_millis(1);
        self.queue.finish(&key, TurnEnd { deciding, again });
        if key.namespace == NEIGHBOUR {
            self.reported.notify_one();
        }
    }

    async fn write(&self, namespace: &str) {
        let hangs = namespace.starts_with("hangs");
        let takes = if hangs { HANG } else { QUICK };
        self.flow.enter(namespace).await.write(sleep(takes)).await;
    }

    /// How long it takes from a pod's failure to the writes that report it.
    async fn fail_a_pod(&self) -> Duration {
        let began = Instant::now();
        self.queue.add(Key::new(NEIGHBOUR, "set"));
        self.reported.notified().await;
        began.elapsed()
    }
}

/// The neighbour's waits, sorted, beside so many tenants behind webhooks that hang.
async fn waits_beside(tenants: usize) -> Vec<Duration> {
    let operator = Operator::default();
    let _running = AbortOnDropHandle::new(tokio::spawn(operator.clone().run()));
    // It existed before them.
    operator.fail_a_pod().await;
    for tenant in 0..tenants {
        for set in 0..SETS {
            let key = Key::new(format!("hangs-{tenant}"), set.to_string());
            operator.queue.add(key);
        }
    }
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        sleep(Duration::from_secs(1)).await;
        waits.push(operator.fail_a_pod().await);
    }
    waits.sort();
    waits
}

/// Of all waits, including those in which the hanging tenants were not known yet.
#[tokio::test(start_paused = true)]
async fn however_many_hang_a_neighbour_waits_for_less_than_500_ms() {
    for tenants in [0, 1, 4, 8, 64] {
        let waits = waits_beside(tenants).await;
        let (p50, p99) = (waits[ROUNDS / 2], waits[ROUNDS * 99 / 100]);
        println!(
            "{tenants} hang: p50 {p50:?}, p99 {p99:?}, longest {:?}",
            waits[ROUNDS - 1]
        );
        assert!(p99 <= Duration::from_millis(500), "{tenants}: {p99:?}");
    }
}
