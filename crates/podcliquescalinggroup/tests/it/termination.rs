//! Termination of single group replicas (docs/semantics.md §3.2).

mod leaving;

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueScalingGroupStatus, PodCliqueSet, PodCliqueSetStatus, events};
use domain::health::suspension;
use domain::object::ownership;
use domain::plan::{Kind, Plan};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::Snapshot;
use podcliquescalinggroup::decide::decide;
use rstest::rstest;
use testkit::builders::{after, pod};

use crate::situation::{complete, demo, plan, situation};

fn set(of_set: Option<&str>, of_group: Option<&str>) -> PodCliqueSet {
    demo()
        .with(|s| {
            s.spec.template.termination_delay = of_set.map(Into::into);
            s.spec.template.scaling_groups[0].termination_delay = of_group.map(Into::into);
        })
        .build()
}

/// 3 group replicas of which 2 are required; everything was available, and still is except these
/// PodCliques, whose statuses have shown it since then.
fn broken(set: &PodCliqueSet, lost: &[(&str, i64)]) -> Snapshot {
    let mut snapshot = situation(set, 3, complete(set, 3));
    for (name, podclique) in &mut snapshot.podcliques {
        let podclique = Arc::make_mut(podclique);
        let since = lost.iter().find(|(l, _)| l == name).map(|(_, since)| since);
        let pods = if since.is_some() {
            0
        } else {
            podclique.spec.replicas
        };
        let pods = (0..pods)
            .map(|k| pod(podclique, k).ready().build())
            .collect();
        let uid = ownership::uid(&podclique.metadata).to_owned();
        snapshot.pods.insert(uid, pods);
        let status = podclique.status.get_or_insert_default();
        status.was_available = true;
        if let Some(since) = since {
            let verdict = ConditionUpdate {
                type_: ConditionType::MinAvailableBreached,
                status: Status::True,
                reason: Reason::InsufficientReadyPods,
                message: String::new(),
            };
            conditions::set(&mut status.conditions, verdict, None, after(*since));
        }
    }
    snapshot
}

/// The pod of a PodClique is Ready again.
fn refill(snapshot: &mut Snapshot, name: &str) {
    let podclique = &snapshot.podcliques[name];
    let back = pod(podclique, 0).ready().build();
    let uid = ownership::uid(&podclique.metadata).to_owned();
    snapshot.pods.insert(uid, vec![back]);
}

fn of_replica_1(snapshot: &mut Snapshot) -> impl Iterator<Item = (&String, &mut Arc<PodClique>)> {
    let all = snapshot.podcliques.iter_mut();
    all.filter(|(name, _)| name.starts_with("demo-0-g-1-"))
}

fn attempts(plan: &Plan<PodCliqueScalingGroupStatus>) -> Vec<(i32, i32)> {
    let status = plan.status.as_ref().unwrap();
    let pair = |a: &ReplicaAttempt| (a.replica, a.attempt);
    status.replica_attempts.iter().map(pair).collect()
}

fn is_breached(status: &PodCliqueScalingGroupStatus) -> bool {
    conditions::is_true(&status.conditions, ConditionType::MinAvailableBreached)
}

/// Writes the status that the plan wants.
fn carry_out(snapshot: &mut Snapshot, plan: &Plan<PodCliqueScalingGroupStatus>) {
    Arc::make_mut(&mut snapshot.group)
        .status
        .clone_from(&plan.status);
}

/// The plan 60 s after the epoch.
#[rstest]
#[case::due(Some("60s"), None, true)]
#[case::not_yet(Some("61s"), None, false)]
#[case::shorter_of_its_own(Some("1h"), Some("10s"), true)]
#[case::longer_of_its_own(Some("10s"), Some("1h"), false)]
#[case::off(None, None, false)]
#[case::off_in_the_set(None, Some("10s"), false)]
#[case::makes_no_sense(Some("10s"), Some("0s"), false)]
fn recycles_one_replica_when_the_delay_is_over(
    #[case] of_set: Option<&str>,
    #[case] of_group: Option<&str>,
    #[case] is_replica_terminating_in_group: bool,
) {
    let snapshot = broken(&set(of_set, of_group), &[("demo-0-g-1-leader", 0)]);
    let expected = if is_replica_terminating_in_group {
        vec![(1, 1)]
    } else {
        vec![]
    };
    assert_eq!(attempts(&plan(&snapshot)), expected);
}

