//! Each check of training jobs fails on a log with its error, made by hand.

mod job;

use serde_json::json;
use sim::check::in_time;
use sim::{Id, Resource};

use job::{Job, NOW, clique_spec};

/// The invariant that `wrong` breaks after `before`, which is right.
fn found(before: impl FnOnce(&mut Job), wrong: impl FnOnce(&mut Job)) -> Option<&'static str> {
    let mut job = Job::new();
    before(&mut job);
    job.settle();
    let settled = job.store.log.len();
    wrong(&mut job);
    job.broken(settled)
}

const CLIQUE: &str = "/apis/grove.io/v1alpha1/namespaces/default/podcliques/demo-0-a";
const POD: &str = "/api/v1/namespaces/default/pods/demo-0-a-x";

#[test]
fn a_restart_is_right() {
    assert_eq!(found(Job::fail, |job| job.restart(1, 1)), None);
    let restarted = |job: &mut Job| {
        job.fail();
        job.set_pod("demo-0-a-y", "Failed", "False");
        job.restart(1, 1);
    };
    assert_eq!(found(restarted, |job| job.delete(CLIQUE)), None);
}

#[test]
fn i21_a_restart_is_not_counted() {
    assert_eq!(found(Job::fail, |job| job.restart(1, 0)), Some("I21"));
}

#[test]
fn i21_a_restart_is_counted_twice() {
    assert_eq!(found(Job::fail, |job| job.restart(1, 2)), Some("I21"));
}

#[test]
fn i22_more_restarts_than_are_allowed() {
    let second = |job: &mut Job| {
        job.fail();
        let id = Id::new(Resource::PodCliqueSet, "demo");
        job.store.edit("user", &id, |set| {
            set["spec"]["trainingSpec"]["maxRestarts"] = json!(0);
        });
    };
    assert_eq!(found(second, |job| job.restart(1, 1)), Some("I22"));
}

#[test]
fn i22_given_up_though_a_restart_is_left() {
    let wrong = |job: &mut Job| job.give_up("MaxRestartsExceeded");
    assert_eq!(found(Job::fail, wrong), Some("I22"));
}

#[test]
fn i23_destroyed_before_it_is_counted() {
    assert_eq!(found(Job::fail, |job| job.delete(CLIQUE)), Some("I23"));
}

#[test]
fn i24_the_start_is_reset() {
    let later = |job: &mut Job| {
        job.store.now = testkit::builders::after(5);
        job.start("2026-01-01T00:00:05Z");
    };
    assert_eq!(found(|job| job.start(NOW), later), Some("I24"));
}

#[test]
fn i24_the_start_is_before_the_job() {
    let wrong = |job: &mut Job| job.start("2025-12-31T23:59:59Z");
    assert_eq!(found(|_| (), wrong), Some("I24"));
}

#[test]
fn i24_given_up_before_its_time_is_over() {
    let give_up_after = |seconds: i64| {
        move |job: &mut Job| {
            job.store.now = testkit::builders::after(seconds);
            job.give_up("MaxRuntimeExceeded");
        }
    };
    assert_eq!(found(|job| job.start(NOW), give_up_after(9)), Some("I24"));
    assert_eq!(found(|job| job.start(NOW), give_up_after(10)), None);
}

#[test]
fn i24_it_runs_for_too_long() {
    let mut job = Job::new();
    job.start(NOW);
    let calm = job.store.now;
    assert_eq!(in_time(&job.store, calm), Ok(()));
    job.store.now = testkit::builders::after(200);
    assert_eq!(in_time(&job.store, calm).unwrap_err().invariant, "I24");
}

fn done(job: &mut Job) {
    job.set_pod("demo-0-a-x", "Succeeded", "False");
    job.status("podcliques/demo-0-a", &json!({"completedIndices": "0"}));
}

#[test]
fn i25_a_pod_that_is_done_is_deleted() {
    assert_eq!(found(done, |job| job.delete(POD)), Some("I25"));
}

#[test]
fn i25_a_slot_that_is_done_gets_another_pod() {
    let removed = |job: &mut Job| {
        done(job);
        job.store
            .remove("user", &Id::new(Resource::Pod, "demo-0-a-x"));
    };
    assert_eq!(found(removed, |job| job.pod("demo-0-a-x")), Some("I25"));
}

#[test]
fn i25_finished_work_counts_as_failed() {
    let breached = |job: &mut Job| {
        done(job);
        job.breach();
    };
    assert_eq!(found(breached, |job| job.restart(1, 1)), Some("I25"));
}

