//! Pods that ended well, and pods that are about to end well.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use domain::object::pod::{ContainerState, ContainerStatus, Terminated};
use rstest::rstest;
use testkit::builders::{PodBuilder, pod};

use super::{breach, clique, status, succeeded};
use crate::situation::{plan, situation, writes};

/// Running, not Ready, with containers that ended with these codes (`None`: Ready).
fn ending(builder: PodBuilder, codes: &[Option<i32>]) -> PodBuilder {
    let container = |code: &Option<i32>| ContainerStatus {
        ready: code.is_none(),
        state: ContainerState {
            terminated: code.map(|exit_code| Terminated {
                exit_code,
                ..Terminated::default()
            }),
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    let statuses = codes.iter().map(container).collect();
    builder
        .bound()
        .phase("Running")
        .condition("Ready", "False")
        .with(|p| p.status.container_statuses = statuses)
}

#[test]
fn a_completed_slot_is_latched_and_never_filled_again() {
    let clique = clique(3, 3, true);
    let pods = vec![
        succeeded(pod(&clique, 1)),
        pod(&clique, 0).ready(),
        pod(&clique, 2).ready(),
    ];
    let first = status(&situation(&clique, pods));
    assert_eq!(first.completed_indices.as_deref(), Some("1"));
    let mut latched = (*clique).clone();
    latched.status = Some(first);
    let latched = Arc::new(latched);
    let without = vec![pod(&latched, 0).ready(), pod(&latched, 2).ready()];
    let snapshot = situation(&latched, without);
    assert_eq!(writes(&plan(&snapshot)), "");
    assert_eq!(status(&snapshot).completed_indices.as_deref(), Some("1"));
    assert_eq!(breach(&snapshot), "False/SufficientReadyPods");
}

#[test]
fn it_has_succeeded_when_every_slot_is_completed_and_no_pod_is_deleted() {
    let clique = clique(2, 2, true);
    let snapshot = situation(
        &clique,
        vec![succeeded(pod(&clique, 0)), succeeded(pod(&clique, 1))],
    );
    assert_eq!(writes(&plan(&snapshot)), "");
    let status = status(&snapshot);
    assert!(conditions::is_true(
        &status.conditions,
        ConditionType::Succeeded
    ));
    assert_eq!(status.completed_indices.as_deref(), Some("0-1"));
}

/// A drained pod may end in Succeeded too.
#[test]
fn a_pod_that_ends_well_while_it_is_deleted_is_not_completed() {
    let clique = clique(1, 1, true);
    let snapshot = situation(&clique, vec![succeeded(pod(&clique, 0)).terminating(59)]);
    assert_eq!(status(&snapshot).completed_indices, None);
    assert_eq!(breach(&snapshot), "True/InsufficientReadyPods");
}

#[rstest]
#[case::main_ended_well(&[Some(0)], "False/SufficientReadyPods")]
#[case::main_ended_well_before_its_sidecar(&[Some(0), None], "False/SufficientReadyPods")]
#[case::main_failed_before_its_sidecar(&[Some(1), None], "True/InsufficientReadyPods")]
#[case::one_failed(&[Some(0), Some(137)], "True/InsufficientReadyPods")]
fn a_pod_that_is_about_to_end_well_is_no_breach(
    #[case] codes: &[Option<i32>],
    #[case] should: &str,
) {
    let clique = clique(1, 1, true);
    assert_eq!(
        breach(&situation(&clique, vec![ending(pod(&clique, 0), codes)])),
        should
    );
}
