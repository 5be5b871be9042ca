//! `timeline`: the history from objects and events, each moment once.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use api::podcliqueset::{PcsUpdateProgress, PodFailure, ReplicaAttempt, TerminationCause};
use chrono::{FixedOffset, Utc};
use cli::timeline::{Moment, collect_moments, draw_timeline, keep_since};
use cli::workload::Workload;
use insta::assert_snapshot;
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, Time};
use rstest::rstest;
use testkit::builders::after;

mod order;
mod repetitions;
mod stalls;

use crate::read::{breach, demo_with, event, now, plain, ready};

const SET: (&str, &str) = ("PodCliqueSet", "demo");
const CLIQUE: (&str, &str) = ("PodClique", "demo-0-worker");
const POD: (&str, &str) = ("Pod", "demo-0-worker-bcdf0");

/// The output without colours; it has to fit a terminal.
fn draw(workload: &Workload, events: &[Event]) -> String {
    draw_moments(&collect_moments(workload, events))
}

fn draw_moments(moments: &[Moment]) -> String {
    let text = plain(&draw_timeline(moments, &Utc));
    let is_narrow = text.lines().all(|line| line.chars().count() <= 80);
    assert!(is_narrow, "{text}");
    text
}

/// Two pods, ready since a minute after the creation.
fn running() -> Workload {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    for pod in &mut workload.pods {
        pod.metadata.creation_timestamp = Some(Time(after(1)));
    }
    let became_ready = |message: &str| ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::AllReady,
        message: message.to_owned(),
    };
    let status = workload.podcliques[0].status.as_mut().unwrap();
    status.conditions.clear();
    set(
        &mut status.conditions,
        became_ready("2/2 pods ready"),
        Some(1),
        after(60),
    );
    let status = workload.set.status.as_mut().unwrap();
    status.conditions.clear();
    let message = "1/1 replicas available";
    set(
        &mut status.conditions,
        became_ready(message),
        Some(1),
        after(60),
    );
    let gang = workload.gangs[0].status.as_mut().unwrap();
    gang.last_scheduled = Some(Time(after(20)));
    gang.last_ready = Some(Time(after(60)));
    workload
}

/// The usual case: objects and events report the same moment, and it is printed once.
#[test]
fn a_start_is_shown_once_though_objects_and_events_record_it() {
    let normal = |reason| ("Normal", reason);
    let events = [
        event(
            CLIQUE,
            normal("PodCreateSuccessful"),
            "created 2 Pods: demo-0-worker-bcdf0, demo-0-worker-bcdf1",
            (1, 1, 1),
        ),
        event(
            SET,
            normal("PodCliqueCreateSuccessful"),
            "created 1 PodClique: demo-0-worker",
            (0, 0, 1),
        ),
        event(SET, normal("Ready"), "1/1 replicas available", (61, 61, 1)),
        event(
            POD,
            normal("Scheduled"),
            "Successfully assigned default/demo-0-worker-bcdf0 to node-0",
            (20, 20, 1),
        ),
        event(
            ("Pod", "demo-0-worker-bcdf1"),
            normal("Scheduled"),
            "Successfully assigned default/demo-0-worker-bcdf1 to node-1",
            (20, 20, 1),
        ),
    ];
    assert_snapshot!(draw(&running(), &events));
}

fn attempt(number: i32, reason: &str, message: &str) -> ReplicaAttempt {
    ReplicaAttempt {
        replica: 0,
        attempt: number,
        time: Time(after(200)),
        reason: reason.to_owned(),
        message: message.to_owned(),
        cause: None,
        succeeded: Vec::new(),
        recovered: None,
        complete: Some(true),
    }
}

