//! Causes stand before their effects, and a reason has the time of its event.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use api::podcliqueset::ReplicaAttempt;
use cli::timeline::{Moment, What, collect_moments};
use insta::assert_snapshot;
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::after;

use super::{SET, attempt, draw, draw_moments, running};
use crate::read::{breach, event};

/// A breach, the termination of the replica, and its pods of the next attempt, in one second.
#[test]
fn causes_stand_before_their_effects_of_the_same_second() {
    let mut workload = running();
    let at = Time(after(200));
    let why = "PodClique demo-0-worker: 1 of 2 required pods ready";
    let last = attempt(1, ReplicaAttempt::BREACHED, why);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![last];
    breach(&mut workload.podcliques[0], 200);
    workload.podcliques[0].metadata.creation_timestamp = Some(at.clone());
    for pod in &mut workload.pods {
        pod.metadata.creation_timestamp = Some(at.clone());
    }
    workload.gangs[0].status.as_mut().unwrap().last_ready = Some(at.clone());
    let deleted = event(
        SET,
        ("Normal", "PodCliqueDeleteSuccessful"),
        "deleted 1 PodClique: demo-0-worker",
        (200, 200, 1),
    );
    let mut moments = collect_moments(&workload, &[deleted]);
    moments.retain(|moment| moment.at == at.0);
    assert_snapshot!(draw_moments(&moments), @r"
    TIME (+00:00)        EVENT       OBJECT AND DETAILS
    2026-01-01 00:03:20  breached    podclique/demo-0-worker: InsufficientReadyPods:
                                     1 of 2 required pods ready
    2026-01-01 00:03:20  terminated  replica 0: attempt 1 began: PodClique
                                     demo-0-worker: 1 of 2 required pods ready
    2026-01-01 00:03:20  event       podcliqueset/demo: PodCliqueDeleteSuccessful:
                                     deleted 1 PodClique: demo-0-worker
    2026-01-01 00:03:20  created     podclique/demo-0-worker
    2026-01-01 00:03:20  created     2 pods (demo-0-worker-bcdf0,
                                     demo-0-worker-bcdf1)
    2026-01-01 00:03:20  ready       podgang/demo-0: all its guaranteed pods were
                                     ready
    ");
}

const NOT_READY: &str = "2026-01-01 00:01:40 not ready podcliqueset/demo";

/// The set is not Ready since 100 s; an event has the time of the reason.
#[rstest]
#[case::of_the_change(Some(101), ": ImagePullFailed: no such image")]
#[case::newer(
    Some(160),
    " 2026-01-01 00:02:40 warning podcliqueset/demo: ImagePullFailed: no such image"
)]
#[case::before_the_change(Some(40), ": now ImagePullFailed: no such image")]
#[case::not_reported(None, ": now ImagePullFailed: no such image")]
fn a_reason_has_the_time_of_its_event(#[case] reported: Option<i64>, #[case] expected: &str) {
    let mut workload = running();
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::False,
        reason: Reason::ImagePullFailed,
        message: "no such image".to_owned(),
    };
    let conditions = &mut workload.set.status.as_mut().unwrap().conditions;
    set(conditions, verdict, Some(1), after(100));
    let warning = ("Warning", "ImagePullFailed");
    let told = reported.map(|at| event(SET, warning, "no such image", (at, at, 1)));
    let events: Vec<Event> = told.into_iter().collect();
    let text = draw(&workload, &events);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.ends_with(&format!("{NOT_READY}{expected}")), "{text}");
}

/// The set became Ready, and an update began later: its condition has the newer message.
#[test]
fn an_update_is_not_shown_before_it_began() {
    let mut workload = running();
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::Updating,
        message: "1/1 replicas available; 0/1 PodCliques updated".to_owned(),
    };
    let conditions = &mut workload.set.status.as_mut().unwrap().conditions;
    set(conditions, verdict, Some(1), after(200));
    let told = "1/1 replicas available";
    let told = event(SET, ("Normal", "Ready"), told, (61, 61, 1));
    let moments = collect_moments(&workload, &[told]);
    let of_set = |m: &&Moment| m.what == What::Ready && m.kind == "podcliqueset";
    let of_set: Vec<&Moment> = moments.iter().filter(of_set).collect();
    assert_eq!(of_set.len(), 1, "{moments:?}");
    assert_eq!(
        (&*of_set[0].text, &*of_set[0].reason),
        ("1/1 replicas available", "Ready")
    );
}

/// The recorder has shortened the message of the event: the condition has the whole one.
#[test]
fn a_shortened_message_is_completed() {
    let mut workload = running();
    let message = format!("1/1 replicas available; {}", "no room; ".repeat(200));
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::MinimumReady,
        message: message.trim_end().to_owned(),
    };
    let conditions = &mut workload.set.status.as_mut().unwrap().conditions;
    set(conditions, verdict, Some(1), after(200));
    let shortened: String = message.chars().take(1000).collect();
    let told = event(
        SET,
        ("Normal", "Ready"),
        &format!("{shortened}…"),
        (61, 61, 1),
    );
    let moments = collect_moments(&workload, &[told]);
    let found = moments.iter().find(|m| m.text == message.trim_end());
    assert_eq!(
        found.map(|m| &*m.reason),
        Some("MinimumReady"),
        "{moments:?}"
    );
}

/// The gang lost its nodes because its replica was terminated, and a pod's failure is why a job's replica
/// was restarted.
#[test]
fn all_that_an_action_does_stands_behind_it() {
    let mut workload = running();
    let why = "PodClique demo-0-worker: 1 of 2 required pods ready";
    let last = attempt(1, ReplicaAttempt::BREACHED, why);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![last];
    let disrupted = ConditionUpdate {
        type_: ConditionType::Scheduled,
        status: Status::False,
        reason: Reason::GuaranteedPodsNotBound,
        message: "worker 0/2 scheduled".to_owned(),
    };
    let gang = workload.gangs[0].status.as_mut().unwrap();
    set(&mut gang.conditions, disrupted, Some(1), after(200));
    let told = |type_: &str, reason: &str| event(SET, (type_, reason), reason, (200, 200, 1));
    let events = [
        told("Normal", "PodCliqueSetReplicaDeleteSuccessful"),
        told("Normal", "PodCliqueDeleteSuccessful"),
        told("Warning", "PodFailed"),
        told("Normal", "ReplicaRestarting"),
    ];
    let mut moments = collect_moments(&workload, &events);
    moments.retain(|moment| moment.at == after(200));
    let order: Vec<String> = moments
        .iter()
        .map(|moment| format!("{} {}", moment.what, moment.reason))
        .collect();
    let terminated = format!("terminated {}", ReplicaAttempt::BREACHED);
    let expected = [
        "warning PodFailed",
        terminated.as_str(),
        "restarted ReplicaRestarting",
        "event PodCliqueDeleteSuccessful",
        "event PodCliqueSetReplicaDeleteSuccessful",
        "disrupted GuaranteedPodsNotBound",
    ];
    assert_eq!(order, expected);
}
