//! Termination of a whole replica (docs/semantics.md §3.2).

mod cause;
mod live_counts;
mod requested;

use std::sync::Arc;

use admission::validated_set;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::ReplicaAttempt;
use api::{PodCliqueSet, PodCliqueStatus, events};
use domain::health::fence;
use domain::plan::Plan;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::{PodBuilder, after};

use crate::situation::{carry_out, demo, fill, fill_all, laid_out, plan};

/// Everything was ready and available; delay 60 s unless the group has its own.
fn running(replicas: i32, delay: Option<&str>) -> Snapshot {
    let set = demo()
        .replicas(replicas)
        .with(|s| s.spec.template.termination_delay = delay.map(Into::into))
        .build();
    let mut snapshot = laid_out(&set);
    fill_all(&mut snapshot, PodBuilder::ready);
    for seen in snapshot.podcliques.values_mut() {
        Arc::make_mut(&mut seen.podclique).status = Some(PodCliqueStatus {
            was_available: true,
            ..PodCliqueStatus::default()
        });
    }
    for _ in 0..2 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
    }
    snapshot
}

fn breached() -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status: Status::True,
        reason: Reason::InsufficientReadyPods,
        message: String::new(),
    }
}

/// The PodClique has lost its pods, and its status has shown it since then.
fn lose(snapshot: &mut Snapshot, name: &str, since: i64) {
    fill(snapshot, name, 0, PodBuilder::ready);
    let seen = snapshot.podcliques.get_mut(name).unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut().unwrap();
    conditions::set(&mut status.conditions, breached(), None, after(since));
}

/// The status of the group has shown a breach since then.
fn delegate(snapshot: &mut Snapshot, since: i64) {
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    let status = group.status.get_or_insert_default();
    conditions::set(&mut status.conditions, breached(), None, after(since));
}

fn attempts(plan: &Plan<api::PodCliqueSetStatus>) -> Vec<(i32, i32)> {
    let status = plan.status.as_ref().unwrap();
    let pair = |a: &ReplicaAttempt| (a.replica, a.attempt);
    status.replica_attempts.iter().map(pair).collect()
}

/// The plan 60 s after the epoch.
#[rstest]
#[case::due(Some("60s"), 0, true)]
#[case::due_since_long(Some("1s"), 0, true)]
#[case::not_yet(Some("61s"), 0, false)]
#[case::broke_later(Some("60s"), 1, false)]
#[case::off(None, 0, false)]
#[case::makes_no_sense(Some("0s"), 0, false)]
fn terminates_the_replica_when_the_delay_is_over(
    #[case] delay: Option<&str>,
    #[case] since: i64,
    #[case] is_replica_terminating: bool,
) {
    let mut snapshot = running(1, delay);
    lose(&mut snapshot, "demo-0-frontend", since);
    let plan = plan(&snapshot);
    let expected = if is_replica_terminating {
        vec![(0, 1)]
    } else {
        vec![]
    };
    assert_eq!(attempts(&plan), expected, "{plan}");
}

#[test]
fn writes_the_fence_with_its_cause_and_nothing_else() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 10);
    let plan = plan(&snapshot);
    assert!(plan.writes_nothing() && plan.events.is_empty() && plan.wake_at.is_none());
    assert_snapshot!(plan.status.unwrap().replica_attempts[0].message);
}

#[test]
fn then_says_so_and_deletes_every_clique_of_the_replica_and_no_other() {
    let mut snapshot = running(2, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 10);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let then = plan(&snapshot);
    let text = then.to_string();
    assert_snapshot!(text.split("status").next().unwrap());
}

#[test]
fn announces_the_termination_and_decides_again_when_the_first_one_is_due() {
    let mut snapshot = running(2, Some("5m"));
    lose(&mut snapshot, "demo-0-frontend", 40);
    lose(&mut snapshot, "demo-1-frontend", 20);
    let plan = plan(&snapshot);
    assert_eq!(plan.wake_at, Some(after(320)));
    let events: Vec<_> = plan.events.iter().map(|n| n.message.as_str()).collect();
    assert_snapshot!(events.join("\n"));
}

