//! The tables of breaches (docs/semantics.md §2.2).

use api::conditions::{Reason, Status};
use api::podcliqueset::ReplicaAttempt;
use api::{PodCliqueScalingGroup, PodCliqueScalingGroupSpec};
use domain::health::availability::{
    CliqueFacts, GroupFacts, GroupPart, TrainingFacts, clique_breach, group_breach,
};
use domain::health::fence::{AttemptCause, begin_group_attempts, with_recovered};
use jiff::Timestamp;
use rstest::rstest;

/// 4 pods wanted, 3 required.
fn clique(available: i32, was_available: bool, is_updating: bool) -> CliqueFacts {
    CliqueFacts {
        replicas: 4,
        min_available: 3,
        available,
        was_available,
        is_updating,
        ..CliqueFacts::default()
    }
}

#[rstest]
#[case::enough(clique(3, true, false), Status::False, Reason::SufficientReadyPods)]
#[case::enough_for_the_first_time(
    clique(4, false, false),
    Status::False,
    Reason::SufficientReadyPods
)]
#[case::never_enough(clique(2, false, false), Status::False, Reason::NeverAvailable)]
#[case::never_enough_while_updating(clique(2, false, true), Status::False, Reason::NeverAvailable)]
#[case::updating(clique(2, true, true), Status::Unknown, Reason::UpdateInProgress)]
#[case::enough_while_updating(clique(3, true, true), Status::False, Reason::SufficientReadyPods)]
#[case::too_few(clique(2, true, false), Status::True, Reason::InsufficientReadyPods)]
#[case::none(clique(0, true, false), Status::True, Reason::InsufficientReadyPods)]
#[case::too_few_and_nobody_replaces_them(
    clique(2, true, false).orphaned(true), Status::Unknown, Reason::Orphaned
)]
#[case::never_enough_and_nobody_makes_them(
    clique(2, false, false).orphaned(true), Status::False, Reason::NeverAvailable
)]
#[case::scaled_below(
    CliqueFacts { replicas: 2, ..clique(2, true, false) }, Status::False, Reason::SufficientReadyPods
)]
#[case::scaled_to_zero(
    CliqueFacts { replicas: 0, ..clique(0, true, false) }, Status::False, Reason::SufficientReadyPods
)]
#[case::scaled_below_and_too_few(
    CliqueFacts { replicas: 2, ..clique(1, true, false) }, Status::True, Reason::InsufficientReadyPods
)]
#[case::scaled_below_and_up_again(
    kept(1, clique(2, true, false)),
    Status::False,
    Reason::NeverAvailable
)]
#[case::scaled_below_and_up_again_in_an_update(
    kept(1, clique(2, true, true)),
    Status::False,
    Reason::NeverAvailable
)]
#[case::scaled_below_and_up_again_and_the_pod_that_was_left_broke(
    kept(1, clique(0, true, false)),
    Status::True,
    Reason::InsufficientReadyPods
)]
#[case::scaled_below_and_up_by_one(
    CliqueFacts { replicas: 2, ..kept(1, clique(1, true, false)) }, Status::False, Reason::NeverAvailable
)]
#[case::still_scaled_below_and_too_few(
    CliqueFacts { replicas: 2, ..kept(2, clique(1, true, false)) },
    Status::True,
    Reason::InsufficientReadyPods
)]
#[case::made_again_below_and_too_few(
    CliqueFacts { replicas: 2, ..kept(2, clique(1, false, false)) },
    Status::True,
    Reason::InsufficientReadyPods
)]
#[case::from_zero_to_below_and_too_few(
    CliqueFacts { replicas: 2, ..kept(2, clique(0, false, false)) },
    Status::True,
    Reason::InsufficientReadyPods
)]
#[case::training_done(
    training(clique(0, true, false), true, 0),
    Status::False,
    Reason::SufficientReadyPods
)]
#[case::training_failed_before_it_was_ever_available(
    training(clique(0, false, false), false, 2),
    Status::True,
    Reason::InsufficientReadyPods
)]
#[case::training_failed_within_the_slack(
    training(clique(2, false, false), false, 1),
    Status::False,
    Reason::NeverAvailable
)]
#[case::training_gave_up_a_slot_beside_enough(
    given_up(clique(3, true, false), false),
    Status::True,
    Reason::PodKeepsFailing
)]
#[case::training_gave_up_a_slot_and_is_done(
    given_up(clique(3, true, false), true),
    Status::False,
    Reason::SufficientReadyPods
)]
#[case::training_lost_pods(
    training(clique(2, true, false), false, 0),
    Status::True,
    Reason::InsufficientReadyPods
)]
fn a_clique_is_breached(
    #[case] facts: CliqueFacts,
    #[case] status: Status,
    #[case] reason: Reason,
) {
    let verdict = clique_breach(&facts);
    assert_eq!((verdict.status, verdict.reason), (status, reason));
}

