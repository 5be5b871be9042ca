//! Causes that do not end by themselves, and the time from which tools need not wait.

use api::LastError;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use domain::health::stalled::{REFUSED_FOR, due, judge};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use rstest::rstest;
use strum::IntoEnumIterator as _;
use testkit::builders::after;

const PATIENCE: i64 = REFUSED_FOR.as_secs();
const QUOTA: &str = "pods \"a\" is forbidden: exceeded quota: q";

fn ready(status: Status, reason: Reason) -> ConditionUpdate {
    ConditionUpdate {
        type_: ConditionType::Ready,
        status,
        reason,
        message: "why".to_owned(),
    }
}

fn error(code: &str, description: &str, at: i64) -> LastError {
    LastError {
        code: code.to_owned(),
        description: description.to_owned(),
        observed_at: Time(after(at)),
    }
}

fn stalled(reason: Reason) -> Vec<Condition> {
    let mut all = Vec::new();
    let verdict = ConditionUpdate {
        type_: ConditionType::Stalled,
        ..ready(Status::True, reason)
    };
    conditions::set(&mut all, verdict, Some(1), after(0));
    all
}

#[test]
fn a_cause_that_only_a_change_corrects_stalls_at_once_with_the_message_of_ready() {
    let found = Reason::iter().filter(|reason| {
        let verdict = judge(&ready(Status::False, *reason), &[], [], after(0));
        let said = ConditionUpdate {
            type_: ConditionType::Stalled,
            ..ready(Status::True, *reason)
        };
        assert!(verdict.as_ref().is_none_or(|v| *v == said), "{reason}");
        verdict.is_some()
    });
    let expected = [
        Reason::MaxRestartsExceeded,
        Reason::MaxRuntimeExceeded,
        Reason::NameTaken,
        Reason::InvalidSpec,
        Reason::LimitExceeded,
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_ready_object_is_not_stalled() {
    for reason in Reason::iter() {
        let below = stalled(reason);
        let errors = [error("ERR_CREATE_POD", QUOTA, 0)];
        let verdict = judge(
            &ready(Status::True, reason),
            &errors,
            [below.as_slice()],
            after(9 * PATIENCE),
        );
        assert_eq!(verdict, None, "{reason}");
    }
}

#[rstest]
#[case::just_now(Reason::QuotaExceeded, "ERR_CREATE_POD", 0, false)]
#[case::almost(Reason::QuotaExceeded, "ERR_CREATE_POD", PATIENCE - 1, false)]
#[case::too_long(Reason::QuotaExceeded, "ERR_CREATE_POD", PATIENCE, true)]
#[case::another_cause_is_reported(Reason::RequestRefused, "ERR_CREATE_POD", PATIENCE, false)]
#[case::it_passes(Reason::ImagePullFailed, "ERR_CREATE_POD", PATIENCE, false)]
#[case::no_answer(Reason::QuotaExceeded, "ERR_API_UNAVAILABLE", PATIENCE, false)]
#[case::asked_to_wait(Reason::QuotaExceeded, "ERR_API_THROTTLED", PATIENCE, false)]
#[case::of_an_older_spec(Reason::QuotaExceeded, "ERR_INVALID_SPEC", PATIENCE, false)]
fn a_refused_object_stalls_after_a_while(
    #[case] reason: Reason,
    #[case] code: &str,
    #[case] waited: i64,
    #[case] expected: bool,
) {
    let errors = [error(code, QUOTA, 10)];
    let verdict = judge(
        &ready(Status::False, reason),
        &errors,
        [],
        after(10 + waited),
    );
    assert_eq!(verdict.is_some(), expected);
}

#[rstest]
#[case::by_the_reported_cause(Reason::QuotaExceeded, Reason::QuotaExceeded, true)]
#[case::by_another_one(Reason::QuotaExceeded, Reason::RequestRefused, false)]
#[case::by_one_that_passes(Reason::CrashLoop, Reason::CrashLoop, false)]
fn a_stalled_child_stalls_its_parent(
    #[case] reason: Reason,
    #[case] below: Reason,
    #[case] expected: bool,
) {
    let (below, idle) = (stalled(below), Vec::new());
    let all: [&[Condition]; 2] = [&idle, &below];
    let verdict = judge(&ready(Status::False, reason), &[], all, after(0));
    assert_eq!(verdict.is_some(), expected);
}

#[test]
fn it_is_looked_at_again_when_the_first_refusal_is_too_old() {
    let errors = [
        error("ERR_CREATE_POD", QUOTA, 20),
        error("ERR_CREATE_POD", "denied the request", 10),
        error("ERR_API_UNAVAILABLE", "timeout", 0),
        error("ERR_INVALID_SPEC", "spec.replicas: -1", 0),
    ];
    assert_eq!(due(&errors, after(20)), Some(after(10 + PATIENCE)));
    assert_eq!(
        due(&errors, after(10 + PATIENCE)),
        Some(after(20 + PATIENCE))
    );
    assert_eq!(due(&errors, after(20 + PATIENCE)), None);
    assert_eq!(due(&[], after(0)), None);
}
