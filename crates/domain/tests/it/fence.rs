use api::labels;
use api::podcliqueset::{LiveReplicas, ReplicaAttempt, TerminationCause};
use domain::health::fence::{
    AttemptCause, StandaloneClique, adopt_higher_attempts, begin_attempts, begin_group_attempts,
    count_to_create, current_attempt, is_recovering, note_causes, remember_live_replicas,
    with_recovered,
};
use domain::object::attempt::Attempt;
use domain::workload::clique::LiveCount;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn cause() -> AttemptCause {
    AttemptCause {
        reason: "GangTerminated".into(),
        message: "demo-0-a: 0 of 1 pods ready".into(),
    }
}

fn pairs(attempts: &[ReplicaAttempt]) -> Vec<(i32, i32)> {
    attempts.iter().map(|a| (a.replica, a.attempt)).collect()
}

#[test]
fn a_replica_begins_at_attempt_0_and_is_raised_alone() {
    assert_eq!(current_attempt(&[], 1), 0);
    let once = begin_attempts(&[], [(1, cause())], NOW);
    let twice = begin_attempts(&once, [(1, cause())], NOW);
    let other = begin_attempts(&twice, [(0, cause())], NOW);
    assert_eq!(pairs(&other), [(0, 1), (1, 2)]);
    assert_eq!(other[1].message, "demo-0-a: 0 of 1 pods ready");
}

fn blamed(pod: &str) -> TerminationCause {
    TerminationCause {
        clique: "w".into(),
        pod: pod.into(),
        node: None,
        reason: "Error".into(),
        exit_code: Some(7),
        message: Some("x".repeat(1024)),
        time: None,
    }
}

/// A node is lost, and a thousand replicas with it.
#[test]
fn the_cause_is_kept_as_long_as_the_message() {
    let due = (0..1_000).map(|replica| (replica, cause()));
    let mut all = begin_attempts(&[], due, NOW);
    note_causes(
        &mut all,
        (0..1_000).map(|replica| (replica, blamed("first"))),
    );
    let with_cause = all.iter().filter(|a| a.cause.is_some()).count();
    assert_eq!(with_cause, 20);
    assert!(
        all.iter()
            .all(|a| a.cause.is_some() != a.message.is_empty())
    );
    let bytes = serde_json::to_string(&all).unwrap().len();
    assert!(bytes < 200_000, "{bytes} bytes");

    let later = NOW + SignedDuration::from_secs(1);
    let due = (500..520).map(|replica| (replica, cause()));
    let mut next = begin_attempts(&all, due, later);
    assert!(next.iter().all(|a| a.cause.is_none()), "none is known yet");
    note_causes(&mut next, [(500, blamed("second"))]);
    let kept: Vec<i32> = next
        .iter()
        .filter(|a| a.cause.is_some())
        .map(|a| a.replica)
        .collect();
    assert_eq!(kept, [500]);
}

#[test]
fn the_newest_entries_keep_their_message_and_all_keep_the_rest() {
    let long = |replica| AttemptCause {
        reason: "MinAvailableBreached".into(),
        message: format!("replica {replica}: {}", "x".repeat(400)),
    };
    let at = |second| NOW + SignedDuration::from_secs(second);
    // Replica 999 is terminated first, then 998, and so on.
    let all = (0..1_000)
        .rev()
        .zip(0..)
        .fold(Vec::new(), |all, (replica, second)| {
            begin_attempts(&all, [(replica, long(replica))], at(second))
        });
    let with_message: Vec<i32> = all
        .iter()
        .filter(|a| !a.message.is_empty())
        .map(|a| a.replica)
        .collect();
    assert_eq!(with_message, (0..20).collect::<Vec<_>>());
    assert!(
        all.iter()
            .all(|a| a.attempt == 1 && a.reason == "MinAvailableBreached")
    );
    let bytes = serde_json::to_string(&all).unwrap().len();
    assert!(bytes < 150_000, "{bytes} bytes");

    let again = begin_attempts(&all, [(700, long(700))], at(2_000));
    assert!(!again[700].message.is_empty(), "the newest one");
    assert!(again[19].message.is_empty(), "the oldest that had one");
}