#[test]
fn does_nothing_when_the_pods_are_back_though_the_condition_is_not_yet() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    fill(&mut snapshot, "demo-0-frontend", 2, PodBuilder::ready);
    let plan = plan(&snapshot);
    assert_eq!(attempts(&plan), []);
    assert!(plan.events.is_empty() && plan.wake_at.is_none());
}

/// The breach may be over without an event: a false termination costs more than a late one.
#[test]
fn waits_while_a_watch_is_lost() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    snapshot.view.is_outdated = true;
    let waiting = plan(&snapshot);
    assert_eq!(attempts(&waiting), []);
    assert!(waiting.wake_at.is_some(), "{waiting}");
    let reported = &waiting.status.unwrap().last_errors[0];
    assert!(
        reported.description.contains("a watch of this"),
        "{reported:?}"
    );
    snapshot.view.is_outdated = false;
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}

/// Its condition flipped a moment ago: a crash loop is one breach.
#[test]
fn measures_by_the_time_since_when_the_breach_goes_on() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 59);
    let seen = snapshot.podcliques.get_mut("demo-0-frontend").unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut().unwrap();
    status.breached_since = Some(Time(after(30)));
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}

#[test]
fn measures_a_group_by_the_time_since_when_its_breach_goes_on() {
    let mut snapshot = running(1, Some("30s"));
    for name in ["demo-0-g-1-leader", "demo-0-g-2-leader"] {
        lose(&mut snapshot, name, 59);
    }
    delegate(&mut snapshot, 59);
    assert_eq!(attempts(&plan(&snapshot)), []);
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    group.status.as_mut().unwrap().breached_since = Some(Time(after(30)));
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}

#[test]
fn does_nothing_for_a_group_that_deals_with_it_itself() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-g-2-leader", 0);
    assert_eq!(attempts(&plan(&snapshot)), []);
}

#[rstest]
#[case::both_are_down(&["demo-0-g-1-leader", "demo-0-g-2-leader"], vec![(0, 1)])]
#[case::one_is_back(&["demo-0-g-1-leader"], vec![])]
fn terminates_the_replica_for_a_group_that_is_really_broken(
    #[case] lost: &[&str],
    #[case] expected: Vec<(i32, i32)>,
) {
    let mut snapshot = running(1, Some("30s"));
    for name in lost {
        lose(&mut snapshot, name, 0);
    }
    delegate(&mut snapshot, 0);
    assert_eq!(attempts(&plan(&snapshot)), expected);
}

/// Replica 1 was terminated, and all its pods have been Ready for a moment: no status shows it yet.
#[test]
fn a_group_replica_that_came_back_is_one_to_rely_on_before_that_is_stored() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-g-2-leader", 0);
    for clique in ["leader", "worker"] {
        let name = format!("demo-0-g-1-{clique}");
        let podclique = &mut snapshot.podcliques.get_mut(&name).unwrap().podclique;
        let podclique = Arc::make_mut(podclique);
        podclique.status = None;
        let labels = podclique.metadata.labels.get_or_insert_default();
        labels.insert(api::labels::GROUP_ATTEMPT.into(), "1".into());
    }
    delegate(&mut snapshot, 0);
    let cause = fence::AttemptCause {
        reason: "test".into(),
        message: String::new(),
    };
    let group = Arc::make_mut(&mut snapshot.children.groups[0]);
    let status = group.status.as_mut().unwrap();
    status.replica_attempts = fence::begin_group_attempts(&[], [(1, cause)], after(0));
    assert_eq!(attempts(&plan(&snapshot)), []);
}

/// Deleted by hand, it takes longer than the delay to go: its group replica is in the same state as
/// with dead pods.
#[test]
fn a_podclique_that_hangs_on_its_way_out_counts_against_its_group() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-g-2-leader", 0);
    let seen = snapshot.podcliques.get_mut("demo-0-g-1-leader").unwrap();
    let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
    meta.deletion_timestamp = Some(Time(after(20)));
    delegate(&mut snapshot, 20);
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}

