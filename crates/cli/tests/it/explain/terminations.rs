//! The pod that a termination goes back to: it is gone, and so are its events.

use api::labels;
use api::podcliqueset::{ReplicaAttempt, TerminationCause};
use cli::explain::Evidence;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use testkit::builders::after;

use super::{draw, explain};
use crate::read::{demo_with, judge, ready};

fn attempt(replica: i32, seconds: i64, is_known: bool) -> ReplicaAttempt {
    ReplicaAttempt {
        replica,
        attempt: 2,
        time: Time(after(seconds)),
        reason: ReplicaAttempt::BREACHED.to_owned(),
        message: "0 of 1 required group replicas healthy".to_owned(),
        cause: is_known.then(|| TerminationCause {
            clique: "worker".to_owned(),
            pod: "demo-0-worker-xxxxx".to_owned(),
            node: Some("node-3".to_owned()),
            reason: "OOMKilled".to_owned(),
            exit_code: Some(137),
            message: Some("CUDA out of memory".to_owned()),
            time: None,
        }),
        succeeded: Vec::new(),
        recovered: None,
        complete: Some(true),
    }
}

#[test]
fn a_set_that_runs_again_says_why_it_was_terminated() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![attempt(0, 200, true)];
    let annotations = &mut workload.podcliques[0].metadata.annotations;
    let annotations = annotations.get_or_insert_default();
    annotations.insert(labels::ATTEMPT.to_owned(), "2".to_owned());
    judge(&mut workload);
    let answer = explain(&workload, &[]);
    assert!(answer.is_ready);
    let text = draw(&answer);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "pod demo-0-worker-xxxxx of clique worker: OOMKilled, exit code 137, on node node-3 \
                    | CUDA out of memory";
    assert!(
        words.contains("attempt replica 0, attempt 2 since "),
        "{text}"
    );
    assert!(words.contains(expected), "{text}");
}

#[test]
fn the_newest_three_with_a_known_pod_are_listed() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![
        attempt(0, 10, true),
        attempt(1, 50, false),
        attempt(2, 20, true),
        attempt(3, 40, true),
        attempt(4, 30, true),
    ];
    judge(&mut workload);
    let evidence = explain(&workload, &[]).evidence;
    let listed = evidence.into_iter().filter_map(|evidence| match evidence {
        Evidence::Termination(termination) => Some(termination.replica),
        _ => None,
    });
    let listed: Vec<String> = listed.collect();
    assert_eq!(listed, ["replica 3", "replica 4", "replica 2"]);
}