/// One slot failed so often that it is not filled again.
fn given_up(facts: CliqueFacts, has_succeeded: bool) -> CliqueFacts {
    let mut facts = training(facts, has_succeeded, 1);
    facts.training.as_mut().unwrap().given_up = 1;
    facts
}

#[test]
fn a_slot_that_is_given_up_is_not_filled_again() {
    let enough = || clique(3, true, false);
    let minute = jiff::SignedDuration::from_mins(1);
    assert!(training(enough(), false, 1).replaces_failed_pods(minute));
    assert!(!given_up(enough(), false).replaces_failed_pods(minute));
}

fn training(facts: CliqueFacts, has_succeeded: bool, failed: i32) -> CliqueFacts {
    CliqueFacts {
        training: Some(TrainingFacts {
            has_succeeded,
            failed,
            running: facts.available,
            ..TrainingFacts::default()
        }),
        ..facts
    }
}

#[rstest]
#[case::reached(clique(3, false, false), true)]
#[case::not_reached(clique(2, false, false), false)]
#[case::reached_while_updating(clique(4, false, true), false)]
#[case::lost_again(clique(0, true, false), true)]
#[case::only_because_it_is_scaled_below(
    CliqueFacts { replicas: 2, ..clique(2, false, false) }, false
)]
fn was_available_is_sticky(#[case] facts: CliqueFacts, #[case] latch: bool) {
    assert_eq!(facts.latch(), latch);
}

/// It had this many pods when it was scaled below its minimum.
fn kept(pods: i32, facts: CliqueFacts) -> CliqueFacts {
    CliqueFacts {
        scaled_below_to: Some(pods),
        ..facts
    }
}

