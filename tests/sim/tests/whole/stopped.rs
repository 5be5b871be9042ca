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

const PODS: usize = 200;

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
        let pods = i32::try_from(PODS).unwrap();
        let large = manifest(set("svc").clique("a", |c| c.replicas(pods).min(pods)));
        cluster.store(|store| create(store, &large));
        cluster.rest().await?;
        cluster.expect("all run", |store| ready_pods(store) == PODS)?;
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
