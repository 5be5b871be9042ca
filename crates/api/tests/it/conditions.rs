//! Changes of a list of conditions.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, find, is_true, remove, set};
use jiff::Timestamp;

fn verdict(status: Status, reason: Reason, message: &str) -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::MinAvailableBreached,
        status,
        reason,
        message: message.into(),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn the_time_moves_only_when_the_status_flips() {
    let mut list = Vec::new();
    let breached = ConditionType::MinAvailableBreached;
    let short = |text| verdict(Status::True, Reason::InsufficientReadyPods, text);
    set(
        &mut list,
        short("1 of 3 required pods ready"),
        Some(1),
        at(10),
    );
    set(
        &mut list,
        short("2 of 3 required pods ready"),
        Some(2),
        at(20),
    );
    let condition = find(&list, breached).unwrap();
    assert_eq!(condition.last_transition_time.0, at(10));
    assert_eq!(condition.message, "2 of 3 required pods ready");
    assert_eq!(condition.observed_generation, Some(2));
    assert!(is_true(&list, breached));

    let enough = verdict(Status::False, Reason::SufficientReadyPods, "");
    set(&mut list, enough, Some(2), at(30));
    assert_eq!(
        find(&list, breached).unwrap().last_transition_time.0,
        at(30)
    );
    assert_eq!(list.len(), 1);
}

#[test]
fn others_stay_when_one_is_removed() {
    let mut list = Vec::new();
    set(
        &mut list,
        verdict(Status::Unknown, Reason::UpdateInProgress, ""),
        None,
        at(1),
    );
    let mut other = verdict(Status::True, Reason::SufficientScheduledPods, "");
    other.type_ = ConditionType::PodCliqueScheduled;
    set(&mut list, other, None, at(1));
    remove(&mut list, ConditionType::MinAvailableBreached);
    remove(&mut list, ConditionType::GangTerminationInProgress);
    assert_eq!(list.len(), 1);
    assert!(is_true(&list, ConditionType::PodCliqueScheduled));
}
