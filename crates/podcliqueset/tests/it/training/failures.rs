//! Failures of pods: which ones the status keeps, and which ends are no failures.

use std::sync::Arc;

use domain::object::pod::{ContainerState, ContainerStatus, Terminated};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use testkit::builders::{PodBuilder, after};

use super::{fail, job, running, stored};
use crate::situation::{carry_out, fill, fill_all, plan};

#[test]
fn keeps_the_newest_failures_with_their_causes() {
    let mut snapshot = running(job(9, None));
    let ended = |p: &mut domain::Pod| {
        let terminated = Some(Terminated {
            exit_code: 137,
            reason: Some("OOMKilled".into()),
            message: Some("x".repeat(2000) + "the end"),
            finished_at: Some(Time(after(55))),
            ..Terminated::default()
        });
        p.status.container_statuses = vec![ContainerStatus {
            state: ContainerState {
                terminated,
                ..ContainerState::default()
            },
            ..ContainerStatus::default()
        }];
    };
    fill(&mut snapshot, "demo-0-frontend", 1, |p| {
        p.bound().phase("Failed").with(ended)
    });
    fill(&mut snapshot, "demo-0-g-0-leader", 1, |p| {
        p.bound().phase("Failed").created(40).with(|p| {
            p.status.reason = Some("Evicted".into());
            p.status.message = Some("The node was low on resource: memory.".into());
        })
    });
    let mut failures = plan(&snapshot).status.unwrap().last_failures;
    assert_eq!(failures[0].message.as_ref().unwrap().len(), 1024);
    assert!(failures[0].message.as_ref().unwrap().ends_with("the end"));
    failures[0].message = None;
    assert_snapshot!(serde_json::to_string_pretty(&failures).unwrap());
}

/// Ended with this code at this time.
fn exited(builder: PodBuilder, code: i32, at: i64) -> PodBuilder {
    let terminated = Some(Terminated {
        exit_code: code,
        finished_at: Some(Time(after(at))),
        ..Terminated::default()
    });
    let status = ContainerStatus {
        state: ContainerState {
            terminated,
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    let failed = builder.bound().phase("Failed");
    failed.with(|p| p.status.container_statuses = vec![status])
}

/// A restart ends the others with SIGTERM; the kubelet reports them as Failed before they are gone.
#[test]
fn peers_that_were_ended_do_not_hide_the_pod_that_failed() {
    let mut snapshot = running(job(1, None));
    fill(&mut snapshot, "demo-0-g-0-leader", 1, |p| exited(p, 1, 50));
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    fill_all(&mut snapshot, |p| exited(p, 143, 55).terminating(55));
    let failures = plan(&snapshot).status.unwrap().last_failures;
    let kept: Vec<_> = failures
        .iter()
        .map(|f| (f.pod.as_str(), f.exit_code))
        .collect();
    assert_eq!(kept, [("demo-0-g-0-leader-p0", Some(1))]);
}

/// Any user may edit labels. The rest of an earlier attempt was deleted by the restart.
#[test]
fn a_pod_of_an_earlier_attempt_is_no_failure_whatever_its_labels_say() {
    let mut snapshot = running(job(5, None));
    fail(&mut snapshot, "demo-0-frontend", 60);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    assert_eq!(stored(&snapshot).restart_count, Some(1));
    for seen in snapshot.podcliques.values_mut() {
        let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
        meta.deletion_timestamp = Some(Time(after(60)));
        let labels = meta.labels.as_mut().unwrap();
        labels.remove(api::labels::PCS_REPLICA_INDEX);
    }
    assert_eq!(plan(&snapshot).status.unwrap().restart_count, Some(1));
}
