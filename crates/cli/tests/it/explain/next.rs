//! Next steps, and pods that wait for others.

mod clocks;
mod leaving;
mod one_by_one;
mod replicas;
mod unseen;

use api::GoDuration;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use api::podclique::PclqUpdateProgress;
use api::podcliqueset::{
    PcsUpdateProgress, PodCliqueSetPhase, PodFailure, ReplicaAttempt, ReplicaUpdateProgress,
    RollingUpdate, Suspension, TrainingSpec,
};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueScalingGroupSpec, WorkloadType, labels};
use cli::explain::search;
use cli::workload::Workload;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};
use testkit::builders::{after, podclique, set as build_set, stored};

use super::{draw, explain, explain_pod, next_of};
use crate::read::{
    breach, demo_with, event, gang, gated, judge, now, on_node, pod_of, ready, unschedulable,
};

fn broken() -> Value {
    on_node(&json!({"running": {}}), &json!({}), 0)
}

/// One of two pods has not been ready for a minute; its replica may be breached for the given
/// delay.
fn breached(delay: Option<&str>) -> Workload {
    let mut workload = demo_with(&[ready(), broken()], &[]);
    breach(&mut workload.podcliques[0], 240);
    workload.set.spec.template.termination_delay = delay.map(GoDuration::from);
    workload
}

#[test]
fn a_breach_is_shown_with_the_time_of_the_termination() {
    assert_snapshot!(next_of(&explain(&breached(Some("10m")), &[])));
}

#[test]
fn a_replica_that_is_never_terminated_is_described_so() {
    assert_snapshot!("without_delay", next_of(&explain(&breached(None), &[])));
    let mut started = breached(Some("10m"));
    let status = started.podcliques[0].status.as_mut().unwrap();
    status.was_available = false;
    status.breached_since = None;
    status.conditions.retain(|c| c.type_ == "Ready");
    assert_snapshot!("never_available", next_of(&explain(&started, &[])));
}

/// A pod that ended is replaced, later each time; a terminating pod delays its replacement.
#[test]
fn pods_that_ended_or_hang_have_their_times() {
    let mut failed = broken();
    failed["metadata"] = json!({"annotations": {labels::POD_FAILURE_COUNT: "3"}});
    failed["status"]["phase"] = json!("Failed");
    failed["status"]["containerStatuses"][0]["state"] = json!({"terminated": {
        "exitCode": 1, "reason": "Error", "finishedAt": after(280).to_string(),
        "message": "cannot reach rank 0",
    }});
    assert_snapshot!(
        "ended",
        draw(&explain(&demo_with(&[ready(), failed], &[]), &[]))
    );
    let mut leaving = ready();
    leaving["metadata"] = json!({"deletionTimestamp": after(290).to_string()});
    let workload = demo_with(&[ready(), leaving], &[]);
    assert_snapshot!("leaving", draw(&explain(&workload, &[])));
}

/// A job with a budget and a limit, one of whose pods failed.
fn job(used: i32) -> Workload {
    let mut failed = broken();
    failed["spec"]["restartPolicy"] = json!("Never");
    failed["status"]["containerStatuses"][0]["state"] = json!({"terminated": {
        "exitCode": 1, "reason": "Error", "finishedAt": after(240).to_string(),
    }});
    let mut workload = demo_with(&[ready(), failed], &[]);
    breach(&mut workload.podcliques[0], 240);
    workload.set.spec.workload_type = Some(WorkloadType::Training);
    workload.set.spec.training_spec = Some(TrainingSpec {
        max_restarts: Some(2),
        max_runtime: Some("1h".into()),
        ..TrainingSpec::default()
    });
    workload.podcliques[0].spec.workload_type = Some(WorkloadType::Training);
    let status = workload.set.status.as_mut().unwrap();
    status.restart_count = Some(used);
    status.start_time = Some(Time(after(10)));
    workload
}

#[test]
fn a_job_shows_its_budget_and_its_time() {
    assert_snapshot!("budget_left", next_of(&explain(&job(1), &[])));
    assert_snapshot!("budget_used_up", next_of(&explain(&job(2), &[])));
}

#[test]
fn a_job_that_failed_tells_the_last_words_of_its_pods() {
    let mut workload = job(2);
    let status = workload.set.status.as_mut().unwrap();
    status.phase = Some(PodCliqueSetPhase::Failed);
    status.last_failures = vec![PodFailure {
        pod: "demo-0-worker-bcdf1".to_owned(),
        uid: None,
        node: Some("node-3".to_owned()),
        reason: "Error".to_owned(),
        exit_code: Some(1),
        message: Some("NCCL timeout\nafter 1800 s".to_owned()),
        time: Time(after(230)),
    }];
    let text = "2 of 2 restarts are used, 1 more would be needed: replica 0: PodClique \
                demo-0-worker: 1 of 2 required pods ready";
    for type_ in [ConditionType::Failed, ConditionType::Ready] {
        let verdict = ConditionUpdate {
            type_,
            status: (type_ == ConditionType::Failed).into(),
            reason: Reason::MaxRestartsExceeded,
            message: text.to_owned(),
        };
        set(&mut status.conditions, verdict, Some(1), after(240));
    }
    assert_snapshot!(draw(&explain(&workload, &[])));
}

