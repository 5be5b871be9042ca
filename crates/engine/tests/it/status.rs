//! Parts of a status that the engine writes, beside those of reconcilers.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::{LastError, PodClique, PodCliqueSetStatus, PodCliqueStatus, codes};
use domain::health::fence::{AttemptCause, begin_attempts};
use engine::reconcile_log::raised;
use engine::status::complete;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use testkit::builders::podclique;

fn error(code: &str, description: &str, second: i64) -> LastError {
    LastError {
        code: code.into(),
        description: description.into(),
        observed_at: Time(Timestamp::from_second(second).unwrap()),
    }
}

fn with_errors(last_errors: Vec<LastError>) -> PodCliqueStatus {
    PodCliqueStatus {
        last_errors,
        ..PodCliqueStatus::default()
    }
}

fn storing(status: Option<PodCliqueStatus>) -> Arc<PodClique> {
    podclique("demo").with(|p| p.status = status).build()
}

fn completed(stored: Option<PodCliqueStatus>, next: PodCliqueStatus) -> Option<PodCliqueStatus> {
    complete(&*storing(stored), next, Timestamp::UNIX_EPOCH)
}

#[test]
fn a_status_is_written_if_it_differs_and_the_first_one_always() {
    let (same, other) = (PodCliqueStatus::default, || PodCliqueStatus {
        replicas: 1,
        ..PodCliqueStatus::default()
    });
    for (stored, next, is_written) in [
        (None, same(), true),
        (Some(same()), same(), false),
        (Some(same()), other(), true),
    ] {
        assert_eq!(completed(stored, next).is_some(), is_written);
    }
}

#[test]
fn keeps_the_time_of_an_error_that_was_there_before() {
    let pods = |description, second| error("ERR_CREATE_POD", description, second);
    let stored = with_errors(vec![pods("quota", 1)]);
    let next = with_errors(vec![pods("quota", 9), pods("other", 9)]);
    let errors = completed(Some(stored.clone()), next).unwrap().last_errors;
    let seconds: Vec<i64> = errors.iter().map(|e| e.observed_at.0.as_second()).collect();
    assert_eq!(seconds, [1, 9]);
    let later = with_errors(vec![pods("quota", 9)]);
    assert_eq!(completed(Some(stored), later), None);
}

#[test]
fn says_as_a_condition_that_a_name_is_taken_and_no_longer_once_it_is_free() {
    let taken = error(codes::NAME_CONFLICT, "create Service x: taken", 0);
    let status = completed(None, with_errors(vec![taken])).unwrap();
    let conflict = conditions::find(&status.conditions, ConditionType::NameConflict).unwrap();
    assert_eq!(conflict.message, "create Service x: taken");
    let free = PodCliqueStatus {
        last_errors: Vec::new(),
        ..status.clone()
    };
    let status = completed(Some(status), free).unwrap();
    assert_eq!(status.conditions, []);
}

#[test]
fn a_new_attempt_is_counted_once() {
    let cause = || AttemptCause {
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
