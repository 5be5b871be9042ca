//! A kubelet may miss the start signal of a pod: then the signal is repeated.

use api::labels;
use domain::object::pod::{ContainerState, ContainerStatus, Running, Terminated};
use domain::plan::{Plan, Purpose};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podclique::Snapshot;
use podclique::decide::decide;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, podclique};

use super::{router, waiting, with};
use crate::situation::operations;

const SIGNALLED_AT: i64 = 1000;

/// Its annotation has this value since `SIGNALLED_AT`; its init container runs since then.
fn signalled(value: &'static str, started: i64) -> PodBuilder {
    let clique = podclique("demo-0-worker").build();
    waiting(&clique, 0, "demo-0-router:2").with(|p| {
        let annotations = p.metadata.annotations.get_or_insert_default();
        annotations.insert(labels::START.into(), value.into());
        annotations.insert(labels::START_AT.into(), after(SIGNALLED_AT).to_string());
        p.status.init_container_statuses = vec![ContainerStatus {
            name: "grove-initc".into(),
            state: running(started),
            ..ContainerStatus::default()
        }];
    })
}

fn running(started: i64) -> ContainerState {
    ContainerState {
        running: Some(Running {
            started_at: Some(Time(after(started))),
        }),
        ..ContainerState::default()
    }
}

fn snapshot(pod: PodBuilder) -> Snapshot {
    with(vec![router(true)], vec![pod])
}

/// The value that is written at this moment, and the time of the next decision.
fn look(pod: PodBuilder, seconds: i64) -> (Option<String>, Option<Timestamp>) {
    let plan: Plan<_> = decide(&snapshot(pod), after(seconds));
    let mut all = plan.waves.iter().flatten();
    let repeat = all.find(|a| a.purpose() == Some(Purpose::RepeatStart));
    let value = repeat.map(|action| {
        let last = operations(action).last().unwrap();
        last["value"].as_str().unwrap().to_owned()
    });
    (value, plan.wake_at)
}

/// In seconds since the start signal: time of the decision, written value, next time.
#[rstest]
#[case::just_signalled("now", 0, None, Some(5))]
#[case::a_moment_before("now", 4, None, Some(5))]
#[case::first("now", 5, Some("2"), Some(10))]
#[case::once("2", 6, None, Some(10))]
#[case::second("2", 10, Some("3"), Some(20))]
#[case::third("3", 20, Some("4"), Some(40))]
#[case::fourth("4", 40, Some("5"), None)]
#[case::no_more("5", 4000, None, None)]
#[case::several_are_due("now", 25, Some("4"), Some(40))]
#[case::all_are_due("2", 4000, Some("5"), None)]
fn a_pod_whose_init_container_waits_gets_the_start_signal_again(
    #[case] value: &'static str,
    #[case] seconds: i64,
    #[case] written: Option<&str>,
    #[case] next: Option<i64>,
) {
    let (value, wake_at) = look(signalled(value, SIGNALLED_AT - 60), SIGNALLED_AT + seconds);
    assert_eq!(value.as_deref(), written);
    assert_eq!(wake_at, next.map(|s| after(SIGNALLED_AT + s)));
}

/// A container that starts after the start signal sees the present value, and has as much time.
#[test]
fn a_container_that_starts_late_has_as_much_time() {
    let late = || signalled("now", SIGNALLED_AT + 100);
    assert_eq!(
        look(late(), SIGNALLED_AT + 104),
        (None, Some(after(SIGNALLED_AT + 105)))
    );
    assert_eq!(
        look(late(), SIGNALLED_AT + 105).0.as_deref(),
        Some("2"),
        "the first repeat"
    );
}

#[rstest]
#[case::not_started(|p: PodBuilder| p.with(|p| p.status.init_container_statuses.clear()))]
#[case::ended(|p: PodBuilder| p.with(|p| {
    let ended = Terminated::default();
    p.status.init_container_statuses[0].state = ContainerState {
        terminated: Some(ended),
        ..ContainerState::default()
    };
}))]
#[case::another_waits(|p: PodBuilder| p.with(|p| p.status.init_container_statuses[0].name = "users".into()))]
#[case::going(|p: PodBuilder| p.terminating(5))]
#[case::by_hand_or_before_there_was_a_counter(|p: PodBuilder| p.with(|p| {
    p.metadata.annotations.as_mut().unwrap().remove(labels::START_AT);
}))]
fn other_pods_get_no_second_start_signal(#[case] change: fn(PodBuilder) -> PodBuilder) {
    let (value, _) = look(change(signalled("now", SIGNALLED_AT)), SIGNALLED_AT + 30);
    assert_eq!(value, None);
}

/// The observed value is tested: a concurrent foreign write is not overwritten.
#[test]
fn only_the_observed_value_is_replaced() {
    let plan = decide(
        &snapshot(signalled("3", SIGNALLED_AT)),
        after(SIGNALLED_AT + 20),
    );
    insta::assert_snapshot!(super::writes(&plan));
    let operations = operations(&plan.waves[0][0]);
    insta::assert_snapshot!(serde_json::to_string_pretty(operations).unwrap());
}