/// The present attempt is in the status, an earlier one in an event only.
#[test]
fn each_termination_is_shown_once_with_its_cause() {
    let cause = |since: i64| {
        format!(
            "PodClique demo-0-worker: 1 of 2 required pods ready; demo-0-worker-bcdf0: Error; \
             MinAvailableBreached since {:.0}, terminationDelay 30s",
            after(since)
        )
    };
    let mut workload = running();
    let last = attempt(2, ReplicaAttempt::BREACHED, &cause(170));
    workload.set.status.as_mut().unwrap().replica_attempts = vec![last];
    let terminated = |since| format!("replica 0 was terminated: {}", cause(since));
    let warning = ("Warning", "GangTerminated");
    let events = [
        event(SET, warning, &terminated(70), (100, 100, 1)),
        event(SET, warning, &terminated(170), (201, 201, 1)),
        event(
            SET,
            ("Normal", "PodCliqueSetReplicaDeleteSuccessful"),
            "replica 0: all its PodCliques were deleted",
            (202, 202, 1),
        ),
    ];
    let text = draw(&workload, &events);
    assert_eq!(text.matches("  terminated  ").count(), 2, "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_termination_is_shown_with_the_last_words_of_its_pod() {
    let mut workload = running();
    let last = ReplicaAttempt {
        cause: Some(TerminationCause {
            clique: "worker".to_owned(),
            pod: "demo-0-worker-bcdf0".to_owned(),
            node: Some("node-0".to_owned()),
            reason: "Error".to_owned(),
            exit_code: Some(7),
            message: Some("NCCL timeout".to_owned()),
            time: Some(Time(after(170))),
        }),
        ..attempt(
            1,
            ReplicaAttempt::BREACHED,
            "group demo-0-g: 0 of 1 healthy",
        )
    };
    workload.set.status.as_mut().unwrap().replica_attempts = vec![last];
    let message =
        "replica 0 was terminated: group demo-0-g: 0 of 1 healthy; last words: NCCL timeout";
    let told = event(SET, ("Warning", "GangTerminated"), message, (201, 201, 1));
    let text = draw(&workload, &[told]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "attempt 1 began: group demo-0-g: 0 of 1 healthy; last words: NCCL timeout";
    assert!(words.contains(expected), "{text}");
    assert_eq!(text.matches("  terminated  ").count(), 1, "{text}");
}

/// The recorder shortens long messages, and may post them late.
#[test]
fn an_event_that_was_shortened_or_posted_late_is_known_too() {
    let cause = "PodClique demo-0-worker: 1 of 2 required pods ready; ".repeat(20);
    let mut workload = running();
    let last = attempt(1, ReplicaAttempt::BREACHED, &cause);
    workload.set.status.as_mut().unwrap().replica_attempts = vec![last];
    let text = format!("replica 0 was terminated: {cause}");
    let text = format!("{}…", text.chars().take(250).collect::<String>());
    let late = event(SET, ("Warning", "GangTerminated"), &text, (290, 290, 1));
    let text = draw(&workload, &[late]);
    assert_eq!(text.matches("  terminated  ").count(), 1, "{text}");
}

#[test]
fn a_restart_is_shown_with_the_pod_that_failed_and_its_last_words() {
    let mut workload = running();
    let status = workload.set.status.as_mut().unwrap();
    status.restart_count = Some(1);
    status.start_time = Some(Time(after(30)));
    let why = "restart 1 of 3: PodClique demo-0-worker: 1 of 2 required pods ready";
    status.replica_attempts = vec![attempt(1, ReplicaAttempt::PODCLIQUE_FAILED, why)];
    status.last_failures = vec![PodFailure {
        pod: "demo-0-worker-ghjkl".to_owned(),
        uid: None,
        node: Some("node-3".to_owned()),
        reason: "Error".to_owned(),
        exit_code: Some(1),
        message: Some("NCCL timeout\nafter 1800 s".to_owned()),
        time: Time(after(199)),
    }];
    let failed = "PodClique demo-0-worker: 1 of 2 required pods ready";
    let restarting = format!("replica 0, {why}");
    let events = [
        event(SET, ("Warning", "PodCliqueFailed"), failed, (199, 199, 1)),
        event(
            SET,
            ("Normal", "ReplicaRestarting"),
            &restarting,
            (200, 200, 1),
        ),
    ];
    assert_snapshot!(draw(&workload, &events));
}

#[test]
fn an_update_and_a_scaling_are_shown_with_their_author() {
    let mut workload = running();
    workload.set.status.as_mut().unwrap().update_progress = Some(PcsUpdateProgress {
        update_ended_at: Some(Time(after(130))),
        updated_pod_cliques_count: 1,
        total_pod_cliques_count: 1,
        ..PcsUpdateProgress::begin(Time(after(100)))
    });
    let scaled = |manager: &str, seconds| ManagedFieldsEntry {
        manager: Some(manager.to_owned()),
        subresource: Some("scale".to_owned()),
        time: Some(Time(after(seconds))),
        ..ManagedFieldsEntry::default()
    };
    workload.podcliques[0].metadata.managed_fields = Some(vec![
        scaled("kubectl", 150),
        scaled("kube-controller-manager", 140),
    ]);
    let rescaled = "New size: 2; reason: cpu resource utilization above target";
    let autoscaler = ("HorizontalPodAutoscaler", "demo-0-worker");
    let events = [event(
        autoscaler,
        ("Normal", "SuccessfulRescale"),
        rescaled,
        (140, 140, 1),
    )];
    assert_snapshot!(draw(&workload, &events));
}

/// A restart on demand stands before the update that it begins, with its reason.
#[test]
fn a_restart_on_demand_is_shown_with_its_reason() {
    let mut workload = running();
    workload.set.status.as_mut().unwrap().update_progress =
        Some(PcsUpdateProgress::begin(Time(after(100))));
    let annotations = &mut workload.set.spec.template.cliques[0].annotations;
    let time = after(100).to_string();
    annotations.insert("kubectl.kubernetes.io/restartedAt".into(), time);
    annotations.insert("kubernetes.io/change-cause".into(), "new driver".into());
    let text = draw(&workload, &[]);
    let of_update = text.lines().filter(|line| line.contains("  update  "));
    let lead = "2026-01-01 00:01:40  update      podcliqueset/demo: ";
    assert_eq!(
        of_update.collect::<Vec<_>>(),
        [
            format!("{lead}restart of worker was asked"),
            format!("{lead}began")
        ],
        "{text}"
    );
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "restart of worker was asked for: new driver";
    assert!(flat.contains(words), "{text}");
}

/// Repeated events are one line with their count, also events of two pods in the same second.
#[test]
fn what_is_repeated_is_one_line() {
    let failed = ("Warning", "FailedScheduling");
    let words = "0/20 nodes are available: 20 Insufficient cpu.";
    let other = ("Pod", "demo-0-worker-bcdf1");
    let mut second = event(POD, failed, words, (90, 90, 1));
    second.metadata.name = Some("another".to_owned());
    let events = [
        event(POD, failed, words, (10, 70, 6)),
        second,
        event(other, failed, words, (10, 70, 7)),
    ];
    assert_snapshot!(draw(&demo_with(&[ready(), ready()], &[]), &events));
}

/// Events of the newer API have no count, and only the times of the event and of the series.
#[test]
fn events_of_the_newer_api_have_their_times() {
    let mut new = event(POD, ("Warning", "FailedScheduling"), "no node", (10, 10, 1));
    (new.first_timestamp, new.last_timestamp, new.count) = (None, None, None);
    let series = serde_json::json!({
        "eventTime": "2026-01-01T00:00:10.250000Z",
        "series": {"count": 5, "lastObservedTime": "2026-01-01T00:01:40.000000Z"},
    });
    let mut value = serde_json::to_value(&new).unwrap();
    value
        .as_object_mut()
        .unwrap()
        .extend(series.as_object().unwrap().clone());
    let new: Event = serde_json::from_value(value).unwrap();
    let moments = collect_moments(&demo_with(&[ready(), ready()], &[]), &[new]);
    let told = moments
        .iter()
        .find(|m| m.reason == "FailedScheduling")
        .unwrap();
    assert_eq!((told.count, told.until), (5, Some(after(100))));
    assert_eq!(told.at.as_second(), after(10).as_second());
}

#[rstest]
#[case::a_pod_that_is_gone("Pod", "demo-0-worker-zzzzz", true)]
#[case::a_pod_of_another_set("Pod", "demo-0-worker-x-zzzzz", false)]
#[case::a_pod_by_hand("Pod", "demo-0-worker", false)]
#[case::the_set("PodCliqueSet", "demo", true)]
#[case::another_set("PodCliqueSet", "demo-0", false)]
#[case::a_gang("PodGang", "demo-0", true)]
#[case::a_pod_of_a_replica_that_was_scaled_in("Pod", "demo-7-worker-zzzzz", true)]
#[case::a_podclique_of_one("PodClique", "demo-7-worker", true)]
#[case::the_gang_of_one("PodGang", "demo-7", true)]
#[case::a_scaled_gang_of_no_group("PodGang", "demo-0-others-1", false)]
#[case::another_kind("Node", "demo-0-worker", false)]
fn only_events_of_the_set_are_printed(
    #[case] kind: &str,
    #[case] name: &str,
    #[case] is_shown: bool,
) {
    let told = event(
        (kind, name),
        ("Warning", "Strange"),
        "something",
        (50, 50, 1),
    );
    let moments = collect_moments(&running(), &[told]);
    assert_eq!(moments.iter().any(|m| m.reason == "Strange"), is_shown);
}

/// Events of an earlier set of the same name, deleted before.
#[test]
fn moments_before_the_set_are_not_printed() {
    let old = event(SET, ("Warning", "Strange"), "something", (-60, -60, 1));
    let moments = collect_moments(&running(), &[old]);
    assert!(moments.iter().all(|m| m.reason != "Strange"), "{moments:?}");
}

#[test]
fn since_hides_earlier_moments() {
    let mut workload = running();
    breach(&mut workload.podcliques[0], 250);
    let all = collect_moments(&workload, &[]);
    let recent = keep_since(all.clone(), Some(SignedDuration::from_mins(1)), now());
    assert_snapshot!(draw_moments(&recent));
    assert_eq!(keep_since(all.clone(), None, now()), all);
}

#[test]
fn nothing_is_said_to_be_nothing() {
    assert_eq!(draw_moments(&[]), "No event is known.\n");
}

#[test]
fn times_are_those_of_a_persons_zone() {
    let zone = FixedOffset::east_opt(5 * 3600 + 1800).unwrap();
    let moments = collect_moments(&running(), &[]);
    let text = plain(&draw_timeline(&moments[..1], &zone));
    assert_snapshot!(text);
}

/// The longest allowed name has its own line.
#[test]
fn long_names_are_kept_whole() {
    let mut workload = running();
    workload.set.metadata.name = Some("a".repeat(63));
    let moments = collect_moments(&workload, &[]);
    assert_snapshot!(draw_moments(&moments[..1]));
}
