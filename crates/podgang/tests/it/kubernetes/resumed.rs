//! Pods that have ended and stay for their logs: of a suspended set, of a job that is over, and beside a gang
//! that starts again after a resume.

use std::sync::Arc;

use api::podcliqueset::PodCliqueSetPhase;
use api::{PodClique, PodCliqueSet, PodCliqueSetStatus};
use domain::Pod;
use domain::health::suspension;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use podgang::backend::SchedulerObjects;
use podgang::observe::observe;
use rstest::rstest;
use testkit::builders::{after, pod, podclique, set};

use crate::actions::gang_of;
use crate::constraints::part;

const SCHEDULER: &str = "default-scheduler";

/// One of two pods is done, in PodGroup `demo-0`, in a set with this status.
fn observed(adapt: impl FnOnce(&mut PodCliqueSetStatus)) -> (usize, bool) {
    let caches = Caches::default();
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let done = pod(&clique, 0).bound().phase("Succeeded");
    let done = done.in_pod_group("demo-0").build();
    let mut set = set("demo").build();
    adapt(set.status.get_or_insert_default());
    caches.of::<PodCliqueSet>().apply(set);
    caches.of::<PodClique>().apply(PodClique::clone(&clique));
    caches.of::<Pod>().apply(Pod::clone(&done));
    let mut gang = gang_of(SCHEDULER, &[]);
    gang.spec.pod_groups = vec![part("demo-0-worker", "")];
    let profiles = Profiles::of([(SCHEDULER.to_owned(), Backend::Kubernetes)]);
    match observe(&Arc::new(gang), &caches, &profiles).scheduler_objects {
        SchedulerObjects::Kubernetes(facts) => (facts.members.len(), facts.is_begun),
        other => panic!("{other:?}"),
    }
}

fn suspend(status: &mut PodCliqueSetStatus) {
    suspension::begin(status, None, after(0));
}

fn resume(status: &mut PodCliqueSetStatus) {
    suspend(status);
    suspension::end(status, None, after(10));
}

fn succeed(status: &mut PodCliqueSetStatus) {
    status.phase = Some(PodCliqueSetPhase::Succeeded);
}

/// Otherwise the PodGroup of before would stay. New pods would wait for its end, and the devices of the claims
/// that it names would stay allocated.
#[rstest]
#[case::runs(|_: &mut PodCliqueSetStatus| {}, (1, true))]
#[case::suspended(suspend, (0, false))]
#[case::resumed(resume, (0, false))]
#[case::over(succeed, (0, false))]
fn a_pod_that_has_ended_keeps_no_pod_group_unless_its_gang_runs(
    #[case] adapt: fn(&mut PodCliqueSetStatus),
    #[case] expected: (usize, bool),
) {
    assert_eq!(observed(adapt), expected);
}
