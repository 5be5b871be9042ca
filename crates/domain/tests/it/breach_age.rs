//! Since when something is breached: a crash loop is one breach (docs/semantics.md §2.5).

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::{PodCliqueStatus, labels};
use domain::Pod;
use domain::health::availability::{Ended, StoredBreach, crash_loop, memory};
use domain::object::pod::{
    Container, ContainerState, ContainerStatus, Running, Terminated, Waiting,
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod, podclique};

fn at(seconds: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
}

/// A condition with this status since that time, after the opposite one.
fn stored(status: Status, flipped: i64, since: Option<i64>) -> PodCliqueStatus {
    let mut next = PodCliqueStatus {
        breached_since: since.map(|s| Time(at(s))),
        ..PodCliqueStatus::default()
    };
    let verdict = ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason: Reason::InsufficientReadyPods,
        message: String::new(),
    };
    conditions::set(&mut next.conditions, verdict, None, at(flipped));
    next
}

#[rstest]
#[case::none(None, 0)]
#[case::at_once(Some(0), 0)]
#[case::shorter(Some(20), 20)]
#[case::longest(Some(4 * 3600), 60)]
fn a_breach_is_remembered_for_its_delay_and_at_most_a_minute(
    #[case] delay: Option<i64>,
    #[case] seconds: i64,
) {
    let delay = delay.map(SignedDuration::from_secs);
    assert_eq!(memory(delay).as_secs(), seconds);
}

/// The next `breachedSince` 100 s after the epoch, with a memory of 20 s.
#[rstest]
#[case::first_breach(None, Status::True, true, Some(100))]
#[case::never_breached(None, Status::False, true, None)]
#[case::lasts(Some((Status::True, 50, Some(7))), Status::True, false, Some(7))]
#[case::lasts_since_before_there_was_the_field(Some((Status::True, 50, None)), Status::True, false, Some(50))]
#[case::ends(Some((Status::True, 50, Some(7))), Status::False, false, Some(7))]
#[case::has_ended_just_now(Some((Status::False, 81, Some(7))), Status::False, false, Some(7))]
#[case::is_forgotten(Some((Status::False, 80, Some(7))), Status::False, false, None)]
#[case::goes_on_as_old_as_it_was(Some((Status::False, 81, Some(7))), Status::True, true, Some(26))]
#[case::of_clocks_that_differ(Some((Status::False, 105, Some(103))), Status::True, true, Some(98))]
#[case::goes_on_too_late(Some((Status::False, 80, Some(7))), Status::True, true, Some(100))]
#[case::starts_again(Some((Status::False, 81, Some(7))), Status::True, false, Some(100))]
#[case::of_an_earlier_operator(Some((Status::False, 81, None)), Status::True, true, Some(100))]
#[case::is_updated(Some((Status::True, 50, Some(7))), Status::Unknown, true, None)]
#[case::was_updated(Some((Status::Unknown, 99, Some(7))), Status::True, true, Some(100))]
fn a_breach_that_returns_soon_may_be_the_same_one(
    #[case] before: Option<(Status, i64, Option<i64>)>,
    #[case] status: Status,
    #[case] goes_on: bool,
    #[case] expected: Option<i64>,
) {
    let before = before.map_or_else(PodCliqueStatus::default, |(status, flipped, since)| {
        stored(status, flipped, since)
    });
    let memory = SignedDuration::from_secs(20);
    let resume = |_| goes_on.then_some(Timestamp::MIN);
    let next = StoredBreach::from(&before).next(status, memory, at(100), resume);
    assert_eq!(next, expected.map(|s| Time(at(s))));
}

#[test]
fn without_a_memory_every_breach_starts_again() {
    let before = stored(Status::True, 50, Some(7));
    let next = |before: &PodCliqueStatus, status, now| {
        StoredBreach::from(before).next(status, SignedDuration::ZERO, at(now), |ended| {
            Some(ended.since)
        })
    };
    assert_eq!(next(&before, Status::False, 60), None);
    let ended = stored(Status::False, 60, None);
    assert_eq!(next(&ended, Status::True, 60), Some(Time(at(60))));
}

