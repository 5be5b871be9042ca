//! How long a breach may last (docs/semantics.md §3).

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::podclique::LostPod;
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress};
use api::{GoDuration, PodClique, PodCliqueSet, conditions};
use domain::health::availability::StoredBreach;
use domain::health::culprit::{Blamed, Culprit};
use domain::health::fence::{begin_attempts, note_causes};
use domain::health::termination::{
    Breach, delay_of_group, delay_of_set, first_of_each_replica, memory, terminated_event,
};
use domain::plan::{Kind, Target};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::after;

const START: Timestamp = Timestamp::UNIX_EPOCH;

/// Pods of the replica in turn have had no room since second 100, and the delay is 10 s. It was
/// terminated in this turn if something has to return, and holds room since that second.
#[rstest]
#[case::for_the_first_time(&[], None, Some(110))]
#[case::for_the_first_time_with_a_node(&[], Some(150), Some(110))]
#[case::again_without_a_node(&["a"], None, None)]
#[case::again_with_a_node(&["a"], Some(50), Some(110))]
#[case::again_with_a_node_that_it_got_later(&["a"], Some(150), Some(160))]
fn a_replica_without_room_is_terminated_again_only_for_room_that_it_holds(
    #[case] must_return: &[&str],
    #[case] holds_since: Option<i64>,
    #[case] due: Option<i64>,
) {
    let mut set = set("Inference", Some("10s"), None);
    let turn = ReplicaUpdateProgress {
        without_room_since: Some(Time(after(100))),
        must_return: must_return.iter().map(|name| (*name).to_owned()).collect(),
        ..ReplicaUpdateProgress::begin(0, Time(after(0)))
    };
    set.status.get_or_insert_default().update_progress = Some(PcsUpdateProgress {
        currently_updating: vec![turn],
        ..PcsUpdateProgress::begin(Time(after(0)))
    });
    let breach = Breach::without_room(&set, |_| holds_since.map(after));
    assert_eq!(breach.map(|breach| breach.due()), due.map(after));
}

/// A set of one clique in a group, with these delays.
fn set(type_: &str, of_set: Option<&str>, of_group: Option<&str>) -> PodCliqueSet {
    let clique = json!({
        "name": "a",
        "spec": {
            "roleName": "a", "replicas": 1,
            "podSpec": {"containers": [{"name": "main", "image": "example/main:1"}]}
        }
    });
    let mut spec: Value = json!({
        "workloadType": type_,
        "template": {
            "cliques": [clique],
            "podCliqueScalingGroups": [{"name": "g", "cliqueNames": ["a"]}]
        }
    });
    if let Some(delay) = of_set {
        spec["template"]["terminationDelay"] = json!(delay);
    }
    if let Some(delay) = of_group {
        spec["template"]["podCliqueScalingGroups"][0]["terminationDelay"] = json!(delay);
    }
    serde_json::from_value(json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "demo", "namespace": "default"}, "spec": spec
    }))
    .unwrap()
}

#[rstest]
#[case::unset(None, None, (None, None))]
#[case::of_the_set(Some("10s"), None, (Some(10), Some(10)))]
#[case::shorter(Some("10s"), Some("3s"), (Some(10), Some(3)))]
#[case::longer(Some("10s"), Some("1m"), (Some(10), Some(60)))]
#[case::of_the_group_alone(None, Some("3s"), (None, None))]
#[case::zero(Some("0s"), None, (None, None))]
#[case::negative(Some("-1s"), Some("3s"), (None, None))]
#[case::unreadable(Some("soon"), None, (None, None))]
#[case::less_than_a_second(Some("900ms"), None, (None, None))]
#[case::a_second(Some("1000ms"), Some("1s"), (Some(1), Some(1)))]
#[case::less_than_a_second_in_the_group(Some("10s"), Some("900ms"), (Some(10), None))]
#[case::zero_in_the_group(Some("10s"), Some("0s"), (Some(10), None))]
#[case::unreadable_in_the_group(Some("10s"), Some("soon"), (Some(10), None))]
fn a_groups_own_delay_wins_and_an_invalid_one_is_none(
    #[case] of_set: Option<&str>,
    #[case] of_group: Option<&str>,
    #[case] expected: (Option<i64>, Option<i64>),
) {
    let pcs = set("Inference", of_set, of_group);
    let group = &pcs.spec.template.scaling_groups[0];
    let seconds = |d: Option<SignedDuration>| d.map(|d| d.as_secs());
    assert_eq!(
        (
            seconds(delay_of_set(&pcs)),
            seconds(delay_of_group(&pcs, group))
        ),
        expected
    );
}

#[rstest]
#[case::off("Inference", None, None, 0)]
#[case::of_the_set("Inference", Some("20s"), None, 20)]
#[case::of_the_group("Inference", Some("20s"), Some("50s"), 50)]
#[case::longest("Inference", Some("4h"), None, 60)]
#[case::job_at_once("Training", None, None, 0)]
#[case::job_with_a_delay("Training", Some("20s"), None, 20)]
#[case::job_with_one_in_the_group("Training", None, Some("20s"), 20)]
fn a_breach_is_remembered_by_the_delay_that_counts(
    #[case] type_: &str,
    #[case] of_set: Option<&str>,
    #[case] of_group: Option<&str>,
    #[case] seconds: i64,
) {
    let pcs = set(type_, of_set, of_group);
    let group = &pcs.spec.template.scaling_groups[0];
    let memory = memory(&pcs, Some(group), None);
    assert_eq!(memory.as_secs(), seconds);
}

