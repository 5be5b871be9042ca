//! Sets that are suspended, and jobs that are kept for a time after their end: how long that takes.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sim::store::Record;
use sim::{Id, Resource, Store, view};
use testkit::builders::set;

use crate::course::{Course, play, reason, svc};
use crate::ring::Begin;
use crate::scenarios::{create, fail_pods, job, manifest, ready_pods};

const REPLICAS: i32 = 10;
/// Pods of each replica. I2 finds fault with more pods of one PodClique at once.
const PODS: i32 = 20;
const ALL_PODS: usize = 200;

fn edit_spec(store: &mut Store, change: impl FnOnce(&mut Value)) {
    let id = Id::new(Resource::PodCliqueSet, "svc");
    store.edit("user", &id, |set| change(&mut set["spec"]));
}

fn suspend(store: &mut Store, is_suspended: bool) {
    edit_spec(store, |spec| spec["suspend"] = json!(is_suspended));
}

fn count_events(store: &Store, reason: &str) -> usize {
    let events = store.all(Resource::Event);
    events
        .filter(|(_, event)| view::text(event, "/reason") == reason)
        .count()
}

/// The other actors are fast, so the time is the operator's.
#[test]
fn two_hundred_pods_are_away_within_five_seconds() {
    let begin = Begin {
        pace: Duration::from_millis(1),
        ..Begin::empty()
    };
    play(begin, false, &async |cluster| {
        let large = set("svc").replicas(REPLICAS);
        let large = manifest(large.clique("a", |c| c.replicas(PODS).min(PODS)));
        cluster.store(|store| create(store, &large));
        cluster.rest().await?;
        cluster.expect("all run", |store| ready_pods(store) == ALL_PODS)?;
        cluster.store(|store| suspend(store, true));
        cluster.ring.pass(Duration::from_secs(5)).await?;
        cluster.expect("no pod is left", |store| {
            store.all(Resource::Pod).next().is_none()
        })?;
        cluster.rest().await?;
        cluster.expect("nothing is terminated", |store| {
            let attempts = view::attempt(&svc(store), 0);
            attempts == 0 && count_events(store, "GangTerminated") == 0
        })
    });
}

/// A job without restarts, a hundred times: what its controllers see between the two varies.
#[test]
fn a_job_that_is_suspended_and_resumed_within_50_milliseconds_never_fails() {
    play(Begin::empty(), false, &async |cluster| {
        cluster.store(|store| create(store, &job(0)));
        cluster.rest().await?;
        for turn in 0..100 {
            cluster.store(|store| suspend(store, true));
            cluster.ring.pass(Duration::from_millis(turn / 2)).await?;
            cluster.store(|store| suspend(store, false));
            cluster.rest().await?;
            cluster.expect("it runs, and was not restarted", |store| {
                let job = svc(store);
                let is_running = view::text(&job, "/status/phase") == "Running";
                let is_untouched = view::number(&job, "/status/restartCount") == 0;
                ready_pods(store) == 2 && is_running && is_untouched
            })?;
        }
        Ok(())
    });
}

/// A job that ends as soon as a pod fails, and is kept for five seconds.
fn kept() -> Value {
    let mut job = job(0);
    job["spec"]["trainingSpec"]["ttlAfterFinished"] = json!("5s");
    job
}

/// The stored end of the job, and when it was deleted.
fn ends(store: &Store) -> (Option<Timestamp>, Option<Timestamp>) {
    let set = Id::new(Resource::PodCliqueSet, "svc");
    let records: Vec<&Record> = store.log.iter().filter(|r| r.id == set).collect();
    let last = records.iter().rev().find_map(|r| r.after.as_ref());
    let mut conditions = last
        .into_iter()
        .flat_map(|set| view::list(set, "/status/conditions"));
    let failed = conditions.find(|condition| view::text(condition, "/type") == "Failed");
    let ended = failed.and_then(|failed| view::time(failed, "/lastTransitionTime"));
    let is_deleted = |record: &&&Record| {
        let after = record.after.as_ref();
        after.is_none_or(|set| view::is_terminating(set))
    };
    let deleted = records.iter().find(is_deleted);
    (ended, deleted.map(|record| record.time))
}

/// Between the stored end and the deletion.
fn kept_for(store: &Store) -> Option<SignedDuration> {
    let (ended, deleted) = ends(store);
    Some(deleted?.duration_since(ended?))
}

/// The job runs, and one of its pods fails.
async fn fail(cluster: &mut Course) -> Result<(), String> {
    cluster.store(|store| create(store, &kept()));
    cluster.rest().await?;
    cluster.store(|store| fail_pods(store, "svc-0-a"));
    cluster.ring.pass(Duration::from_secs(4)).await?;
    cluster.expect("it is over, and there", |store| {
        reason(&svc(store), "Failed") == "MaxRestartsExceeded"
    })
}

