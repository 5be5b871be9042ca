//! The cause of a set that is not ready, and the events when it changes.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodCliqueSetPhase;
use api::{LastError, PodCliqueSetStatus, labels};
use domain::health::fence::{AttemptCause, begin_attempts};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use podcliqueset::Snapshot;
use testkit::builders::{PodBuilder, after};

use crate::situation::{alone, carry_out, demo, fill, fill_all, laid_out, plan};

fn ready(snapshot: &Snapshot) -> Condition {
    let status = plan(snapshot).status.unwrap();
    conditions::find(&status.conditions, ConditionType::Ready)
        .unwrap()
        .clone()
}

fn ready_text(snapshot: &Snapshot) -> String {
    let ready = ready(snapshot);
    format!("{} {}: {}", ready.status, ready.reason, ready.message)
}

fn no_gpu(pod: PodBuilder) -> PodBuilder {
    let pod = pod.ungated().condition("PodScheduled", "False");
    pod.with(|p| {
        let condition = p.status.conditions.last_mut().unwrap();
        condition.reason = Some("Unschedulable".into());
        condition.message = Some("0/4 nodes are available: 4 Insufficient gpu.".into());
    })
}

/// All pods ready but those of one PodClique.
fn all_but(name: &str, pods: i32, adapt: impl Fn(PodBuilder) -> PodBuilder) -> Snapshot {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    fill(&mut snapshot, name, pods, adapt);
    snapshot
}

#[test]
fn the_cause_is_found_from_the_set_down_to_the_pod() {
    let lines = [
        ready_text(&alone(&demo().build())),
        ready_text(&laid_out(&demo().build())),
        ready_text(&all_but("demo-0-frontend", 2, no_gpu)),
        ready_text(&all_but("demo-0-g-1-worker", 2, |p| {
            p.waiting("ErrImagePull")
        })),
        ready_text(&all_but("demo-0-g-1-worker", 1, PodBuilder::ready)),
        ready_text(&all_but("demo-0-frontend", 1, PodBuilder::ready)),
        ready_text(&all_but("demo-0-frontend", 2, PodBuilder::ready)),
        ready_text(&alone(&demo().replicas(0).build())),
    ];
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_gang_that_waits_for_its_base_is_not_the_first_cause() {
    let mut snapshot = all_but("demo-0-frontend", 2, no_gpu);
    let gated = snapshot.podcliques.get_mut("demo-0-g-2-worker").unwrap();
    let mut podclique = (*gated.podclique).clone();
    let all = podclique.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), "demo-0-g-0".into());
    all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
    gated.podclique = podclique.into();
    fill(&mut snapshot, "demo-0-g-2-worker", 2, |p| p);
    assert_eq!(ready(&snapshot).reason, "InsufficientResources");
    fill(&mut snapshot, "demo-0-frontend", 2, PodBuilder::ready);
    assert_snapshot!(ready_text(&snapshot));
}

#[test]
fn a_missing_podclique_reports_the_refusal_of_its_group() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    for part in ["leader", "worker"] {
        for j in [0, 1] {
            snapshot.podcliques.remove(&format!("demo-0-g-{j}-{part}"));
        }
    }
    assert_eq!(ready(&snapshot).reason, "PodsBeingCreated");
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    group.status.get_or_insert_default().last_errors = vec![LastError {
        code: "ERR_CREATE_PODCLIQUE".into(),
        description: "admission webhook \"a\" denied the request".into(),
        observed_at: Time(after(0)),
    }];
    assert_snapshot!(
        ready_text(&snapshot),
        @r#"False RequestRefused: replica 0: group g replica 0: clique leader is not created: admission webhook "a" denied the request"#
    );
}

/// The minimum runs, and yet somebody has to look.
#[test]
fn a_set_that_runs_without_its_autoscaler_says_so() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let mut stored = (*snapshot.stored).clone();
    stored.status.get_or_insert_default().last_errors = vec![LastError {
        code: "ERR_CREATE_HORIZONTALPODAUTOSCALER".into(),
        description:
            "create HorizontalPodAutoscaler demo-0-g: spec.metrics[0].type: Unsupported value"
                .into(),
        observed_at: Time(after(0)),
    }];
    snapshot.stored = stored.into();
    let ready = ready(&snapshot);
    assert_eq!((&*ready.status, &*ready.reason), ("True", "RequestRefused"));
    let words =
        "; create HorizontalPodAutoscaler demo-0-g: spec.metrics[0].type: Unsupported value";
    assert!(ready.message.ends_with(words), "{}", ready.message);
}

