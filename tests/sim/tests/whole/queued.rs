//! A set that names a queue of Kueue: its gangs run with quota, and give it back (decision 177). The
//! operator may be killed at any time.

mod gates;
mod losses;
mod nodes;
mod restarts;
mod shared;
mod surge;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::labels::RECONCILE_TRIGGER;
use operator::config::parse;
use serde_json::{Value, json};
use sim::actors::FlavorQuota;
use sim::service::Server;
use sim::store::Record;
use sim::{Id, Resource, Rng, Store, actors, queue, topology, view};

use crate::cluster;
use crate::mutant::Mutant;
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::{create, ready_pods, scale, service};

/// Simulated time within which everything comes to rest.
const LIMIT: Duration = Duration::from_mins(10);
/// Time between two kills of the operator.
const BETWEEN_KILLS: Duration = Duration::from_secs(2);
/// Lines of the story of a failure.
const LINES: usize = 80;
/// Pods of the set; four of them are in its base gang.
const PODS: i64 = 6;

/// The begin of a course: the cluster without its configuration, the quota, and the set that is created.
struct Setup {
    begin: Begin,
    quota: Vec<FlavorQuota>,
    set: Value,
}

impl Setup {
    /// Quota for so many pods on any nodes.
    fn plain(pods: i64) -> Self {
        Self {
            begin: Begin::empty(),
            quota: vec![("", pods)],
            set: queued(),
        }
    }
}

/// With queues; in a cluster with a topology also with the scheduler that knows it.
fn configured(mut begin: Begin) -> Begin {
    if topology::is_installed(&begin.store) {
        let config = "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n\
             scheduler: {profiles: [{name: kai-scheduler, backend: kai-pod-grouper}]}\n";
        begin.config = parse(config).unwrap();
    }
    begin.config.queueing.kueue.enabled = true;
    begin
}

type Quota = Arc<Mutex<Vec<FlavorQuota>>>;

/// A cluster with this quota, and the operator in it.
struct Course {
    ring: Ring,
    quota: Quota,
    is_killed: bool,
}

impl Course {
    fn begin(setup: &Setup, is_killed: bool) -> Self {
        let quota = Arc::new(Mutex::new(setup.quota.clone()));
        let begin = configured(setup.begin.clone());
        let mut ring = Ring::start_among(begin, |server| act(server, quota.clone()));
        ring.start_operator();
        Self {
            ring,
            quota,
            is_killed,
        }
    }

    fn store<R>(&self, act: impl FnOnce(&mut Store) -> R) -> R {
        self.ring.wire.server.with_store(act)
    }

    fn set_quota(&self, pods: i64) {
        self.set_quotas(vec![("", pods)]);
    }

    fn set_quotas(&self, quota: Vec<FlavorQuota>) {
        let text = format!("{quota:?}");
        *self.quota.lock().unwrap() = quota;
        // The other actors look again when something has changed. Gangs inherit no key of the operator.
        let id = Id::new(Resource::PodCliqueSet, "svc");
        self.store(|store| {
            store.edit("user", &id, |set| {
                set["metadata"]["annotations"][RECONCILE_TRIGGER] = json!(text);
            });
        });
    }

    /// Lets time pass until all is done, with three kills of the operator before.
    async fn rest(&mut self) -> Result<(), String> {
        let kills = if self.is_killed { 3 } else { 0 };
        for _ in 0..kills {
            self.ring.pass(BETWEEN_KILLS).await?;
            self.ring.kill_operators();
        }
        self.ring.come_to_rest(LIMIT).await
    }

    fn expect(&self, what: &str, holds: impl FnOnce(&Store) -> bool) -> Result<(), String> {
        let does_hold = self.store(|store| holds(store));
        does_hold
            .then_some(())
            .ok_or_else(|| format!("not so: {what}"))
    }
}

/// The other actors, Kueue among them.
async fn act(server: Server, quota: Quota) {
    let mut rng = Rng::new(1);
    let mut collector = actors::GarbageCollector::default();
    let mut changes = server.changes();
    loop {
        changes.mark_unchanged();
        let quota = quota.lock().unwrap().clone();
        let has_moved = server.with_store(|store| {
            actors::run_kueue(store, &quota) || cluster::has_moved(store, &mut collector, &mut rng)
        });
        if has_moved {
            tokio::time::sleep(cluster::PACE).await;
        } else if changes.changed().await.is_err() {
            return;
        }
    }
}

fn queued() -> Value {
    in_queue(service())
}

fn in_queue(mut set: Value) -> Value {
    set["metadata"]["labels"] = json!({"kueue.x-k8s.io/queue-name": "team-a"});
    set
}

/// Plays a course, by an operator with this bug or none; a failure comes with its story.
fn play(
    setup: &Setup,
    (is_killed, mutant): (bool, Option<Mutant>),
    course: &impl AsyncFn(&mut Course) -> Result<(), String>,
) -> Result<(), String> {
    in_paused_time(async {
        let mut cluster = Course::begin(setup, is_killed);
        cluster.ring.wire.be(mutant);
        cluster.store(|store| create(store, &setup.set));
        let played = match cluster.rest().await {
            Ok(()) => course(&mut cluster).await,
            wrong => wrong,
        };
        let kept = cluster.store(|store| check_use(store));
        let wrong = played.and(kept);
        wrong.map_err(|wrong| format!("{}\n{wrong}", cluster.ring.story(LINES)))
    })
}

