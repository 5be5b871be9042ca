//! The pod that a termination goes back to, in the form that a status keeps.

use api::podclique::LostPod;
use domain::health::availability::CliqueFacts;
use domain::health::culprit::{Blamed, Culprit, blame, find_cause, find_culprit};
use jiff::Timestamp;
use rstest::rstest;
use serde_json::{Value, json};

use super::{deleted, disrupted, ended, named, unready, waiting};

fn lost(reason: &str, exit_code: Option<i32>, last_words: Option<&str>) -> LostPod {
    LostPod {
        name: "demo-0-w-p0".into(),
        node: Some("node-2".into()),
        reason: reason.into(),
        exit_code,
        last_words: last_words.map(str::to_owned),
    }
}

fn ended_with_words(words: &str) -> Value {
    let mut main = ended("main", 7, "Error", 3);
    main["state"]["terminated"]["message"] = json!(words);
    json!({"phase": "Failed", "containerStatuses": [main]})
}

fn crash_loop(words: Option<&str>) -> Value {
    json!({"phase": "Running", "containerStatuses": [{"name": "main",
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}},
        "lastState": {"terminated": {"exitCode": 1, "message": words}}}]})
}

#[rstest]
#[case::exit(
    ended_with_words("NCCL timeout"),
    lost("Error", Some(7), Some("NCCL timeout"))
)]
#[case::without_control_characters(
    ended_with_words("\u{1b}]0;title\u{7}boom\nat main.py\n"),
    lost("Error", Some(7), Some("]0;title boom at main.py"))
)]
#[case::out_of_memory(
    json!({"phase": "Running", "containerStatuses": [ended("main", 137, "OOMKilled", 1)]}),
    lost("OOMKilled", Some(137), None)
)]
#[case::evicted_by_the_kubelet(
    json!({"phase": "Failed", "reason": "Evicted", "message": "emptyDir is full",
           "containerStatuses": [ended("main", 137, "Error", 1)]}),
    lost("Evicted", Some(137), Some("emptyDir is full"))
)]
#[case::drained(
    disrupted("EvictionByEvictionAPI", 1),
    lost("EvictionByEvictionAPI", None, Some("for a drain"))
)]
#[case::preempted(
    disrupted("PreemptionByScheduler", 1),
    lost("PreemptionByScheduler", None, Some("for a drain"))
)]
#[case::tainted(
    disrupted("DeletionByTaintManager", 1),
    lost("DeletionByTaintManager", None, Some("for a drain"))
)]
#[case::collected(
    disrupted("DeletionByPodGC", 1),
    lost("DeletionByPodGC", None, Some("for a drain"))
)]
#[case::crash_loop(
    crash_loop(Some("boom")),
    lost("CrashLoopBackOff", Some(1), Some("boom"))
)]
#[case::crash_loop_without_words(crash_loop(None), lost("CrashLoopBackOff", Some(1), None))]
#[case::image(waiting("ErrImagePull"), lost("ErrImagePull", None, None))]
#[case::lost_node(unready("True", None), lost("NodeLost", None, None))]
fn a_pod_is_kept_in_parts(#[case] status: Value, #[case] expected: LostPod) {
    let culprit = find_culprit([named(0, status)].iter(), false).unwrap();
    assert_eq!(culprit.pod, Some(expected));
}

#[test]
fn a_deleted_pod_is_kept_as_deleted() {
    let pod = deleted(named(0, json!({"phase": "Running"})), 1);
    let culprit = find_culprit([pod].iter(), false).unwrap();
    assert_eq!(culprit.pod, Some(lost("Deleted", None, None)));
}

/// A status has room for the words of twenty terminations.
#[test]
fn the_end_of_long_words_is_kept() {
    let words = format!("{}é the end", "x".repeat(5_000));
    let culprit = find_culprit([named(0, ended_with_words(&words))].iter(), false).unwrap();
    let kept = culprit.pod.unwrap().last_words.unwrap();
    assert!(kept.ends_with("é the end"), "{kept}");
    assert_eq!(kept.len(), 1024);
}

/// The PodClique stores what began its breach; its pod is gone when the termination is due.
#[test]
fn the_parts_outlive_the_pod() {
    let seen = find_culprit([named(0, ended_with_words("boom"))].iter(), false).unwrap();
    let stored = seen.to_cause();
    let cause = find_cause(Some(&stored), None).unwrap();
    assert_eq!(cause, seen);
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A culprit of this rank, whose trouble began at this second.
fn culprit(text: &str, is_loss: bool, is_serious: bool, second: i64) -> Culprit {
    Culprit {
        text: text.into(),
        is_disruption: false,
        is_loss,
        is_serious,
        since: at(second),
        pod: Some(lost("Error", Some(7), None)),
    }
}

/// A clique of one pod that is down, or up.
fn facts(cause: Option<Culprit>, culprit: Option<Culprit>, available: i32) -> CliqueFacts {
    CliqueFacts {
        replicas: 1,
        min_available: 1,
        available,
        cause,
        culprit,
        ..CliqueFacts::default()
    }
}

#[test]
fn the_first_loss_of_all_cliques_is_blamed() {
    let loss = |text, second| Some(culprit(text, true, true, second));
    let mild = |text| Some(culprit(text, false, false, 1));
    let serious = |text| Some(culprit(text, false, true, 9));
    for (cliques, expected) in [
        (
            vec![
                facts(loss("late", 5), None, 0),
                facts(loss("first", 3), None, 0),
            ],
            Some("first"),
        ),
        (
            vec![facts(loss("cause", 5), loss("now", 3), 0)],
            Some("cause"),
        ),
        (
            vec![
                facts(None, mild("mild"), 0),
                facts(None, serious("serious"), 0),
            ],
            Some("serious"),
        ),
        (
            vec![
                facts(None, serious("serious"), 0),
                facts(loss("loss", 9), None, 0),
            ],
            Some("loss"),
        ),
        (vec![facts(None, mild("mild"), 0)], Some("mild")),
        (vec![facts(loss("of one that is up", 1), None, 1)], None),
        (vec![facts(None, None, 0)], None),
    ] {
        let cliques = cliques.into_iter().map(|facts| ("w", facts));
        let blamed = blame(cliques).map(|blamed| blamed.culprit.text);
        assert_eq!(blamed.as_deref(), expected);
    }
}

#[test]
fn the_record_has_the_clique_and_the_time_and_needs_the_parts() {
    let blamed = Blamed {
        clique: "w".into(),
        culprit: culprit("w-0: Error", true, true, 3),
    };
    let record = blamed.to_record().unwrap();
    assert_eq!((&*record.clique, &*record.pod), ("w", "demo-0-w-p0"));
    assert_eq!(record.time.map(|time| time.0), Some(at(3)));
    assert_eq!((&*record.reason, record.exit_code), ("Error", Some(7)));
    let of_earlier_version = Culprit {
        pod: None,
        ..blamed.culprit
    };
    let blamed = Blamed {
        culprit: of_earlier_version,
        clique: blamed.clique,
    };
    assert_eq!(blamed.to_record(), None);
}
