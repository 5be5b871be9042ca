//! A gang that starts again after a resume, beside pods that ended before.

use std::sync::Arc;

use api::{PodClique, PodCliqueSet};
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

/// One of two pods is done, in PodGroup `demo-0`; the set was suspended from then until this second.
fn observed(resumed: Option<i64>) -> (usize, bool) {
    let caches = Caches::default();
    let clique = podclique("demo-0-worker").size(2, 2).build();
    let done = pod(&clique, 0).bound().phase("Succeeded");
    let done = done.in_pod_group("demo-0").build();
    let mut set = set("demo").build();
    if let Some(at) = resumed {
        let status = set.status.get_or_insert_default();
        suspension::begin(status, None, after(0));
        suspension::end(status, None, after(at));
    }
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

/// Otherwise the PodGroup of before would stay, and the new pods would wait for its end.
#[rstest]
#[case::never_suspended(None, (1, true))]
#[case::resumed(Some(10), (0, false))]
fn a_pod_that_ended_before_a_resume_keeps_no_pod_group(
    #[case] resumed: Option<i64>,
    #[case] expected: (usize, bool),
) {
    assert_eq!(observed(resumed), expected);
}