/// 4 s down, 46 s Ready, delay 60 s: it is terminated 56 s after it went down again.
#[test]
fn only_time_spent_down_counts() {
    let delay = SignedDuration::from_secs(60);
    let before = stored(Status::False, 4, Some(0));
    let resume = |_| Some(Timestamp::MIN);
    let next = StoredBreach::from(&before).next(Status::True, memory(Some(delay)), at(50), resume);
    let since = next.unwrap().0;
    assert_eq!(domain::health::termination::due(since, delay), at(50 + 56));
}

/// A group is not breached for longer than its PodCliques.
#[test]
fn a_breach_that_returns_is_not_older_than_its_cause() {
    let before = stored(Status::False, 95, Some(7));
    let next = |earliest| {
        let memory = SignedDuration::from_secs(20);
        StoredBreach::from(&before).next(Status::True, memory, at(100), |_| earliest)
    };
    assert_eq!(next(Some(at(3))), Some(Time(at(12))));
    assert_eq!(next(Some(at(98))), Some(Time(at(98))));
    assert_eq!(next(None), Some(Time(at(100))));
}

#[test]
fn is_forgotten_at_a_stored_time() {
    let memory = SignedDuration::from_secs(20);
    let forgotten =
        |before: &PodCliqueStatus| StoredBreach::from(before).forgotten_at(memory, at(90));
    assert_eq!(
        forgotten(&stored(Status::False, 81, Some(7))),
        Some(at(101))
    );
    assert_eq!(
        forgotten(&stored(Status::False, 70, Some(7))),
        None,
        "it was"
    );
    assert_eq!(forgotten(&stored(Status::True, 81, Some(7))), None);
    assert_eq!(forgotten(&stored(Status::False, 81, None)), None);
}

/// One run of a container, from start to end, with this exit code.
fn run(started: i64, finished: i64, exit_code: i32) -> Terminated {
    Terminated {
        exit_code,
        started_at: Some(Time(at(started))),
        finished_at: Some(Time(at(finished))),
        ..Terminated::default()
    }
}

