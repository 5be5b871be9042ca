//! Pods of a job that the cluster evicts: named, and on request not counted.

use std::sync::Arc;

use api::podclique::BreachCause;
use api::podcliqueset::PodFailure;
use domain::Pod;
use domain::object::pod::PodCondition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after};

use super::{failed_because, job, running, set_breached};
use crate::situation::{fill, plan};

const FRONTEND: &str = "demo-0-frontend";

/// A drain deletes it; its containers run until the grace period is over.
fn drained(builder: PodBuilder) -> PodBuilder {
    builder.ready().terminating(80).with(|p: &mut Pod| {
        p.metadata.deletion_grace_period_seconds = Some(30);
        p.status.conditions.push(PodCondition {
            type_: "DisruptionTarget".into(),
            status: "True".into(),
            reason: Some("EvictionByEvictionAPI".into()),
            message: Some("Eviction API: evicting".into()),
            last_transition_time: Some(Time(after(50))),
        });
    })
}

fn after_a_drain(max_restarts: i32, ignores: Option<bool>) -> Snapshot {
    let mut snapshot = running(job(max_restarts, None).with(|s| {
        s.spec.training_spec.as_mut().unwrap().ignore_disruptions = ignores;
    }));
    fill(&mut snapshot, FRONTEND, 2, drained);
    set_breached(&mut snapshot, FRONTEND, 51);
    snapshot
}

#[test]
fn it_is_named_with_pod_node_and_reason() {
    let status = plan(&after_a_drain(1, None)).status.unwrap();
    let words = "demo-0-frontend-p0 on node-0: EvictionByEvictionAPI (Eviction API: evicting)";
    let message = &status.replica_attempts[0].message;
    assert!(message.contains(words), "{message}");
    let kept = &status.last_failures[0];
    let should = PodFailure {
        pod: "demo-0-frontend-p0".into(),
        uid: kept.uid.clone(),
        node: Some("node-0".into()),
        reason: "EvictionByEvictionAPI".into(),
        exit_code: None,
        message: Some("Eviction API: evicting".into()),
        time: Time(after(50)),
    };
    assert_eq!(kept, &should);
}

/// Restarts counted, disruptions counted, and whether the job is given up.
#[rstest]
#[case::counted_by_default(1, None, (Some(1), None), None)]
#[case::counted_as_asked_for(1, Some(false), (Some(1), None), None)]
#[case::not_counted(0, Some(true), (Some(0), Some(1)), None)]
#[case::without_budget(0, None, (Some(0), None), Some("MaxRestartsExceeded"))]
fn it_is_counted(
    #[case] max_restarts: i32,
    #[case] ignores: Option<bool>,
    #[case] counts: (Option<i32>, Option<i32>),
    #[case] failed: Option<&str>,
) {
    let first = plan(&after_a_drain(max_restarts, ignores));
    assert_eq!(failed_because(&first), failed);
    let status = first.status.unwrap();
    assert_eq!((status.restart_count, status.disruption_restarts), counts);
}

/// A failure of its own beside it needs the budget.
#[test]
fn a_failure_beside_it_counts() {
    let mut snapshot = after_a_drain(1, Some(true));
    super::fail(&mut snapshot, "demo-0-g-0-leader", 40);
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(
        (status.restart_count, status.disruption_restarts),
        (Some(1), None),
        "one replica restarts once, for the breach that is due first"
    );
}

/// The pod is gone a moment later, and its successor merely starts: the PodClique has stored the
/// cause.
#[test]
fn it_is_named_and_not_counted_though_the_pod_is_gone() {
    let mut snapshot = after_a_drain(0, Some(true));
    fill(&mut snapshot, FRONTEND, 2, |p| p);
    let seen = snapshot.podcliques.get_mut(FRONTEND).unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut().unwrap();
    status.breach_cause = Some(BreachCause {
        message: "demo-0-frontend-p0 on node-0: EvictionByEvictionAPI".into(),
        time: Some(Time(after(50))),
        is_disruption: true,
        pod: None,
    });
    let status = plan(&snapshot).status.unwrap();
    assert_eq!(status.disruption_restarts, Some(1));
    let message = &status.replica_attempts[0].message;
    let words = "demo-0-frontend-p0 on node-0: EvictionByEvictionAPI";
    assert!(message.contains(words), "{message}");
}

/// It went between two decisions, and its slot is empty: the cause of the restart is the one that
/// is kept.
#[test]
fn it_is_kept_though_no_decision_saw_it_go() {
    let mut snapshot = after_a_drain(1, None);
    let gone = snapshot.podcliques[FRONTEND].pods[0].clone();
    let seen = snapshot.podcliques.get_mut(FRONTEND).unwrap();
    seen.pods.remove(0);
    assert!(
        plan_failures(&snapshot)
            .iter()
            .all(|f| f.pod != gone.name())
    );
    let seen = snapshot.podcliques.get_mut(FRONTEND).unwrap();
    seen.lost = vec![Arc::new(gone.to_lost().unwrap())];
    let kept = plan_failures(&snapshot);
    let kept = kept.iter().find(|f| f.pod == gone.name()).unwrap();
    assert_eq!(kept.reason, "EvictionByEvictionAPI");
    assert_eq!(kept.node.as_deref(), Some("node-0"));
}

fn plan_failures(snapshot: &Snapshot) -> Vec<PodFailure> {
    plan(snapshot).status.unwrap().last_failures
}

/// Announced for a pod that was not Ready, and withdrawn: once it is Ready there is no failure.
#[rstest]
#[case::not_ready_yet(false, 1)]
#[case::ready(true, 0)]
fn one_that_did_not_come_is_not_kept(#[case] is_ready: bool, #[case] should: usize) {
    let mut snapshot = running(job(1, None));
    let announced = |p: PodBuilder| drained(p).with(|p| p.metadata.deletion_timestamp = None);
    fill(&mut snapshot, FRONTEND, 1, |p| {
        announced(p).condition("Ready", "False")
    });
    let first = plan(&snapshot);
    assert_eq!(first.status.as_ref().unwrap().last_failures.len(), 1);
    crate::situation::carry_out(&mut snapshot, &first);
    fill(&mut snapshot, FRONTEND, 1, |p| {
        let ready = if is_ready { "True" } else { "False" };
        p.ready().condition("Ready", ready)
    });
    assert_eq!(plan_failures(&snapshot).len(), should);
}