#[test]
fn an_update_tells_whose_turn_it_is_and_its_deadline() {
    let mut workload = breached(Some("10m"));
    workload.set.spec.template.cliques[0].rolling_update = Some(RollingUpdate {
        progress_deadline: Some("5m".into()),
        ..RollingUpdate::default()
    });
    workload.set.status.as_mut().unwrap().update_progress = Some(PcsUpdateProgress {
        total_pod_cliques_count: 1,
        currently_updating: vec![ReplicaUpdateProgress::begin(0, Time(after(100)))],
        ..PcsUpdateProgress::begin(Time(after(100)))
    });
    workload.podcliques[0]
        .status
        .as_mut()
        .unwrap()
        .update_progress = Some(PclqUpdateProgress {
        updated_ready_replicas: Some(1),
        last_progress_time: Some(Time(after(150))),
        ..PclqUpdateProgress::begin("r1".into(), "r1".into(), Time(after(100)))
    });
    assert_snapshot!(next_of(&explain(&workload, &[])));
}

/// PodCliques of an earlier attempt of the terminated replica go first.
#[test]
fn a_replica_that_is_recreated_says_what_it_waits_for() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![ReplicaAttempt {
        replica: 0,
        attempt: 1,
        time: Time(after(200)),
        reason: ReplicaAttempt::BREACHED.to_owned(),
        message: "PodClique demo-0-worker: 1 of 2 required pods ready".to_owned(),
        cause: None,
        succeeded: Vec::new(),
        recovered: None,
        complete: Some(false),
    }];
    judge(&mut workload);
    let answer = explain(&workload, &[]);
    assert_eq!(answer.reason, "ReplicaTerminating");
    assert_snapshot!(draw(&answer));
}

/// A group with enough healthy replicas terminates only the broken one.
#[test]
fn a_group_replica_that_is_broken_is_terminated_alone() {
    let mut workload = scaled();
    workload.set.spec.template.termination_delay = Some("10m".into());
    let first = workload.podcliques[1].clone();
    workload.pods = vec![
        pod_of(&workload.podcliques[0], 0, &ready()),
        pod_of(&first, 0, &broken()),
        pod_of(&workload.podcliques[2], 0, &ready()),
    ];
    breach(&mut workload.podcliques[1], 240);
    judge(&mut workload);
    assert_snapshot!(next_of(&explain(&workload, &[])));
}

/// A router, and a group of workers: one replica is required, and the second has its own gang.
fn scaled() -> Workload {
    let labelled = |c: &mut PodClique, key: &str, value: &str| {
        let all = c.metadata.labels.get_or_insert_default();
        all.insert(key.to_owned(), value.to_owned());
    };
    let router = podclique("demo-0-router").build();
    let first = podclique("demo-0-workers-0-worker").build();
    let second = podclique("demo-0-workers-1-worker").with(|c| {
        labelled(c, labels::POD_GANG, "demo-0-workers-0");
        labelled(c, labels::BASE_POD_GANG, "demo-0");
    });
    let second = second.build();
    let pods = vec![
        pod_of(&router, 0, &broken()),
        pod_of(&first, 0, &ready()),
        pod_of(&second, 0, &gated(&[labels::POD_GANG_GATE])),
    ];
    let base = [
        ("demo-0-router", Some(&pods[..1])),
        ("demo-0-workers-0-worker", Some(&pods[1..2])),
    ];
    let mut workload = Workload {
        set: build_set("demo")
            .clique("router", |c| c)
            .clique("worker", |c| c)
            .group("workers", ["worker"], |g| g.replicas(2).min(1))
            .build(),
        groups: vec![PodCliqueScalingGroup {
            metadata: stored("demo-0-workers"),
            spec: PodCliqueScalingGroupSpec {
                replicas: 2,
                min_available: Some(1),
                clique_names: vec!["worker".to_owned()],
                ..PodCliqueScalingGroupSpec::default()
            },
            status: None,
        }],
        podcliques: vec![(*router).clone(), (*first).clone(), (*second).clone()],
        gangs: vec![
            gang("demo-0", &base),
            gang("demo-0-workers-0", &[("demo-0-workers-1-worker", None)]),
        ],
        pods,
        ..Workload::default()
    };
    judge(&mut workload);
    workload
}

#[test]
fn a_pod_of_a_scaled_gang_names_its_base_gang_and_what_that_lacks() {
    let answer = explain_pod(&scaled(), "demo-0-workers-1-worker-bcdf0");
    assert_eq!(answer.reason, "BaseGangNotReady");
    assert_snapshot!(draw(&answer));
}

/// The set itself names the cause that holds the base gang back, not the pods that wait for it.
#[test]
fn a_set_names_the_cause_and_not_the_waiting_pods() {
    let answer = explain(&scaled(), &[]);
    assert_eq!(answer.reason, "ContainersNotReady");
    let last = answer.chain.last().unwrap();
    assert_eq!(last.name, "demo-0-router-bcdf0");
}