#[test]
fn the_fence_follows_a_higher_attempt_and_never_a_lower_one() {
    let attempts = begin_attempts(&[], [(0, cause())], NOW);
    assert_eq!(
        pairs(&adopt_higher_attempts(&attempts, 0, 4, NOW).unwrap()),
        [(0, 4)]
    );
    assert_eq!(adopt_higher_attempts(&attempts, 0, 1, NOW), None);
    assert_eq!(adopt_higher_attempts(&attempts, 0, 0, NOW), None);
}

#[test]
fn labels_hold_the_attempt_and_absent_ones_mean_0() {
    let mut meta = ObjectMeta::default();
    assert_eq!(Attempt::of(&meta), Attempt::default());
    assert_eq!(Attempt::default().labels().count(), 0);
    let attempt = Attempt { set: 2, group: 1 };
    let all = attempt
        .labels()
        .map(|(key, number)| (key.to_owned(), number.to_string()));
    meta.labels = Some(all.collect());
    assert_eq!(meta.labels.as_ref().unwrap()[labels::GROUP_ATTEMPT], "1");
    assert_eq!(Attempt::of(&meta), attempt);
    assert!(
        Attempt { set: 1, group: 9 } < attempt,
        "the set's attempt comes first"
    );
}

fn count(replicas: i32, stamped: i32) -> LiveCount {
    LiveCount { replicas, stamped }
}

#[test]
fn the_attempt_is_read_from_annotations_before_labels() {
    let text = |set: i32| [(labels::ATTEMPT.to_owned(), set.to_string())];
    let mut meta = ObjectMeta {
        labels: Some(text(7).into()),
        annotations: Some(text(0).into()),
        ..ObjectMeta::default()
    };
    assert_eq!(Attempt::of(&meta).set, 0, "a user added the label");
    meta.labels = None;
    meta.annotations = Some(text(2).into());
    assert_eq!(Attempt::of(&meta).set, 2, "a user removed the label");
}

#[test]
fn live_replicas_survive_a_termination_even_of_a_clique_that_was_not_back_yet() {
    let clique = |name: &str, live| StandaloneClique {
        clique: name.into(),
        live,
        is_autoscaled: name == "autoscaled",
    };
    let entry = |replica, clique: &str, replicas, template| LiveReplicas {
        replica,
        clique: clique.into(),
        replicas,
        template,
    };
    let before = [
        entry(0, "gone", 7, None),
        entry(0, "same", 9, Some(1)),
        entry(1, "other", 3, Some(1)),
    ];
    let cliques = [
        clique("scaled", Some(count(5, 3))),
        clique("same", Some(count(2, 2))),
        clique("gone", None),
        clique("autoscaled", Some(count(2, 2))),
    ];
    let after = remember_live_replicas(&before, 0, &cliques);
    assert_eq!(
        after,
        [
            entry(1, "other", 3, Some(1)),
            entry(0, "scaled", 5, Some(3)),
            entry(0, "gone", 7, None),
            entry(0, "autoscaled", 2, Some(2)),
        ]
    );
    assert_eq!(count_to_create(&after, 0, "scaled", 2), count(5, 3));
    assert_eq!(count_to_create(&after, 0, "same", 2), count(2, 2));
    assert_eq!(count_to_create(&after, 0, "gone", 2), count(7, 2));
    assert_eq!(count_to_create(&after, 1, "scaled", 2), count(2, 2));
    assert_eq!(count_to_create(&after, 0, "autoscaled", 4), count(2, 2));
}

#[test]
fn a_recycled_replica_is_back_once_and_for_good() {
    let once = begin_group_attempts(&[], [(1, cause())], NOW);
    assert!(is_recovering(&once, 1) && !is_recovering(&once, 0));
    assert_eq!(with_recovered(&once, |_| false), once);
    let back = with_recovered(&once, |j| j == 1);
    assert!(!is_recovering(&back, 1));
    assert_eq!(with_recovered(&back, |_| false), back);
    assert!(is_recovering(
        &begin_group_attempts(&back, [(1, cause())], NOW),
        1
    ));
}

#[test]
fn an_entry_without_the_latch_counts_as_back_and_is_left_alone() {
    let before = begin_attempts(&[], [(1, cause())], NOW);
    assert!(!is_recovering(&before, 1));
    assert_eq!(with_recovered(&before, |_| true), before);
}