fn expect_course(quota: i64, course: &impl AsyncFn(&mut Course) -> Result<(), String>) {
    expect_course_in(&Setup::plain(quota), course);
}

/// Plays a course with and without kills.
fn expect_course_in(setup: &Setup, course: &impl AsyncFn(&mut Course) -> Result<(), String>) {
    for is_killed in [false, true] {
        let played = play(setup, (is_killed, None), course);
        assert!(
            played.is_ok(),
            "killed: {is_killed}\n{}",
            played.unwrap_err()
        );
    }
}

/// At no time more pods may run than quota is reserved for.
fn check_use(store: &Store) -> Result<(), String> {
    let (mut pods, mut workloads) = (Vec::new(), Vec::new());
    for record in &store.log {
        let list = match record.id.resource {
            Resource::Pod => &mut pods,
            Resource::KueueWorkload => &mut workloads,
            _ => continue,
        };
        list.retain(|(id, _)| *id != record.id);
        list.extend(record.after.clone().map(|after| (record.id.clone(), after)));
        let counts = |pod: &Value| queue::may_run(pod) && !view::has_ended(pod);
        let used = pods.iter().filter(|(_, pod)| counts(pod)).count();
        let held: i64 = workloads.iter().map(|(_, w)| queue::held_by(w)).sum();
        if i64::try_from(used).unwrap() > held {
            return Err(describe(record, used, held));
        }
    }
    Ok(())
}

fn describe(record: &Record, used: usize, held: i64) -> String {
    let (id, time) = (&record.id, record.time);
    format!("at {time}, with {id}: {used} pods may run, with quota for {held}")
}

fn gang<'a>(store: &'a Store, name: &str) -> &'a Value {
    store.get(&Id::new(Resource::PodGang, name)).unwrap()
}

fn running_pods(store: &Store) -> usize {
    let pods = store.all(Resource::Pod);
    pods.filter(|(_, pod)| queue::may_run(pod)).count()
}

#[test]
fn gangs_start_with_quota_and_no_pod_before() {
    expect_course(2, &async |cluster| {
        cluster.expect("no pod starts", |store| running_pods(store) == 0)?;
        cluster.set_quota(3);
        cluster.rest().await?;
        cluster.expect("the minimum of the base gang runs", |store| {
            ready_pods(store) == 3 && running_pods(store) == 3
        })?;
        cluster.set_quota(4);
        cluster.rest().await?;
        cluster.expect("the base gang runs", |store| ready_pods(store) == 4)?;
        cluster.set_quota(PODS);
        cluster.rest().await?;
        cluster.expect("all run", |store| ready_pods(store) == 6)
    });
}

#[test]
fn pods_that_are_added_wait_beside_the_gang() {
    expect_course(PODS, &async |cluster| {
        cluster.store(|store| scale(store, Resource::PodClique, "svc-0-a", 3));
        cluster.rest().await?;
        cluster.expect("the gang runs on", |store| ready_pods(store) == 6)?;
        cluster.set_quota(PODS + 1);
        cluster.rest().await?;
        cluster.expect("the new pod runs too", |store| ready_pods(store) == 7)?;
        cluster.store(|store| scale(store, Resource::PodClique, "svc-0-a", 2));
        cluster.rest().await?;
        cluster.expect("its quota is given back", |store| {
            store.all(Resource::KueueWorkload).count() == 2
        })
    });
}

/// In the end nothing is left, and at no time did a pod run without quota.
#[test]
fn a_deleted_set_holds_its_quota_until_its_pods_have_ended() {
    expect_course(PODS, &async |cluster| {
        cluster.expect("all run", |store| ready_pods(store) == 6)?;
        cluster.store(|store| store.remove("user", &Id::new(Resource::PodCliqueSet, "svc")));
        cluster.rest().await?;
        cluster.expect("nothing is left", |store| {
            let kinds = [
                Resource::PodCliqueSet,
                Resource::PodGang,
                Resource::KueueWorkload,
            ];
            kinds.iter().all(|kind| store.all(*kind).count() == 0)
        })
    });
}

#[test]
fn a_suspended_set_holds_no_quota() {
    expect_course(PODS, &async |cluster| {
        let suspend = |store: &mut Store, is_suspended: bool| {
            let id = Id::new(Resource::PodCliqueSet, "svc");
            store.edit("user", &id, |set| {
                set["spec"]["suspend"] = json!(is_suspended);
            });
        };
        cluster.store(|store| suspend(store, true));
        cluster.rest().await?;
        cluster.expect("it has no Workload", |store| {
            store.all(Resource::KueueWorkload).count() == 0
        })?;
        cluster.store(|store| suspend(store, false));
        cluster.rest().await?;
        cluster.expect("all run again", |store| ready_pods(store) == 6)
    });
}
