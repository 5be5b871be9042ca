//! The metrics of updates: how many sets are in which state, and how long one has made no progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podclique::PclqUpdateProgress;
use api::podcliquescalinggroup::PcsgUpdateProgress;
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::health::suspension;
use engine::metrics::Metrics;
use engine::{Context, state_metrics};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::json;
use testkit::builders::{after, podclique, set, stored};

use super::{context, lines};

const STATES: &str = "grove_updates{";
const IDLE: &str = "grove_update_idle_seconds{";

fn read(context: &Context, name: &str) -> String {
    let text = Metrics::default().encode(&state_metrics::registry(context));
    lines(&text, &[name])
}

/// A set that reports this about its update.
fn reporting(name: &str, status: Status, reason: Reason) -> PodCliqueSet {
    let mut set = set(name).build();
    let update = ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status,
        reason,
        message: String::new(),
    };
    let reported = set.status.get_or_insert_default();
    conditions::set(&mut reported.conditions, update, Some(1), after(0));
    set
}

/// A refused update keeps its running pods, and one that stands still may belong to a set that is Ready
/// or to one that is not: only `UpdateInProgress` tells them apart.
#[tokio::test]
async fn each_update_is_counted_in_its_state() {
    let context = context();
    let sets = context.caches.of::<PodCliqueSet>();
    for (name, status, reason) in [
        ("runs", Status::True, Reason::Progressing),
        ("late", Status::Unknown, Reason::ProgressDeadlineExceeded),
        ("crowded", Status::Unknown, Reason::NoRoom),
        ("absent", Status::Unknown, Reason::ReplicasAway),
        ("crashing", Status::Unknown, Reason::NoProgress),
        ("paused", Status::False, Reason::Paused),
        ("canary", Status::False, Reason::Partitioned),
        ("refused", Status::False, Reason::TemplateRefused),
        ("unchecked", Status::False, Reason::TemplateUnchecked),
        ("idle", Status::False, Reason::NoActiveUpdate),
    ] {
        sets.apply(reporting(name, status, reason));
    }
    sets.apply(set("unseen").build());
    let of = |state: &str, count: u32| {
        format!(r#"grove_updates{{namespace="default",state="{state}"}} {count}"#)
    };
    let expected = [
        of("partitioned", 1),
        of("paused", 1),
        of("refused", 1),
        of("running", 1),
        of("standing", 4),
    ];
    assert_eq!(read(&context, STATES), expected.join("\n"));
    assert_eq!(read(&context, IDLE), "", "none of them has the turn");

    let standing = [
        ("2", "late"),
        ("3", "crowded"),
        ("4", "absent"),
        ("5", "crashing"),
    ];
    for (version, name) in standing {
        let mut resumed = reporting(name, Status::True, Reason::Progressing);
        resumed.metadata.resource_version = Some(version.to_owned());
        sets.apply(resumed);
    }
    let states = read(&context, STATES);
    assert!(states.contains(&of("running", 5)), "{states}");
    assert!(!states.contains("standing"), "{states}");
}

/// The context, at a time that the test sets.
fn timed() -> (Context, Arc<AtomicI64>) {
    let seconds = Arc::new(AtomicI64::new(0));
    let clock = seconds.clone();
    let read_clock = Arc::new(move || after(clock.load(Ordering::Relaxed)));
    (context().with_clock(read_clock), seconds)
}

/// Set `demo`, of which replica 0 has the turn since 10.
fn in_turn(version: i64, change: impl FnOnce(&mut PodCliqueSet)) -> PodCliqueSet {
    let mut set = set("demo").build();
    set.metadata.resource_version = Some(version.to_string());
    let turn = ReplicaUpdateProgress::begin(0, Time(after(10)));
    set.status.get_or_insert_default().update_progress = Some(PcsUpdateProgress {
        currently_updating: vec![turn],
        ..PcsUpdateProgress::begin(Time(after(5)))
    });
    change(&mut set);
    set
}

/// Its clique last made progress at this time.
fn clique(seconds: i64) -> PodClique {
    let mut clique = PodClique::clone(&podclique("demo-0-web").build());
    clique.metadata.resource_version = Some(seconds.to_string());
    clique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        last_progress_time: Some(Time(after(seconds))),
        ..PclqUpdateProgress::begin("r1a".into(), "r1b".into(), Time(after(10)))
    });
    clique
}

/// The same of its group.
fn group(seconds: i64) -> PodCliqueScalingGroup {
    let mut group = PodCliqueScalingGroup {
        metadata: stored("demo-0-g"),
        ..PodCliqueScalingGroup::default()
    };
    group.metadata.labels = Some(labels::default_labels("demo"));
    group.status.get_or_insert_default().update_progress = Some(PcsgUpdateProgress {
        last_progress_time: Some(Time(after(seconds))),
        ..PcsgUpdateProgress::begin("r1a".into(), Time(after(10)))
    });
    group
}