/// The breach may be over without an event.
#[test]
fn recycles_nothing_while_a_watch_is_lost() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 10)]);
    snapshot.is_view_outdated = true;
    let waiting = plan(&snapshot);
    assert_eq!(attempts(&waiting), []);
    assert!(waiting.wake_at.is_some(), "{waiting}");
    snapshot.is_view_outdated = false;
    assert_eq!(attempts(&plan(&snapshot)), [(1, 1)]);
}

/// With a delay of 30 s, and a breach since the epoch; the change is that of the set's status.
fn of_set(change: impl FnOnce(&mut PodCliqueSetStatus)) -> Plan<PodCliqueScalingGroupStatus> {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 0)]);
    let owner = snapshot.owner.as_mut().unwrap();
    change(owner.set.status.get_or_insert_default());
    plan(&snapshot)
}

#[test]
fn recycles_nothing_of_a_suspended_set() {
    let suspended = of_set(|status| suspension::begin(status, None, after(1)));
    assert_eq!(attempts(&suspended), []);
    assert_eq!((suspended.wake_at, suspended.events.len()), (None, 0));
    let status = suspended.status.unwrap();
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached);
    assert_eq!(breach.unwrap().reason, "Suspended");
    assert_eq!(status.breached_since, None);
}

/// Whatever its PodCliques still store.
#[test]
fn a_breach_counts_from_the_resume_at_the_earliest() {
    let resumed_at = |at| of_set(|status| suspension::end(status, None, after(at)));
    let late = resumed_at(31);
    assert_eq!((attempts(&late), late.wake_at), (vec![], Some(after(61))));
    assert_eq!(attempts(&resumed_at(30)), [(1, 1)]);
}

#[test]
fn writes_the_fence_and_nothing_else_and_then_says_so_and_deletes() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 10)]);
    let first = plan(&snapshot);
    assert!(first.writes_nothing() && first.events.is_empty());
    assert!(!is_breached(first.status.as_ref().unwrap()));
    carry_out(&mut snapshot, &first);
    let then = plan(&snapshot).to_string();
    assert_snapshot!(then.split("status").next().unwrap());
}

/// Its pod crashes, and is seen.
#[test]
fn the_attempt_keeps_the_pod_that_it_goes_back_to() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 10)]);
    let podclique = &snapshot.podcliques["demo-0-g-1-leader"];
    let crashing = pod(podclique, 0).waiting("CrashLoopBackOff").build();
    let uid = ownership::uid(&podclique.metadata).to_owned();
    snapshot.pods.insert(uid, vec![crashing]);
    let status = plan(&snapshot).status.unwrap();
    let attempt = &status.replica_attempts[0];
    let cause = attempt.cause.as_ref().unwrap();
    assert_eq!(
        (&*cause.clique, &*cause.pod, &*cause.reason),
        ("leader", "demo-0-g-1-leader-p0", "CrashLoopBackOff")
    );
    let words = "0 of 1 required pods ready; demo-0-g-1-leader-p0: CrashLoopBackOff; \
                 MinAvailableBreached since";
    assert!(attempt.message.contains(words), "{}", attempt.message);
}

/// However long the operator was away, and never again once all is recreated.
#[test]
fn posts_the_termination_until_the_replica_is_complete_again() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 10)]);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    let says = |snapshot: &Snapshot| {
        let plan = decide(snapshot, after(4000));
        plan.events
            .iter()
            .any(|n| n.reason == events::GANG_TERMINATED)
    };
    assert!(says(&snapshot), "old PodCliques are still there");
    let is_old = |name: &str| name.starts_with("demo-0-g-1-");
    let old: Vec<_> = snapshot
        .podcliques
        .keys()
        .filter(|n| is_old(n))
        .cloned()
        .collect();
    let old: Vec<_> = old
        .iter()
        .filter_map(|n| snapshot.podcliques.remove(n))
        .collect();
    assert!(says(&snapshot), "the new ones are not there yet");
    for podclique in old {
        let mut podclique = (*podclique).clone();
        podclique.status = None;
        let annotations = podclique.metadata.annotations.get_or_insert_default();
        annotations.insert(api::labels::GROUP_ATTEMPT.into(), "1".into());
        let name = ownership::name(&podclique.metadata).to_owned();
        snapshot.podcliques.insert(name, Arc::new(podclique));
    }
    assert!(says(&snapshot), "by what stores that they are");
    let complete = plan(&snapshot);
    carry_out(&mut snapshot, &complete);
    assert!(!says(&snapshot));
}