#[test]
fn i25_finished_work_is_forgotten() {
    let forget = |job: &mut Job| {
        job.status("podcliques/demo-0-a", &json!({"completedIndices": null}));
    };
    assert_eq!(found(done, forget), Some("I25"));
}

#[test]
fn i25_a_podclique_that_is_done_is_made_again() {
    let latched = |job: &mut Job| {
        let entry = json!({"replica": 0, "attempt": 0, "succeeded": ["demo-0-a"]});
        job.status("podcliquesets/demo", &json!({"replicaAttempts": [entry]}));
        job.store
            .remove("user", &Id::new(Resource::PodClique, "demo-0-a"));
    };
    let again = |job: &mut Job| job.create(Resource::PodClique, "demo-0-a", "demo", &clique_spec());
    assert_eq!(found(latched, again), Some("I25"));
}

#[test]
fn i26_a_job_that_is_over_runs_again() {
    let over = |job: &mut Job| job.phase("Succeeded");
    assert_eq!(found(over, |job| job.phase("Running")), Some("I26"));
}

#[test]
fn i26_something_is_created_for_a_job_that_is_over() {
    let again = |job: &mut Job| job.create(Resource::PodGang, "demo-0", "demo", &json!({}));
    assert_eq!(found(|job| job.phase("Succeeded"), again), Some("I26"));
}

fn too_late(job: &mut Job) {
    job.start(NOW);
    job.store.now = testkit::builders::after(10);
    job.give_up("MaxRuntimeExceeded");
}

#[test]
fn i26_failed_while_a_pod_runs() {
    assert_eq!(found(too_late, |job| job.phase("Failed")), Some("I26"));
}

#[test]
fn i26_failed_when_all_have_ended() {
    let ended = |job: &mut Job| {
        too_late(job);
        job.set_pod("demo-0-a-x", "Failed", "False");
        job.set_pod("demo-0-a-y", "Succeeded", "False");
    };
    assert_eq!(found(ended, |job| job.phase("Failed")), None);
}

#[test]
fn i26_failed_without_a_reason() {
    assert_eq!(found(|_| (), |job| job.phase("Failed")), Some("I26"));
}

/// One more than the minimum, and one of them failed.
fn spare(job: &mut Job) {
    let id = Id::new(Resource::PodClique, "demo-0-a");
    job.store.edit("user", &id, |podclique| {
        podclique["spec"]["minAvailable"] = json!(1);
    });
    job.set_pod("demo-0-a-x", "Failed", "False");
}

#[test]
fn i39_replaced_before_its_job_knows() {
    assert_eq!(found(spare, |job| job.delete(POD)), Some("I39"));
    let noted = |job: &mut Job| {
        spare(job);
        let failures = json!([{"pod": "demo-0-a-x"}]);
        job.status("podcliquesets/demo", &json!({"lastFailures": failures}));
    };
    assert_eq!(found(noted, |job| job.delete(POD)), None);
}

#[test]
fn i40_restarted_for_a_pod_that_is_not_ready() {
    let unready = |job: &mut Job| {
        job.set_pod("demo-0-a-x", "Running", "False");
        job.breach();
    };
    assert_eq!(found(unready, |job| job.restart(1, 1)), Some("I40"));
}

fn exited(job: &mut Job) {
    job.exit("demo-0-a-x", 7);
    job.breach();
}

#[test]
fn i41_restarted_without_a_word_of_the_exit() {
    assert_eq!(found(exited, |job| job.restart(1, 1)), Some("I41"));
    let restarted = |failure: serde_json::Value| {
        move |job: &mut Job| {
            let entry = json!({"replica": 0, "attempt": 1, "reason": "PodCliqueFailed"});
            let status = json!({
                "replicaAttempts": [entry], "restartCount": 1, "lastFailures": [failure],
            });
            job.status("podcliquesets/demo", &status);
        }
    };
    let another = restarted(json!({"pod": "demo-0-a-x", "exitCode": 137}));
    assert_eq!(found(exited, another), Some("I41"));
    let noted = restarted(json!({"pod": "demo-0-a-x", "exitCode": 7}));
    assert_eq!(found(exited, noted), None);
}

#[test]
fn i42_ended_pods_are_deleted_at_the_end() {
    let over = |job: &mut Job| {
        job.exit("demo-0-a-x", 0);
        too_late(job);
    };
    assert_eq!(found(over, |job| job.delete(POD)), Some("I42"));
}

#[test]
fn i26_failed_when_all_containers_have_ended() {
    let ended = |job: &mut Job| {
        too_late(job);
        job.exit("demo-0-a-x", 7);
        job.exit("demo-0-a-y", 143);
    };
    assert_eq!(found(ended, |job| job.phase("Failed")), None);
}