#[rstest]
#[case::enough_wanted(clique(4, true, false), None)]
#[case::below(CliqueFacts { replicas: 2, ..clique(4, true, false) }, Some(2))]
#[case::below_in_an_update(CliqueFacts { replicas: 2, ..clique(4, true, true) }, Some(2))]
#[case::below_at_its_start(CliqueFacts { replicas: 2, ..clique(1, false, false) }, None)]
#[case::all_up_below_at_its_start(CliqueFacts { replicas: 2, ..clique(2, false, false) }, Some(2))]
#[case::all_up_below_in_an_update(CliqueFacts { replicas: 2, ..clique(2, false, true) }, None)]
#[case::below_since_its_start_and_broken(
    CliqueFacts { replicas: 2, ..kept(2, clique(0, false, false)) }, Some(2)
)]
#[case::below_before_it_was_seen_available(
    CliqueFacts { replicas: 2, ..clique(4, false, false) }, Some(2)
)]
#[case::idle(CliqueFacts { replicas: 0, ..kept(1, clique(4, true, false)) }, None)]
#[case::below_from_zero(CliqueFacts { replicas: 2, was_idle: true, ..clique(1, true, false) }, None)]
#[case::all_up_below_from_zero(
    CliqueFacts { replicas: 2, was_idle: true, ..clique(2, true, false) }, Some(2)
)]
#[case::idle_after_a_life_below(CliqueFacts { replicas: 0, ..kept(2, clique(0, false, false)) }, None)]
#[case::further_down(CliqueFacts { replicas: 1, ..kept(2, clique(2, true, false)) }, Some(1))]
#[case::up_by_one(CliqueFacts { replicas: 2, ..kept(1, clique(1, true, false)) }, Some(1))]
#[case::up_by_one_and_all_up(CliqueFacts { replicas: 2, ..kept(1, clique(2, true, false)) }, Some(2))]
#[case::up_again(kept(1, clique(2, true, false)), Some(1))]
#[case::up_again_and_available(kept(1, clique(3, true, false)), None)]
#[case::up_again_in_an_update(kept(1, clique(3, true, true)), Some(1))]
#[case::a_job(training(CliqueFacts { replicas: 2, ..clique(2, true, false) }, false, 0), None)]
fn it_is_remembered_with_how_many_pods_a_clique_was_left(
    #[case] facts: CliqueFacts,
    #[case] pods: Option<i32>,
) {
    assert_eq!(facts.next_scaled_below_to(), pods);
}

/// A group of 3 replicas of which 2 are required, with one clique.
fn group() -> PodCliqueScalingGroup {
    PodCliqueScalingGroup {
        spec: PodCliqueScalingGroupSpec {
            replicas: 3,
            min_available: Some(2),
            clique_names: vec!["c".into()],
            workload_type: None,
        },
        ..PodCliqueScalingGroup::default()
    }
}

const UP: Option<GroupPart> = Some(GroupPart {
    is_breached: false,
    was_available: true,
    is_terminating: false,
});
const NEW: Option<GroupPart> = Some(GroupPart {
    is_breached: false,
    was_available: false,
    is_terminating: false,
});
const DOWN: Option<GroupPart> = Some(GroupPart {
    is_breached: true,
    was_available: true,
    is_terminating: false,
});
const GONE: Option<GroupPart> = None;

fn recycled(replica: i32) -> Vec<ReplicaAttempt> {
    let cause = AttemptCause {
        reason: "test".into(),
        message: String::new(),
    };
    begin_group_attempts(&[], [(replica, cause)], Timestamp::UNIX_EPOCH)
}

/// It has recovered since.
fn back(replica: i32) -> Vec<ReplicaAttempt> {
    with_recovered(&recycled(replica), |_| true)
}

#[rstest]
#[case::all_up([UP, UP, UP], vec![], &[], Status::False)]
#[case::starting([NEW, NEW, GONE], vec![], &[], Status::False)]
#[case::one_down([UP, DOWN, UP], vec![], &[1], Status::False)]
#[case::two_down([DOWN, DOWN, UP], vec![], &[0, 1], Status::True)]
#[case::one_being_recycled([GONE, UP, UP], recycled(0), &[0], Status::False)]
#[case::one_recycled_and_not_up_yet([NEW, UP, UP], recycled(0), &[0], Status::False)]
#[case::one_recycled_and_up([UP, DOWN, UP], recycled(0), &[1], Status::False)]
#[case::one_back_that_starts_again([NEW, DOWN, UP], back(0), &[1], Status::False)]
#[case::one_being_recycled_while_another_breaks([NEW, DOWN, UP], recycled(0), &[0, 1], Status::True)]
fn a_group_is_breached(
    #[case] parts: [Option<GroupPart>; 3],
    #[case] attempts: Vec<ReplicaAttempt>,
    #[case] unhealthy: &[i32],
    #[case] status: Status,
) {
    let facts = GroupFacts::of(&group(), &attempts, 0, |member| {
        parts[usize::try_from(member.group_replica).unwrap()]
    });
    assert_eq!(facts.unhealthy, unhealthy);
    assert_eq!(group_breach(&facts).status, status);
}