#[test]
fn says_on_the_set_that_everything_was_deleted() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 10)]);
    let fence = plan(&snapshot);
    carry_out(&mut snapshot, &fence);
    for (_, podclique) in of_replica_1(&mut snapshot) {
        Arc::make_mut(podclique).metadata.deletion_timestamp = Some(Time(after(60)));
    }
    let notes = plan(&snapshot).events;
    let event = notes
        .iter()
        .find(|n| n.reason == events::GROUP_REPLICA_DELETED);
    let about = event.and_then(|n| n.about.as_ref());
    assert_eq!(
        about.map(|t| t.kind),
        Some(Kind::of::<PodCliqueSet>()),
        "where the user looks"
    );
}

#[test]
fn announces_on_the_set_and_decides_again_when_it_is_due() {
    let snapshot = broken(&set(Some("5m"), None), &[("demo-0-g-1-leader", 10)]);
    let plan = plan(&snapshot);
    assert_eq!(plan.wake_at, Some(after(310)));
    let text = plan.to_string();
    assert_snapshot!(text.split("status").next().unwrap());
}

/// Its condition flipped a moment ago: a crash loop is one breach.
#[test]
fn measures_by_the_time_since_when_the_breach_goes_on() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 59)]);
    assert_eq!(attempts(&plan(&snapshot)), []);
    since(&mut snapshot, "demo-0-g-1-leader", 30);
    assert_eq!(attempts(&plan(&snapshot)), [(1, 1)]);
}

fn since(snapshot: &mut Snapshot, name: &str, seconds: i64) {
    let podclique = snapshot.podcliques.get_mut(name).unwrap();
    let status = Arc::make_mut(podclique).status.as_mut().unwrap();
    status.breached_since = Some(Time(after(seconds)));
}

/// The breach in the status of a group 60 s after the epoch: it began at 10 and ended at 50, for
/// the set's delay of 30 s it is remembered, and two PodCliques are breached since these times. The
/// pause of 10 s does not count.
#[rstest]
#[case::goes_on_as_old_as_it_was([55, 15], 20)]
#[case::is_as_old_as_the_oldest([55, 52], 52)]
fn the_breach_of_a_group_goes_on_with_that_of_a_podclique(
    #[case] times: [i64; 2],
    #[case] expected: i64,
) {
    let names = ["demo-0-g-1-leader", "demo-0-g-2-leader"];
    let mut snapshot = broken(&set(Some("30s"), None), &names.map(|n| (n, 58)));
    for (name, time) in names.into_iter().zip(times) {
        since(&mut snapshot, name, time);
    }
    let group = Arc::make_mut(&mut snapshot.group)
        .status
        .get_or_insert_default();
    group.breached_since = Some(Time(after(10)));
    let ended = ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status: Status::False,
        reason: Reason::SufficientAvailablePodCliqueScalingGroupReplicas,
        message: String::new(),
    };
    conditions::set(&mut group.conditions, ended, None, after(50));
    let status = plan(&snapshot).status.unwrap();
    assert!(is_breached(&status));
    assert_eq!(status.breached_since, Some(Time(after(expected))));
}

#[test]
fn leaves_it_to_the_set_when_too_few_replicas_are_healthy() {
    let lost = [("demo-0-g-1-leader", 0), ("demo-0-g-2-worker", 0)];
    let plan = plan(&broken(&set(Some("30s"), None), &lost));
    assert_eq!(attempts(&plan), []);
    assert!(plan.events.is_empty() && plan.wake_at.is_none());
    assert!(is_breached(plan.status.as_ref().unwrap()));
}