#[test]
fn a_replica_that_was_terminated_says_why() {
    let mut snapshot = laid_out(&demo().build());
    fill_all(&mut snapshot, PodBuilder::ready);
    let mut stored = (*snapshot.stored).clone();
    let status = stored.status.get_or_insert_default();
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "podclique demo-0-frontend: 0 of 1 required pods ready".into(),
    };
    status.replica_attempts = begin_attempts(&[], [(0, cause)], after(50));
    snapshot.stored = stored.into();
    assert_snapshot!(ready_text(&snapshot));
}

#[test]
fn a_job_that_is_over_says_how_it_ended() {
    let mut snapshot = laid_out(&demo().build());
    let mut stored = (*snapshot.stored).clone();
    let status = stored.status.get_or_insert_default();
    status.phase = Some(PodCliqueSetPhase::Succeeded);
    stored.spec.workload_type = Some(api::WorkloadType::Training);
    snapshot.validated.set.spec.workload_type = Some(api::WorkloadType::Training);
    snapshot.stored = stored.into();
    assert_snapshot!(ready_text(&snapshot), @"True WorkloadSucceeded: the job is done");
}

/// Events of a plan, one per line.
fn events(snapshot: &Snapshot) -> Vec<String> {
    let notes = plan(snapshot).events;
    notes
        .iter()
        .map(|n| format!("{}: {}", n.reason, n.message))
        .collect()
}

fn store(snapshot: &mut Snapshot, status: PodCliqueSetStatus) {
    let mut stored = (*snapshot.stored).clone();
    stored.status = Some(status);
    snapshot.stored = stored.into();
}

#[test]
fn a_cause_for_users_is_reported_once_and_its_end_too() {
    let mut snapshot = all_but("demo-0-frontend", 2, no_gpu);
    let first = plan(&snapshot);
    assert_eq!(first.events.len(), 1);
    assert!(first.events[0].is_warning && first.events[0].identity.is_some());
    assert_eq!(first.events[0].reason.as_str(), "InsufficientResources");
    carry_out(&mut snapshot, &first);
    assert_eq!(events(&snapshot), Vec::<String>::new());
    // Its pods start before they run: the status in between was stored.
    fill(&mut snapshot, "demo-0-frontend", 2, PodBuilder::bound);
    let starting = plan(&snapshot).status.unwrap();
    assert_eq!(events(&snapshot), Vec::<String>::new());
    store(&mut snapshot, starting);
    fill(&mut snapshot, "demo-0-frontend", 2, PodBuilder::ready);
    assert_eq!(events(&snapshot), ["Ready: 1/1 replicas available"]);
    let mended = plan(&snapshot).status.unwrap();
    store(&mut snapshot, mended);
    assert_eq!(events(&snapshot), Vec::<String>::new());
}

#[test]
fn a_passing_cause_is_no_event() {
    let snapshot = laid_out(&demo().build());
    assert_eq!(ready(&snapshot).reason, "PodsBeingCreated");
    assert_eq!(events(&snapshot), Vec::<String>::new());
}

/// An hour later the API server has forgotten the event of the change.
#[test]
fn a_cause_for_users_is_reported_while_it_lasts() {
    let mut snapshot = all_but("demo-0-frontend", 2, no_gpu);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let told_at = |snapshot: &Snapshot, seconds: i64| {
        let events = podcliqueset::decide::decide(snapshot, after(seconds)).events;
        let notes = events
            .iter()
            .filter(|n| n.reason.as_str() == "InsufficientResources");
        let notes: Vec<_> = notes.map(|n| (n.is_warning, n.identity.clone())).collect();
        notes
    };
    assert!(told_at(&snapshot, 60 + 29 * 60).is_empty());
    let later = told_at(&snapshot, 60 + 31 * 60);
    assert_eq!(later.len(), 1);
    assert!(later[0].0 && later[0].1 != first.events[0].identity);
    assert_eq!(told_at(&snapshot, 60 + 90 * 60), later, "one event");
    // A passing cause does not, nor does a running set.
    fill(&mut snapshot, "demo-0-frontend", 2, PodBuilder::ready);
    let mended = plan(&snapshot).status.unwrap();
    store(&mut snapshot, mended);
    assert!(told_at(&snapshot, 60 + 90 * 60).is_empty());
}