/// They serve, so the group is not below its minimum.
#[test]
fn available_surge_replicas_count_as_healthy() {
    let parts = [DOWN, DOWN, UP];
    let status = |surge| {
        let facts = GroupFacts::of(&group(), &[], surge, |member| {
            parts[usize::try_from(member.group_replica).unwrap()]
        });
        group_breach(&facts).status
    };
    assert_eq!((status(0), status(1)), (Status::True, Status::False));
}

/// Its set is suspended: this is what it stores then, and whether that is a breach.
#[rstest]
#[case::up(clique(4, true, false), true)]
#[case::down(clique(0, true, false), true)]
#[case::never_up(clique(2, false, false), false)]
#[case::up_for_the_first_time(clique(3, false, false), true)]
#[case::was_idle_and_never_up(CliqueFacts { was_idle: true, ..clique(0, false, false) }, true)]
#[case::scaled_below(kept(1, clique(1, true, false)), true)]
#[case::of_a_job(CliqueFacts { training: Some(TrainingFacts::default()), ..clique(0, true, false) }, true)]
#[case::failed_in_a_job(
    CliqueFacts {
        training: Some(TrainingFacts { failed: 4, given_up: 1, ..TrainingFacts::default() }),
        ..clique(0, true, false)
    },
    true
)]
fn a_suspended_clique_is_not_breached_and_starts_like_a_new_one(
    #[case] facts: CliqueFacts,
    #[case] was_idle: bool,
) {
    let held = facts.held(true);
    let verdict = clique_breach(&held);
    assert_eq!(
        (verdict.status, verdict.reason),
        (Status::False, Reason::Suspended)
    );
    assert_eq!(held.is_or_was_idle(), was_idle);
    assert_eq!(held.next_scaled_below_to(), None);
}

/// Of 4 pods 3 are required, and so many indexes are available, done ones included.
#[rstest]
#[case::done_before_are_the_minimum(3, 3, true)]
#[case::all_are_done(4, 4, true)]
#[case::one_is_up_again(4, 3, false)]
#[case::none_is_done(3, 0, false)]
#[case::too_few(2, 1, true)]
fn work_that_is_done_does_not_end_a_start_after_a_suspension(
    #[case] available: i32,
    #[case] completed: i32,
    #[case] was_idle: bool,
) {
    let facts = CliqueFacts {
        was_idle: true,
        training: Some(TrainingFacts {
            completed,
            ..TrainingFacts::default()
        }),
        ..clique(available, true, false)
    };
    assert_eq!(facts.is_or_was_idle(), was_idle);
}

#[test]
fn a_suspended_clique_that_has_done_its_work_says_so() {
    let training = TrainingFacts {
        has_succeeded: true,
        ..TrainingFacts::default()
    };
    let facts = CliqueFacts {
        training: Some(training),
        ..clique(0, true, false)
    };
    let verdict = clique_breach(&facts.held(true));
    assert_eq!(verdict.reason, Reason::SufficientReadyPods);
}

#[test]
fn a_group_of_a_suspended_set_is_not_breached() {
    let facts = GroupFacts {
        replicas: 2,
        min_available: 1,
        unhealthy: vec![0, 1],
        ..GroupFacts::default()
    };
    let verdict = group_breach(&facts.held(true));
    assert_eq!(
        (verdict.status, verdict.reason),
        (Status::False, Reason::Suspended)
    );
}

#[test]
fn a_group_that_is_updated_is_not_judged() {
    let facts = GroupFacts {
        replicas: 2,
        min_available: 1,
        unhealthy: vec![0, 1],
        is_updating: true,
        is_held: false,
        surge: 0,
    };
    let verdict = group_breach(&facts);
    assert_eq!(
        (verdict.status, verdict.reason),
        (Status::Unknown, Reason::UpdateInProgress)
    );
}