#[test]
fn a_job_goes_five_seconds_after_its_end() {
    play(Begin::empty(), false, &async |cluster| {
        fail(cluster).await?;
        cluster.settle().await?;
        let kept = cluster.store(|store| kept_for(store));
        let (least, most) = (
            SignedDuration::from_secs(5),
            SignedDuration::from_millis(5500),
        );
        cluster.expect(&format!("{kept:?} are 5.0 to 5.5 seconds"), |_| {
            kept.is_some_and(|kept| (least..=most).contains(&kept))
        })
    });
}

/// The time passes while the operator is down; the next one deletes it as soon as it has read it.
#[test]
fn a_job_goes_although_the_operator_was_down() {
    play(Begin::empty(), false, &async |cluster| {
        fail(cluster).await?;
        cluster.ring.kill_operators();
        cluster.ring.pass(Duration::from_secs(4)).await?;
        cluster.expect("it goes", |store| {
            let job = svc(store);
            job == Value::Null || view::is_terminating(&job)
        })
    });
}

#[test]
fn a_job_stays_if_the_time_is_removed_before() {
    play(Begin::empty(), false, &async |cluster| {
        fail(cluster).await?;
        cluster.store(|store| {
            edit_spec(store, |spec| {
                spec["trainingSpec"]["ttlAfterFinished"] = Value::Null;
            });
        });
        cluster.rest().await?;
        cluster.expect("it stays", |store| {
            svc(store) != Value::Null && count_events(store, "TTLExpired") == 0
        })
    });
}

/// Moments at which the operator is killed, in milliseconds since the job was suspended: while it is being
/// suspended, suspended, resumed, before its end, and at its end.
const KILLS: &[u64] = &[50, 30_000, 60_050, 75_000, 79_900];
/// The moment at which it is resumed.
const RESUME: u64 = 60_000;
/// A moment at which it has to be over: ten of its thirty seconds have passed before.
const OVER: u64 = RESUME + 28_000;

/// Lets time pass between two moments. The operator is killed at those of `kills` that are in between.
async fn pass(cluster: &mut Course, begin: u64, end: u64, kills: &[u64]) -> Result<(), String> {
    let mut now = begin;
    for kill in kills.iter().filter(|kill| (begin..end).contains(*kill)) {
        cluster.ring.pass(Duration::from_millis(kill - now)).await?;
        cluster.ring.kill_operators();
        now = *kill;
    }
    cluster.ring.pass(Duration::from_millis(end - now)).await
}

/// How long the job ran until it failed, without the time in which it was meant to be suspended.
fn ran_for(store: &Store) -> Option<SignedDuration> {
    let started = view::time(&svc(store), "/status/startTime")?;
    let (ended, _) = ends(store);
    let stood = SignedDuration::try_from(Duration::from_millis(RESUME)).unwrap();
    Some(ended?.duration_since(started) - stood)
}

/// A job that may run for 30 seconds runs for ten, is suspended for a minute, and is resumed.
async fn stand_still(cluster: &mut Course, kills: &[u64]) -> Result<(), String> {
    let mut limited = job(0);
    limited["spec"]["trainingSpec"]["maxRuntime"] = json!("30s");
    cluster.store(|store| create(store, &limited));
    cluster.ring.pass(Duration::from_secs(10)).await?;
    cluster.expect("it runs", |store| ready_pods(store) == 2)?;
    cluster.store(|store| suspend(store, true));
    pass(cluster, 0, RESUME, kills).await?;
    cluster.expect("it is suspended, and has not failed", |store| {
        let is_any_left = store.all(Resource::Pod).next().is_some();
        let job = svc(store);
        view::has_condition(&job, "Suspended")
            && !view::has_condition(&job, "Failed")
            && !is_any_left
    })?;
    cluster.store(|store| suspend(store, false));
    pass(cluster, RESUME, OVER, kills).await?;
    cluster.expect("it has run for too long", |store| {
        reason(&svc(store), "Failed") == "MaxRuntimeExceeded"
    })?;
    let ran = cluster.store(|store| ran_for(store));
    // Times have whole seconds, and another operator starts within two.
    let right = SignedDuration::from_secs(27)..=SignedDuration::from_secs(34);
    cluster.expect(
        &format!("{ran:?} are about 30 seconds; killed at {kills:?}"),
        |_| ran.is_some_and(|ran| right.contains(&ran)),
    )
}

/// Fails if the time of the suspension counts, as the job then ends when it is resumed; if an operator that
/// starts counts it twice or begins it anew, as the job then ends too late or too early; or if nothing
/// triggers the set at the later deadline.
#[test]
fn the_time_of_a_job_stands_still_while_it_is_suspended() {
    let single = KILLS.chunks(1);
    for kills in single.chain([KILLS, &[]]) {
        play(Begin::empty(), false, &async |cluster| {
            stand_still(cluster, kills).await
        });
    }
}
