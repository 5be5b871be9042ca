//! One replica at a time, within the budget.

use serde_json::json;

use super::{ended, running, workload};
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::{Namespace, same};

const WATCHED: Watched = Watched {
    clique: "web",
    group: "grp",
    pods_of_unit: 3,
    old: "1",
};

/// Gives the running set another template; that many pods of the clique are up all the time.
pub fn roll(ns: &Namespace<'_>, max_unavailable: Option<u32>, at_least: usize) {
    let mut history = History::of(ns);
    history.catch_up(ns);
    let mut next = workload("2");
    if let Some(max_unavailable) = max_unavailable {
        let budget = json!({"maxUnavailable": max_unavailable});
        next["spec"]["template"]["cliques"][0]["rollingUpdate"] = budget.clone();
        next["spec"]["template"]["podCliqueScalingGroups"][0]["rollingUpdate"] = budget;
    }
    ns.apply(&next);
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
    history.catch_up(ns);
    let course = Course::of(history.moments(), WATCHED);
    let in_turn = ["svc-0", "svc-1", "svc-2"];
    assert_eq!(course.turns, in_turn, "one replica at a time");
    assert_eq!(
        course.going.len(),
        30,
        "every pod of version 1 was replaced once"
    );
    assert!(
        course.fewest >= at_least,
        "{} pods of web were up",
        course.fewest
    );
    // Two group replicas, one of them required.
    assert!(
        course.fewest_units >= 1,
        "no group replica was up as a whole"
    );
}

/// 4 pods, 3 of them required: the slack stays, whatever the budget.
#[test]
fn takes_down_one_pod_at_a_time_by_default() {
    let ns = running("roll-unset");
    roll(&ns, None, 3);
    tells_the_update(&ns);
}

/// The events from begin to end: of the set, and of each clique and group in its replica's turn.
fn tells_the_update(ns: &Namespace<'_>) {
    ns.until("all parts say that it ended", |seen| {
        for (kind, name) in [
            ("PodClique", "svc-1-web"),
            ("PodCliqueScalingGroup", "svc-2-grp"),
        ] {
            let progress = &seen.one(kind, name)?["status"]["updateProgress"];
            same(name, &progress["updateEndedAt"].is_string(), &true)?;
        }
        Ok(())
    });
    let text = ns.grove_words(&["timeline", "svc"]);
    let objects = [
        "podcliqueset/svc",
        "podclique/svc-1-web",
        "podcliquescalinggroup/svc-2-grp",
    ];
    for object in objects {
        for step in ["began", "ended"] {
            let told = format!(" update {object}: {step}");
            assert!(text.contains(&told), "no {told:?} in: {text}");
        }
    }
    let tree = ns.grove(&["tree", "svc"]);
    let seen = ns.look().unwrap();
    assert!(
        seen.names("Pod").iter().all(|pod| tree.contains(pod)),
        "{tree}"
    );
}

#[test]
fn takes_down_one_pod_at_a_time_if_configured() {
    roll(&running("roll-one"), Some(1), 3);
}

#[test]
fn never_goes_below_min_available_where_there_is_slack() {
    roll(&running("roll-two"), Some(2), 3);
}