#[test]
fn the_operators_default_counts_for_remembered_breaches() {
    let default = GoDuration::from("30s");
    let unset = set("Inference", None, None);
    assert_eq!(memory(&unset, None, Some(&default)).as_secs(), 30);
    let job = set("Training", None, None);
    assert_eq!(memory(&job, None, Some(&default)).as_secs(), 0);
}

#[test]
fn training_is_not_terminated_by_this() {
    let pcs = set("Training", Some("10s"), None);
    assert_eq!(delay_of_set(&pcs), None);
}

fn breach(replica: i32, name: &str, since: i64) -> Option<Breach> {
    confirmed(replica, name, since, Status::True, Status::True)
}

fn confirmed(replica: i32, name: &str, since: i64, stored: Status, seen: Status) -> Option<Breach> {
    let verdict = |status| ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason: Reason::InsufficientReadyPods,
        message: "0 of 1 required pods ready".into(),
    };
    let mut list = vec![];
    let at = START + SignedDuration::from_secs(since);
    conditions::set(&mut list, verdict(stored), None, at);
    let object = Target {
        kind: Kind::of::<PodClique>(),
        key: domain::Key::new("default", name),
        uid: format!("uid-{name}"),
    };
    let delay = SignedDuration::from_secs(10);
    let stored = StoredBreach {
        conditions: &list,
        since: None,
    };
    Breach::confirmed(replica, object, delay, stored, || verdict(seen))
}

#[test]
fn a_breach_counts_only_if_it_is_stored_and_seen() {
    let counts = |stored, seen| confirmed(0, "a", 0, stored, seen).is_some();
    assert!(counts(Status::True, Status::True));
    assert!(!counts(Status::True, Status::False), "recovered meanwhile");
    assert!(!counts(Status::True, Status::Unknown), "being updated");
    assert!(
        !counts(Status::False, Status::True),
        "since when is not stored yet"
    );
}

#[test]
fn the_first_that_is_due_counts_for_its_replica() {
    let all = [breach(1, "c", 0), breach(0, "b", 5), breach(0, "a", 9)];
    let first = first_of_each_replica(all.into_iter().flatten().collect());
    let names: Vec<_> = first.iter().map(|b| b.object.key.name.as_str()).collect();
    assert_eq!(names, ["b", "c"]);
}

#[test]
fn says_the_replica_the_time_and_the_cause() {
    let breach = breach(0, "demo-0-a", 5).unwrap();
    assert_eq!(breach.due(), START + SignedDuration::from_secs(15));
    let note = breach.scheduled_event("replica 0");
    insta::assert_snapshot!(format!("{}\n{}", note.message, breach.cause().message));
}

/// The breach, which goes back to this pod.
fn blamed(numbers: &str) -> Breach {
    let text = "w-1 on node-2: container main ended with exit code 7";
    let culprit = Culprit {
        text: text.into(),
        is_disruption: false,
        is_loss: true,
        is_serious: true,
        since: START,
        pod: Some(LostPod {
            name: "w-1".into(),
            node: Some("node-2".into()),
            reason: "Error".into(),
            exit_code: Some(7),
            last_words: Some(format!("{}the end", "x".repeat(500))),
        }),
    };
    let breach = Breach {
        numbers: numbers.into(),
        ..breach(0, "demo-0-g", 5).unwrap()
    };
    breach.blamed_on(Some(Blamed {
        clique: "w".into(),
        culprit,
    }))
}

/// The numbers of a group name no pod.
#[rstest]
#[case::of_a_group(
    "0 of 1 required group replicas healthy; unhealthy: 0",
    "0 of 1 required group replicas healthy; unhealthy: 0; clique w: w-1 on node-2: container main \
     ended with exit code 7; MinAvailableBreached since"
)]
#[case::of_a_clique(
    "0 of 1 required pods ready; w-1 on node-2: container main ended with exit code 7",
    "0 of 1 required pods ready; w-1 on node-2: container main ended with exit code 7; \
     MinAvailableBreached since"
)]
fn the_pod_that_it_goes_back_to_is_named_once(#[case] numbers: &str, #[case] expected: &str) {
    let message = blamed(numbers).cause().message;
    let numbers = message.strip_prefix("PodClique demo-0-g: ").unwrap();
    assert!(numbers.starts_with(expected), "{message}");
}

#[test]
fn the_event_ends_with_the_last_words_and_fits() {
    let breach = blamed("0 of 1 required group replicas healthy; unhealthy: 0");
    let mut attempts = begin_attempts(&[], [(0, breach.cause())], START);
    let unknown = terminated_event(&attempts[0], "uid", "replica 0");
    assert!(
        !unknown.message.contains("last words"),
        "{}",
        unknown.message
    );
    let record = breach.blamed.as_ref().unwrap().to_record().unwrap();
    note_causes(&mut attempts, [(0, record)]);
    let event = terminated_event(&attempts[0], "uid", "replica 0");
    assert!(
        event
            .message
            .contains("terminationDelay 10s; last words: xxx")
    );
    assert!(event.message.ends_with("xthe end"), "{}", event.message);
    assert!(event.message.len() < 1024, "{}", event.message);
    assert_eq!(event.identity, unknown.identity);
}