#[test]
fn ignores_the_status_of_a_group_for_an_earlier_attempt() {
    let mut snapshot = running(1, Some("30s"));
    for name in ["demo-0-g-1-leader", "demo-0-g-2-leader"] {
        lose(&mut snapshot, name, 0);
    }
    delegate(&mut snapshot, 0);
    // The replica was terminated since, and the group has not followed yet.
    let stored = Arc::make_mut(&mut snapshot.stored);
    let cause = fence::AttemptCause {
        reason: "test".into(),
        message: String::new(),
    };
    let status = stored.status.get_or_insert_default();
    status.replica_attempts = fence::begin_attempts(&[], [(0, cause)], after(60));
    for seen in snapshot.podcliques.values_mut() {
        let meta = &mut Arc::make_mut(&mut seen.podclique).metadata;
        let labels = meta.labels.get_or_insert_default();
        labels.insert(api::labels::ATTEMPT.into(), "1".into());
    }
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}

#[test]
fn two_replicas_that_are_due_are_fenced_in_one_write() {
    let mut snapshot = running(3, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    lose(&mut snapshot, "demo-2-frontend", 30);
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1), (2, 1)]);
}

#[test]
fn posts_the_termination_until_all_is_recreated_and_never_again() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let says = |snapshot: &Snapshot, at| {
        let plan = decide(snapshot, after(at));
        plan.events
            .iter()
            .any(|n| n.reason == events::GANG_TERMINATED)
    };
    assert!(says(&snapshot, 3600), "old PodCliques are still there");
    let mut whole = std::mem::take(&mut snapshot.podcliques);
    assert!(says(&snapshot, 4000), "the new ones are not there yet");
    for seen in whole.values_mut() {
        let podclique = Arc::make_mut(&mut seen.podclique);
        podclique.status = None;
        let annotations = podclique.metadata.annotations.get_or_insert_default();
        annotations.insert(api::labels::ATTEMPT.into(), "1".into());
        seen.pods.clear();
    }
    snapshot.podcliques = whole;
    assert!(says(&snapshot, 4000), "by what stores that they are");
    let complete = plan(&snapshot);
    carry_out(&mut snapshot, &complete);
    assert!(!says(&snapshot, 61) && !says(&snapshot, 4000));
}

#[test]
fn does_nothing_while_the_set_is_invalid() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    let mut invalid: PodCliqueSet = (*snapshot.stored).clone();
    invalid.spec.template.cliques[0].name = "Not A Name".into();
    snapshot.validated =
        validated_set::validate_set(&invalid, &admission::defaults::DefaultsConfig::default());
    assert_eq!(attempts(&plan(&snapshot)), []);
}

#[test]
fn a_recreated_replica_that_was_never_available_is_not_terminated_again() {
    let mut snapshot = running(1, Some("30s"));
    lose(&mut snapshot, "demo-0-frontend", 0);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    assert_eq!(fence::current_attempt(snapshot.attempts(), 0), 1);
    snapshot.podcliques.clear();
    for _ in 0..2 {
        let next = plan(&snapshot);
        carry_out(&mut snapshot, &next);
    }
    let much_later = decide(&snapshot, after(100_000));
    assert_eq!(attempts(&much_later), [(0, 1)]);
}

/// Terminated before its adoption it would be a leftover of an earlier attempt, with its pods.
#[rstest]
#[case::standalone("demo-0-frontend")]
#[case::of_a_group("demo-0-g-2-worker")]
fn waits_until_what_was_cut_loose_is_adopted(#[case] loose: &str) {
    let mut snapshot = running(1, Some("60s"));
    delegate(&mut snapshot, 0);
    lose(&mut snapshot, "demo-0-g-0-leader", 0);
    lose(&mut snapshot, "demo-0-g-1-leader", 0);
    let cut = snapshot.podcliques.get_mut(loose).unwrap();
    let references = &mut Arc::make_mut(&mut cut.podclique).metadata.owner_references;
    let owners = references.take();
    let held = plan(&snapshot);
    assert_eq!(attempts(&held), []);
    assert_eq!(held.wake_at, None, "its adoption wakes the set");
    let cut = snapshot.podcliques.get_mut(loose).unwrap();
    Arc::make_mut(&mut cut.podclique).metadata.owner_references = owners;
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1)]);
}