fn idle(context: &Context, clock: &AtomicI64, now: i64) -> String {
    clock.store(now, Ordering::Relaxed);
    let line = read(context, IDLE);
    let of_namespace = format!(r#"{IDLE}namespace="default"}} "#);
    line.strip_prefix(&of_namespace).unwrap_or(&line).to_owned()
}

#[tokio::test]
async fn the_idle_time_of_an_update_rises_until_it_makes_progress() {
    let (context, clock) = timed();
    context
        .caches
        .of::<PodCliqueSet>()
        .apply(in_turn(1, |_| ()));
    assert_eq!(idle(&context, &clock, 30), "20.0", "since the turn began");
    let cliques = context.caches.of::<PodClique>();
    cliques.apply(clique(40));
    for (now, expected) in [(40, "0.0"), (50, "10.0"), (110, "70.0")] {
        assert_eq!(idle(&context, &clock, now), expected);
    }
    // Progress of any part is progress of the update.
    context
        .caches
        .of::<PodCliqueScalingGroup>()
        .apply(group(100));
    assert_eq!(idle(&context, &clock, 110), "10.0");
    cliques.apply(clique(108));
    assert_eq!(idle(&context, &clock, 110), "2.0");
}

/// Of two updates the longer wait is reported.
#[tokio::test]
async fn the_first_of_the_updates_that_wait_is_reported() {
    let (context, clock) = timed();
    let sets = context.caches.of::<PodCliqueSet>();
    sets.apply(in_turn(1, |_| ()));
    sets.apply(in_turn(1, |set| {
        set.metadata.name = Some("later".into());
        set.metadata.uid = Some("uid-later".into());
        let progress = set.status.as_mut().unwrap().update_progress.as_mut();
        progress.unwrap().currently_updating[0].update_started_at = Time(after(60));
    }));
    assert_eq!(idle(&context, &clock, 70), "60.0");
}

/// A suspended set makes no progress, and after the resume its pods have to start.
#[tokio::test]
async fn the_update_of_a_suspended_set_is_idle_from_the_resume_on() {
    let (context, clock) = timed();
    let sets = context.caches.of::<PodCliqueSet>();
    let suspended = |version, resumed: Option<i64>| {
        in_turn(version, |set| {
            let status = set.status.as_mut().unwrap();
            suspension::begin(status, None, after(20));
            if let Some(at) = resumed {
                suspension::end(status, None, after(at));
            }
        })
    };
    sets.apply(suspended(1, None));
    assert_eq!(idle(&context, &clock, 500), "");
    sets.apply(suspended(2, Some(400)));
    assert_eq!(idle(&context, &clock, 500), "100.0");
}

/// Nobody waits for an update that is paused, that rests at a partition, or that has ended.
#[tokio::test]
async fn an_update_that_does_not_run_is_not_idle() {
    let (context, clock) = timed();
    let sets = context.caches.of::<PodCliqueSet>();
    sets.apply(in_turn(1, |_| ()));
    assert_eq!(idle(&context, &clock, 20), "10.0");
    sets.apply(in_turn(2, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    }));
    assert_eq!(idle(&context, &clock, 500), "", "paused");
    sets.apply(in_turn(3, |_| ()));
    assert_eq!(idle(&context, &clock, 500), "490.0", "it goes on");
    let progress = |set: &mut PodCliqueSet, change: fn(&mut PcsUpdateProgress)| {
        let status = set.status.as_mut().unwrap();
        change(status.update_progress.as_mut().unwrap());
    };
    sets.apply(in_turn(4, |set| {
        progress(set, |progress| progress.currently_updating.clear());
    }));
    let since = "it waits for replicas that are away, since it began";
    assert_eq!(idle(&context, &clock, 500), "495.0", "{since}");
    sets.apply(in_turn(5, |set| {
        progress(set, |progress| progress.currently_updating.clear());
        let status = set.status.as_mut().unwrap();
        let partitioned = json!({
            "type": "UpdateInProgress", "status": "False", "reason": "Partitioned",
            "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        status.conditions = vec![serde_json::from_value(partitioned).unwrap()];
    }));
    assert_eq!(idle(&context, &clock, 500), "", "it rests");
    sets.apply(in_turn(6, |set| {
        progress(set, |progress| {
            progress.update_ended_at = Some(Time(after(400)));
        });
    }));
    assert_eq!(idle(&context, &clock, 500), "", "it has ended");
}
