//! The status.

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{PodClique, PodCliqueScalingGroupStatus, WorkloadType};
use insta::assert_snapshot;
use testkit::builders::after;

use crate::situation::{complete, demo, plan, situation};

fn breach(podclique: &mut PodClique) {
    let verdict = ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status: Status::True,
        reason: Reason::InsufficientReadyPods,
        message: String::new(),
    };
    let status = podclique.status.as_mut().unwrap();
    status.ready_replicas = 0;
    conditions::set(&mut status.conditions, verdict, None, after(0));
}

#[test]
fn counts_scheduled_available_and_updated_replicas() {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    podcliques[1].status.as_mut().unwrap().ready_replicas = 1;
    podcliques[4].status.as_mut().unwrap().scheduled_replicas = 0;
    assert_snapshot!(plan(&situation(&set, 3, podcliques)));
}

#[test]
fn is_not_breached_while_enough_replicas_are_healthy() {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    breach(&mut podcliques[0]);
    let status = plan(&situation(&set, 3, podcliques)).status.unwrap();
    let found = conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    assert_eq!(
        (found.status.as_str(), found.message.as_str()),
        (
            "False",
            "group replicas healthy: 2, required: 2; unhealthy: 0"
        )
    );
}

#[test]
fn is_breached_when_too_few_replicas_are_healthy() {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    breach(&mut podcliques[0]);
    breach(&mut podcliques[5]);
    let status = plan(&situation(&set, 3, podcliques)).status.unwrap();
    let found = conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    assert_eq!(
        (found.status.as_str(), found.message.as_str()),
        (
            "True",
            "1 of 2 required group replicas healthy; unhealthy: 0, 2"
        )
    );
}

#[test]
fn says_when_it_was_scaled_below_its_minimum() {
    let set = demo().build();
    let status = plan(&situation(&set, 1, complete(&set, 1))).status.unwrap();
    assert!(conditions::is_true(
        &status.conditions,
        ConditionType::ScaledBelowMinAvailable
    ));
}

/// `readyReplicas` of a job includes the pods that are done.
#[test]
fn a_pod_that_is_done_counts_once() {
    let job = demo().with(|s| s.spec.workload_type = Some(WorkloadType::Training));
    let set = job.build();
    let mut podcliques = complete(&set, 2);
    let workers = podcliques.iter_mut().filter(|c| c.spec.replicas == 2);
    for worker in workers {
        let status = worker.status.as_mut().unwrap();
        status.ready_replicas = 1;
        status.completed_indices = Some("0".into());
    }
    let status = plan(&situation(&set, 2, podcliques)).status.unwrap();
    assert_eq!(status.available_replicas, 0);
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!(ready.status, "False");
}

/// The Go operator sets it when it terminates a replica, and no other client would end it.
#[test]
fn does_not_keep_the_mark_of_a_termination_that_another_implementation_began() {
    let set = demo().build();
    let mut snapshot = situation(&set, 3, complete(&set, 3));
    let mut left = PodCliqueScalingGroupStatus::default();
    let verdict = ConditionUpdate {
        type_: ConditionType::GangTerminationInProgress,
        status: Status::True,
        reason: Reason::InsufficientAvailablePodCliqueScalingGroupReplicas,
        message: String::new(),
    };
    conditions::set(&mut left.conditions, verdict, None, after(0));
    left.conditions[0].reason = "GangTerminationActive".into();
    Arc::make_mut(&mut snapshot.group).status = Some(left);
    let status = plan(&snapshot).status.unwrap();
    let type_ = ConditionType::GangTerminationInProgress;
    assert_eq!(conditions::find(&status.conditions, type_), None);
}
