//! Pods of an Inference workload that ended.

use api::{WorkloadType, labels};
use domain::object::pod::{ContainerState, ContainerStatus, Terminated};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique};

use crate::situation::{last_holder, plan, situation, writes};

/// Ended at this second, after this many earlier failures of the slot.
fn ended(builder: PodBuilder, second: i64, earlier: u32) -> PodBuilder {
    builder.bound().phase("Failed").with(|p| {
        let ended = Terminated {
            finished_at: Some(Time(after(second))),
            ..Terminated::default()
        };
        let state = ContainerState {
            terminated: Some(ended),
            ..ContainerState::default()
        };
        p.status.container_statuses = vec![ContainerStatus {
            state,
            ..ContainerStatus::default()
        }];
        let annotations = [(labels::POD_FAILURE_COUNT.to_owned(), earlier.to_string())];
        p.metadata.annotations = Some(annotations.into());
    })
}

#[rstest]
#[case::the_first_time_at_once(0, 60, true)]
#[case::then_after_ten_seconds(1, 51, false)]
#[case::ten_seconds_are_over(1, 50, true)]
#[case::doubling(2, 41, false)]
#[case::doubled(2, 40, true)]
#[case::at_most_five_minutes(30, -240, true)]
#[case::not_before_five_minutes(30, -239, false)]
fn replaces_a_pod_that_ended(#[case] earlier: u32, #[case] second: i64, #[case] is_due: bool) {
    let clique = podclique("demo-0-worker").build();
    let pods = vec![ended(pod(&clique, 0), second, earlier)];
    let plan = plan(&situation(&clique, pods));
    assert_eq!(!plan.writes_nothing(), is_due, "{plan}");
    assert_eq!(plan.wake_at.is_none(), is_due, "{plan}");
}

#[test]
fn deletes_first_and_creates_when_the_slot_is_free() {
    let clique = podclique("demo-0-worker").build();
    assert_snapshot!(writes(&plan(&situation(
        &clique,
        vec![ended(pod(&clique, 0), 59, 0)]
    ))));
}

#[test]
fn carries_on_the_pod_how_often_its_slot_ended_soon() {
    let clique = podclique("demo-0-worker").build();
    let quick = ended(pod(&clique, 0), 59, 2).build();
    assert_eq!(quick.failure_count(), 3);
    assert_eq!(
        ended(pod(&clique, 0), 600, 2).build().failure_count(),
        0,
        "it lived long enough"
    );
    assert_eq!(
        pod(&clique, 0).ready().build().failure_count(),
        0,
        "it did not end"
    );
    let mut snapshot = situation(&clique, vec![]);
    let mut stone = last_holder("demo-0-worker-dead");
    stone.failure_count = 3;
    snapshot.last_holders.insert(0, stone);
    let plan = plan(&snapshot);
    let next: &k8s_openapi::api::core::v1::Pod = plan.waves[0][0].written().unwrap();
    assert_eq!(
        next.metadata.annotations.as_ref().unwrap()[labels::POD_FAILURE_COUNT],
        "3"
    );
}

/// The quota of a part of its gang was taken, or its node was drained: five of these are no reason to restart
/// a job.
#[rstest]
#[case::it_failed_before(29, 30, 3)]
#[case::its_deletion_ended_it(31, 30, 2)]
#[case::it_is_unknown(31, 0, 3)]
fn a_pod_that_its_deletion_ended_did_not_fail(
    #[case] ended_at: i64,
    #[case] grace: i64,
    #[case] expected: u32,
) {
    let clique = podclique("demo-0-worker").build();
    let deleted = ended(pod(&clique, 0), ended_at, 2)
        .terminating(60)
        .with(|p| p.metadata.deletion_grace_period_seconds = Some(grace));
    assert_eq!(deleted.build().failure_count(), expected);
}

#[test]
fn leaves_finished_pods_of_training_alone() {
    let clique = podclique("demo-0-worker")
        .with(|c| c.spec.workload_type = Some(WorkloadType::Training))
        .build();
    assert!(plan(&situation(&clique, vec![ended(pod(&clique, 0), 0, 0)])).writes_nothing());
}

#[test]
fn lets_pods_that_ended_go_first_when_scaled_in() {
    let clique = podclique("demo-0-worker").size(1, 1).build();
    let pods = vec![ended(pod(&clique, 0), 59, 0), pod(&clique, 1).ready()];
    assert_snapshot!(writes(&plan(&situation(&clique, pods))));
}

#[test]
fn replaces_no_pod_that_it_does_not_control() {
    let clique = podclique("demo-0-worker").build();
    let orphan = pod(&clique, 0)
        .bound()
        .phase("Failed")
        .with(|p| p.metadata.owner_references = None);
    let done = writes(&plan(&situation(&clique, vec![orphan])));
    assert!(!done.contains("delete"), "{done}");
}