#[test]
fn a_gang_that_is_incomplete_names_what_is_missing() {
    let workload = demo_with(&[gated(&[labels::POD_GANG_GATE])], &[]);
    let answer = explain_pod(&workload, "demo-0-worker-bcdf0");
    assert_eq!(answer.reason, "GangIncomplete");
    assert_snapshot!(next_of(&answer));
}

#[test]
fn a_pod_that_starts_after_others_names_them() {
    let mut waits = broken();
    waits["metadata"] = json!({"annotations": {labels::STARTS_AFTER: "demo-0-worker:2"}});
    waits["status"]["initContainerStatuses"] = json!([{
        "name": "grove-initc", "image": "grove-initc:0.1.0", "imageID": "", "ready": false,
        "restartCount": 0, "state": {"running": {}},
    }]);
    let workload = demo_with(&[ready(), waits], &[]);
    let answer = explain_pod(&workload, "demo-0-worker-bcdf1");
    assert_eq!(answer.reason, "WaitingForStartOrder");
    assert_snapshot!(next_of(&answer));
}

#[test]
fn a_running_set_is_reported_as_running() {
    let workload = demo_with(&[ready(), ready()], &[]);
    assert_snapshot!("set", draw(&explain(&workload, &[])));
    assert_snapshot!("pod", draw(&explain_pod(&workload, "demo-0-worker-bcdf0")));
}

/// A pod beyond the minimum is explained although the set is ready.
#[test]
fn an_obstruction_is_shown_for_a_set_that_is_ready() {
    let message = "0/20 nodes are available: 20 Insufficient cpu.";
    let mut workload = demo_with(&[ready(), unschedulable(message)], &[]);
    workload.podcliques[0].spec.min_available = Some(1);
    workload.set.spec.template.cliques[0].spec.min_available = Some(1);
    judge(&mut workload);
    let status = workload.set.status.as_mut().unwrap();
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::MinimumReady,
        message: "1/1 replicas available; replica 0: clique worker 1/2 pods scheduled: 0/20 nodes \
                  are available: 20 Insufficient cpu"
            .to_owned(),
    };
    set(&mut status.conditions, verdict, Some(1), after(5));
    assert_snapshot!(draw(&explain(&workload, &[])));
}

/// All pods of its gang exist: it does not wait for them.
#[test]
fn a_pod_whose_queue_is_missing_waits_for_it() {
    let mut workload = demo_with(
        &[
            gated(&[labels::POD_GANG_GATE]),
            gated(&[labels::POD_GANG_GATE]),
        ],
        &[],
    );
    workload.gangs = vec![gang("demo-0", &[("demo-0-worker", None)])];
    let status = workload.set.status.get_or_insert_default();
    let told = ConditionUpdate {
        type_: ConditionType::SchedulingFeatureUnsupported,
        status: Status::True,
        reason: Reason::QueueNotFound,
        message: "queue team-a does not exist".to_owned(),
    };
    set(&mut status.conditions, told, Some(1), after(5));
    let name = workload.pods[0].metadata.name.clone().unwrap();
    let answer = explain_pod(&workload, &name);
    assert_eq!(answer.reason, "QueueNotFound");
    assert_eq!(answer.cause, "queue team-a does not exist");
}

#[test]
fn a_pod_of_another_set_is_not_found() {
    let workload = demo_with(&[ready()], &[]);
    let other = Some("other-0-a-bcdfg");
    assert!(search(&workload, &workload.observe(), other, now()).is_none());
}

/// Programs read stable field names, and times in full.
#[test]
fn the_answer_is_one_object_for_programs() {
    let told = event(
        ("PodCliqueSet", "demo"),
        ("Warning", "QuotaExceeded"),
        "no",
        (5, 6, 1),
    );
    let text = "create Pod a: exceeded quota: few-pods";
    let answer = explain(&demo_with(&[], &[text]), &[told]);
    assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap());
}

/// Its conditions are old: nothing writes them any more.
#[test]
fn a_set_that_is_being_deleted_tells_what_it_waits_for() {
    let mut leaving = ready();
    leaving["metadata"] = json!({"deletionTimestamp": after(200).to_string()});
    let mut workload = demo_with(&[leaving, ready()], &[]);
    workload.set.metadata.deletion_timestamp = Some(Time(after(200)));
    assert_snapshot!(draw(&explain(&workload, &[])));
}

/// Finished work is not repeated.
#[test]
fn finished_pods_of_a_job_are_not_reported_as_replaced() {
    let mut done = broken();
    done["status"]["phase"] = json!("Succeeded");
    done["status"]["containerStatuses"][0]["state"] = json!({"terminated": {
        "exitCode": 0, "reason": "Completed", "finishedAt": after(280).to_string(),
    }});
    let mut workload = demo_with(&[done, broken()], &[]);
    workload.set.spec.workload_type = Some(WorkloadType::Training);
    workload.set.spec.template.termination_delay = Some("5m".into());
    workload.podcliques[0].spec.workload_type = Some(WorkloadType::Training);
    let next = next_of(&explain(&workload, &[]));
    assert!(!next.contains("is replaced"), "{next}");
}
