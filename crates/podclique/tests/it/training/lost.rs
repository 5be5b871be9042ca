//! A pod that is gone before any decision has observed the cause.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::{PodCliqueSet, PodCliqueStatus, WorkloadType, events};
use domain::Pod;
use domain::object::pod::PodCondition;
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, set};

use super::{clique, give_to};
use crate::situation::plan;

/// The garbage collector of pods marks a pod before it removes it, and removes it at once.
fn collected(builder: PodBuilder) -> PodBuilder {
    builder.bound().phase("Failed").with(|p: &mut Pod| {
        p.status.conditions.push(PodCondition {
            type_: "DisruptionTarget".into(),
            status: "True".into(),
            reason: Some("DeletionByPodGC".into()),
            last_transition_time: Some(Time(after(50))),
            ..PodCondition::default()
        });
    })
}

fn refilled(builder: PodBuilder) -> PodBuilder {
    builder.bound()
}

/// A clique of 2 that requires both. Pod 0, last seen like this, is gone; its slot remembers it.
fn after_loss(last: PodBuilder, next: Option<PodBuilder>) -> PodCliqueStatus {
    let job = set("demo")
        .clique("worker", |c| c.replicas(2))
        .with(|s| s.spec.workload_type = Some(WorkloadType::Training))
        .build();
    let mut clique = (*clique(2, 2, true)).clone();
    give_to(&job, &mut clique);
    let clique = Arc::new(clique);
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(job);
    let peer = pod(&clique, 1).ready();
    for pod in next.into_iter().chain([peer]) {
        caches.of::<Pod>().apply((*pod.build()).clone());
    }
    caches.slot_history.insert(&last.build());
    let rules = podclique::PodCliqueReconciler::default();
    let seen = podclique::observe::observe(&clique, &caches, &rules);
    let failed = plan(&seen);
    let is_reported = |s: &PodCliqueStatus| {
        let mut stored = (*clique).clone();
        stored.status = Some(s.clone());
        let seen = podclique::observe::observe(&Arc::new(stored), &caches, &rules);
        let events = plan(&seen).events;
        events.iter().any(|e| e.reason == events::PODCLIQUE_FAILED)
    };
    let status = failed.status.unwrap();
    assert!(is_reported(&status));
    status
}

#[rstest]
#[case::collected(collected as fn(PodBuilder) -> PodBuilder, Some("DeletionByPodGC"))]
#[case::nobody_knows(PodBuilder::ready, None)]
fn it_is_named_in_the_breach(
    #[case] last: fn(PodBuilder) -> PodBuilder,
    #[case] should: Option<&str>,
) {
    let status = after_loss(last(pod(&clique(2, 2, true), 0)), None);
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached).unwrap();
    let is_named = should.is_none_or(|words| breach.message.contains(words));
    assert!(is_named, "{}", breach.message);
    let cause = status.breach_cause;
    assert_eq!(
        cause.as_ref().map(|c| c.is_disruption),
        should.map(|_| true)
    );
    let words = cause.map(|c| c.message).unwrap_or_default();
    assert!(words.contains(should.unwrap_or_default()), "{words}");
}

/// The slot has a holder again: a loss now is of another pod.
#[test]
fn it_is_not_named_once_its_slot_is_filled() {
    let next = refilled(pod(&clique(2, 2, true), 0)).with(|p| {
        p.metadata.name = Some("demo-0-worker-next".into());
        p.metadata.uid = Some("next".into());
        p.status.container_statuses.clear();
        p.status.phase = Some("Pending".into());
    });
    let status = after_loss(collected(pod(&clique(2, 2, true), 0)), Some(next));
    assert_eq!(status.breach_cause, None);
}
