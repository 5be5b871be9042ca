//! The start of a job's run time.

use std::sync::Arc;

use api::podcliqueset::PodCliqueSetPhase;
use domain::object::pod::{ContainerState, ContainerStatus, Running};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::{PodBuilder, after};

use super::{job, running, stored};
use crate::situation::{alone, fill_all, laid_out, plan};

#[test]
fn it_is_created_like_any_other() {
    let plan = plan(&alone(&job(0, None).build()));
    assert!(!plan.writes_nothing());
}

#[test]
fn has_a_start_that_is_written_once() {
    let mut snapshot = running(job(0, None));
    assert_eq!(stored(&snapshot).start_time, Some(Time(after(60))));
    assert_eq!(stored(&snapshot).phase, Some(PodCliqueSetPhase::Running));
    fill_all(&mut snapshot, |p| p.ready().with(|p| set_started(p, 30)));
    let again = decide(&snapshot, after(900));
    assert_eq!(again.status.unwrap().start_time, Some(Time(after(60))));
}

fn set_started(pod: &mut domain::Pod, at: i64) {
    let running = Some(Running {
        started_at: Some(Time(after(at))),
    });
    pod.status.container_statuses = vec![ContainerStatus {
        ready: true,
        state: ContainerState {
            running,
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    }];
}

#[rstest]
#[case::the_earliest_container(30, 30)]
#[case::not_before_the_set(-100, 0)]
#[case::not_after_now(500, 60)]
fn starts_with_its_first_container(#[case] container: i64, #[case] start: i64) {
    let mut snapshot = laid_out(&job(0, None).build());
    let set = Arc::make_mut(&mut snapshot.stored);
    set.metadata.creation_timestamp = Some(Time(after(0)));
    fill_all(&mut snapshot, |p| {
        p.ready().with(|p| set_started(p, container))
    });
    assert_eq!(
        plan(&snapshot).status.unwrap().start_time,
        Some(Time(after(start)))
    );
}

/// Downloads in an init container are no run time, and a pod that fails there has not run.
#[rstest]
#[case::runs(PodBuilder::ready, Some(60))]
#[case::still_initializes(PodBuilder::bound, None)]
#[case::failed_before_its_start(|p: PodBuilder| p.bound().phase("Failed"), None)]
fn init_containers_are_no_start(
    #[case] adapt: impl Fn(PodBuilder) -> PodBuilder,
    #[case] start: Option<i64>,
) {
    let mut snapshot = laid_out(&job(0, None).build());
    fill_all(&mut snapshot, |p| {
        adapt(p).with(|p| {
            set_started(p, 10);
            p.status.init_container_statuses = std::mem::take(&mut p.status.container_statuses);
        })
    });
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.start_time, start.map(|at| Time(after(at))));
}
