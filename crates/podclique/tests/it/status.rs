//! The status.

use api::conditions::{self, ConditionType};
use api::{PodCliqueStatus, labels};
use insta::assert_snapshot;
use rstest::rstest;
use testkit::builders::{pod, podclique};

use crate::situation::{plan, ready, situation};

fn status(snapshot: &podclique::Snapshot) -> PodCliqueStatus {
    plan(snapshot).status.expect("a status")
}

fn breach(status: &PodCliqueStatus) -> (String, String, String) {
    let condition =
        conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    (
        condition.status.clone(),
        condition.reason.clone(),
        condition.message.clone(),
    )
}

#[test]
fn counts_pods_that_stay_and_nothing_else() {
    let clique = podclique("demo-0-worker").size(5, 2).build();
    let mut pods = ready(&clique, 0..2);
    pods.push(pod(&clique, 2).bound());
    pods.push(pod(&clique, 3));
    pods.push(pod(&clique, 4).ready().terminating(59));
    assert_snapshot!(plan(&situation(&clique, pods)));
}

#[rstest]
#[case::before_it_was_ever_available(false, 1, "False", "NeverAvailable")]
#[case::after_it_was_available(true, 1, "True", "InsufficientReadyPods")]
#[case::with_enough_pods(true, 2, "False", "SufficientReadyPods")]
fn breaches(
    #[case] was: bool,
    #[case] ready_pods: i32,
    #[case] status_: &str,
    #[case] reason: &str,
) {
    let mut builder = podclique("demo-0-worker").size(3, 2);
    if was {
        builder = builder.was_available();
    }
    let clique = builder.build();
    let found = breach(&status(&situation(&clique, ready(&clique, 0..ready_pods))));
    assert_eq!((found.0.as_str(), found.1.as_str()), (status_, reason));
}

#[test]
fn says_the_numbers_and_the_worst_pod() {
    let clique = podclique("demo-0-worker")
        .size(3, 3)
        .was_available()
        .build();
    let mut pods = ready(&clique, 0..1);
    pods.push(pod(&clique, 1).waiting("CrashLoopBackOff"));
    pods.push(pod(&clique, 2).waiting("ContainerCreating"));
    let found = breach(&status(&situation(&clique, pods)));
    assert_eq!(
        found.2,
        "1 of 3 required pods ready; demo-0-worker-p1: CrashLoopBackOff"
    );
}

#[test]
fn latches_that_it_was_available_and_keeps_it() {
    let clique = podclique("demo-0-worker").size(3, 2).build();
    assert!(!status(&situation(&clique, ready(&clique, 0..1))).was_available);
    assert!(status(&situation(&clique, ready(&clique, 0..2))).was_available);
    let degraded = podclique("demo-0-worker")
        .size(3, 2)
        .was_available()
        .build();
    assert!(status(&situation(&degraded, vec![])).was_available);
}

#[test]
fn is_not_breached_when_it_was_scaled_below_its_minimum() {
    let clique = podclique("demo-0-worker")
        .size(1, 3)
        .was_available()
        .build();
    let found = status(&situation(&clique, ready(&clique, 0..1)));
    assert_eq!(breach(&found).1, "SufficientReadyPods");
    assert!(conditions::is_true(
        &found.conditions,
        ConditionType::ScaledBelowMinAvailable
    ));
}

#[test]
fn moves_the_transition_time_only_when_the_status_flips() {
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let first = status(&situation(&clique, ready(&clique, 0..1)));
    let mut later = situation(&clique, ready(&clique, 0..0));
    let stored = podclique("demo-0-worker")
        .size(2, 2)
        .with(|c| c.status = Some(first.clone()))
        .build();
    later.podclique = stored;
    let second = podclique::decide::decide(&later, testkit::builders::after(300))
        .status
        .unwrap();
    let time = |s: &PodCliqueStatus| {
        s.conditions
            .iter()
            .map(|c| c.last_transition_time.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(time(&first), time(&second));
    assert_ne!(breach(&first).2, breach(&second).2);
}

#[test]
fn publishes_a_selector_for_standalone_cliques_only() {
    let alone = podclique("demo-0-worker").build();
    let expected = "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=demo,\
                    grove.io/podclique=demo-0-worker";
    assert_eq!(
        status(&situation(&alone, vec![]))
            .hpa_pod_selector
            .as_deref(),
        Some(expected)
    );
    let grouped = podclique("demo-0-g-0-worker")
        .with(|c| {
            c.metadata
                .labels
                .as_mut()
                .unwrap()
                .insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
        })
        .build();
    assert_eq!(status(&situation(&grouped, vec![])).hpa_pod_selector, None);
}