#[test]
fn leaves_it_to_the_set_when_the_pods_say_that_too_few_are_healthy() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 0)]);
    let uid = ownership::uid(&snapshot.podcliques["demo-0-g-2-leader"].metadata).to_owned();
    snapshot.pods.insert(uid, vec![]);
    assert_eq!(attempts(&plan(&snapshot)), []);
}

#[test]
fn does_nothing_when_the_pods_are_back_though_the_condition_is_not_yet() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 0)]);
    refill(&mut snapshot, "demo-0-g-1-leader");
    let plan = plan(&snapshot);
    assert_eq!(attempts(&plan), []);
    assert!(plan.events.is_empty());
    // The pods may be gone again before the status of the PodClique showed them: then it has
    // nothing to write, and no event triggers the group.
    assert_eq!(plan.wake_at, Some(after(61)));
}

#[test]
fn keeps_the_time_of_a_breach_though_the_pods_are_back_for_a_moment() {
    let mut snapshot = broken(&set(Some("5m"), None), &[("demo-0-g-1-leader", 10)]);
    refill(&mut snapshot, "demo-0-g-1-leader");
    assert_eq!(plan(&snapshot).wake_at, Some(after(310)));
}

#[test]
fn keeps_the_time_of_a_breach_while_the_pods_of_another_are_away_for_a_moment() {
    let mut snapshot = broken(&set(Some("5m"), None), &[("demo-0-g-1-leader", 10)]);
    let uid = ownership::uid(&snapshot.podcliques["demo-0-g-2-leader"].metadata).to_owned();
    snapshot.pods.insert(uid, vec![]);
    assert_eq!(plan(&snapshot).wake_at, Some(after(310)));
}

/// A group with one terminating replica cannot spare another one.
#[test]
fn delegates_when_another_replica_breaks_while_one_is_being_recycled() {
    let mut snapshot = broken(&set(Some("30s"), None), &[("demo-0-g-1-leader", 0)]);
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    snapshot
        .podcliques
        .retain(|name, _| !name.starts_with("demo-0-g-1-"));
    let broken = broken(&set(Some("30s"), None), &[("demo-0-g-2-leader", 0)]);
    let lost = broken.podcliques["demo-0-g-2-leader"].clone();
    let uid = ownership::uid(&lost.metadata).to_owned();
    snapshot.pods.insert(uid, vec![]);
    snapshot.podcliques.insert("demo-0-g-2-leader".into(), lost);
    let plan = plan(&snapshot);
    assert_eq!(attempts(&plan), [(1, 1)]);
    assert!(is_breached(plan.status.as_ref().unwrap()));
}

#[test]
fn recycles_all_that_are_due_in_one_write() {
    let set = set(Some("30s"), None);
    let mut snapshot = broken(&set, &[("demo-0-g-0-leader", 0), ("demo-0-g-1-leader", 20)]);
    Arc::make_mut(&mut snapshot.group).spec.min_available = Some(1);
    assert_eq!(attempts(&plan(&snapshot)), [(0, 1), (1, 1)]);
}

/// Terminated before its adoption it would be a leftover of an earlier attempt, with its pods.
#[test]
fn waits_until_what_was_cut_loose_is_adopted() {
    let set = set(Some("60s"), None);
    let mut snapshot = broken(&set, &[("demo-0-g-1-leader", 0)]);
    let worker = snapshot.podcliques.get_mut("demo-0-g-1-worker").unwrap();
    let references = &mut Arc::make_mut(worker).metadata.owner_references;
    let owners = references.take();
    let held = plan(&snapshot);
    assert_eq!(attempts(&held), []);
    let adopted = "replace PodClique demo-0-g-1-worker";
    assert!(held.to_string().contains(adopted), "{held}");
    let worker = snapshot.podcliques.get_mut("demo-0-g-1-worker").unwrap();
    Arc::make_mut(worker).metadata.owner_references = owners;
    assert_eq!(attempts(&plan(&snapshot)), [(1, 1)]);
}