fn container(now: ContainerState, last: Option<Terminated>, restarts: i32) -> ContainerStatus {
    ContainerStatus {
        restart_count: restarts,
        state: now,
        last_state: ContainerState {
            terminated: last,
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    }
}

fn ended(run: Terminated) -> ContainerState {
    ContainerState {
        terminated: Some(run),
        ..ContainerState::default()
    }
}

fn backing_off() -> ContainerState {
    ContainerState {
        waiting: Some(Waiting::default()),
        ..ContainerState::default()
    }
}

fn running() -> ContainerState {
    ContainerState {
        running: Some(Running::default()),
        ..ContainerState::default()
    }
}

/// A pod that is not Ready, created 1,000 s before the epoch, with that container.
fn down(container: ContainerStatus) -> PodBuilder {
    let pod = pod(&podclique("demo-0-a").build(), 0).bound();
    pod.phase("Running").condition("Ready", "False").with(|p| {
        p.metadata.creation_timestamp = Some(Time(at(-1000)));
        p.status.container_statuses = vec![container];
    })
}

fn up() -> PodBuilder {
    pod(&podclique("demo-0-a").build(), 1).ready()
}

/// Whether the breach that began at 0 and ended at 50 goes on, with this observation.
fn goes_on(pods: Vec<PodBuilder>, is_training: bool) -> bool {
    let pods: Vec<Arc<Pod>> = pods.into_iter().map(PodBuilder::build).collect();
    let breach = Ended {
        since: at(0),
        until: at(50),
    };
    crash_loop::goes_on(pods.iter().map(AsRef::as_ref), is_training, breach)
}

#[rstest]
#[case::crashed_again(container(ended(run(1, 60, 1)), Some(run(-900, -1, 1)), 1), true)]
#[case::waits_to_be_started_again(container(backing_off(), Some(run(1, 60, 1)), 1), true)]
#[case::is_started_and_not_ready_yet(container(running(), Some(run(1, 60, 1)), 2), true)]
#[case::ends_well_again_and_again(container(backing_off(), Some(run(1, 60, 0)), 1), true)]
#[case::crashed_for_the_first_time(container(ended(run(-900, 60, 1)), None, 0), false)]
#[case::ran_long_before_it_crashed(container(ended(run(-900, 60, 1)), Some(run(-990, -950, 1)), 1), false)]
#[case::merely_not_ready(container(running(), Some(run(-900, -1, 1)), 1), false)]
#[case::merely_not_ready_after_two_crashes(container(running(), Some(run(1, 20, 1)), 2), false)]
#[case::never_crashed(container(running(), None, 0), false)]
fn a_breach_goes_on_while_containers_terminate(
    #[case] container: ContainerStatus,
    #[case] expected: bool,
) {
    assert_eq!(goes_on(vec![up(), down(container)], false), expected);
}

#[test]
fn pods_that_crash_one_after_the_other_are_one_breach() {
    let first = down(container(running(), Some(run(-900, -1, 1)), 1)).condition("Ready", "True");
    let second = down(container(ended(run(-900, 60, 1)), None, 0));
    assert!(goes_on(vec![first, second], false));
}

#[test]
fn pods_that_crashed_together_do_not_make_a_loop_of_a_readiness_that_fails_later() {
    let crashed = || down(container(running(), Some(run(-900, -1, 137)), 1));
    assert!(!goes_on(vec![crashed(), crashed()], false));
}

#[test]
fn pods_that_end_soon_in_the_same_slot_are_one_breach() {
    let finished = |failure_count: &str, created: i64| {
        up().phase("Failed").with(|p| {
            p.metadata.creation_timestamp = Some(Time(at(created)));
            let all = p.metadata.annotations.get_or_insert_default();
            all.insert(labels::POD_FAILURE_COUNT.into(), failure_count.into());
            p.status.container_statuses = vec![container(ended(run(40, 60, 1)), None, 0)];
        })
    };
    assert!(goes_on(vec![finished("1", 30)], false));
    assert!(!goes_on(vec![finished("0", 30)], false), "the first one");
    assert!(!goes_on(vec![finished("1", -500)], false), "it lived long");
}

#[test]
fn a_deleted_pod_says_nothing() {
    let crashing = || down(container(ended(run(1, 60, 1)), Some(run(-900, -1, 1)), 1));
    assert!(!goes_on(vec![crashing().terminating(60)], false));
}

#[test]
fn work_that_is_done_is_no_crash() {
    let done = |exit_code| {
        let ended = container(
            ended(run(1, 60, exit_code)),
            Some(run(-900, -1, exit_code)),
            1,
        );
        vec![down(ended)]
    };
    assert!(!goes_on(done(0), true));
    assert!(goes_on(done(1), true));
}

#[test]
fn init_containers_that_end_well_are_no_crash() {
    let with_init = |exit_code| {
        let restarted = container(
            ended(run(1, 60, exit_code)),
            Some(run(-900, -1, exit_code)),
            1,
        );
        down(container(running(), None, 0))
            .with(|p| p.status.init_container_statuses = vec![restarted])
    };
    assert!(!goes_on(vec![with_init(0)], false));
    assert!(goes_on(vec![with_init(1)], false));
}

/// They run beside the app containers, and the other containers do not wait for their end.
#[test]
fn init_containers_that_restart_always_crash_whatever_their_exit_code() {
    let sidecar = container(backing_off(), Some(run(1, 60, 0)), 1);
    let pod = down(container(running(), None, 0)).with(|p| {
        p.spec.init_containers = vec![Container {
            restarts_always: true,
            ..Container::default()
        }];
        p.status.init_container_statuses = vec![sidecar];
    });
    assert!(goes_on(vec![pod], false));
}
