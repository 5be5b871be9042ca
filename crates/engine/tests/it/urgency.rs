//! Parts of a status that the engine writes, beside those of reconcilers.

use api::conditions::{self, ConditionType};
use api::{LastError, PodCliqueSetStatus, PodCliqueStatus, codes};
use domain::health::fence::{Cause, begin_attempts};
use engine::urgency::{keep_times, raised, set_name_conflict};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

#[test]
fn keeps_the_time_of_an_error_that_was_there_before() {
    let error = |description: &str, second| LastError {
        code: "ERR_CREATE_POD".into(),
        description: description.into(),
        observed_at: Time(Timestamp::from_second(second).unwrap()),
    };
    let mut next = vec![error("quota", 9), error("other", 9)];
    keep_times(&[error("quota", 1)], &mut next);
    let seconds: Vec<i64> = next.iter().map(|e| e.observed_at.0.as_second()).collect();
    assert_eq!(seconds, [1, 9]);
}

#[test]
fn says_as_a_condition_that_a_name_is_taken_and_no_longer_once_it_is_free() {
    let mut status = PodCliqueStatus {
        last_errors: vec![LastError {
            code: codes::NAME_CONFLICT.into(),
            description: "create Service x: taken".into(),
            observed_at: Time(Timestamp::UNIX_EPOCH),
        }],
        ..PodCliqueStatus::default()
    };
    set_name_conflict(&mut status, Some(1), Timestamp::UNIX_EPOCH);
    let conflict = conditions::find(&status.conditions, ConditionType::NameConflict).unwrap();
    assert_eq!(conflict.message, "create Service x: taken");
    status.last_errors.clear();
    set_name_conflict(&mut status, Some(1), Timestamp::UNIX_EPOCH);
    assert_eq!(status.conditions, []);
}

#[test]
fn a_new_attempt_is_counted_once() {
    let cause = || Cause {
        reason: "MinAvailableBreached".into(),
        message: String::new(),
    };
    let status = |replica_attempts| PodCliqueSetStatus {
        replica_attempts,
        ..PodCliqueSetStatus::default()
    };
    let before = status(begin_attempts(&[], [(0, cause())], Timestamp::UNIX_EPOCH));
    let after = status(begin_attempts(
        &before.replica_attempts,
        [(1, cause())],
        Timestamp::UNIX_EPOCH,
    ));
    assert_eq!(raised(&before, &after), ["MinAvailableBreached"]);
    assert_eq!(raised(&after, &after), Vec::<String>::new());
}
