//! Which requests for the restart of a replica have an effect (decision 182).

use api::podcliqueset::ReplicaAttempt;
use api::{PodCliqueSet, WorkloadType, events, labels};
use domain::health::fence::{AttemptCause, begin_attempts, current_attempt};
use domain::health::restart_request::{self, RestartRequest};
use domain::health::termination::{needs_events, terminated_event};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{after, set};

/// Three replicas, of which replica 1 is in attempt 2.
fn stored() -> PodCliqueSet {
    let cause = || AttemptCause {
        reason: ReplicaAttempt::BREACHED.into(),
        message: String::new(),
    };
    let first = begin_attempts(&[], [(1, cause())], after(0));
    let mut set = set("demo").replicas(3).clique("a", |c| c).build();
    set.status.get_or_insert_default().replica_attempts =
        begin_attempts(&first, [(1, cause())], after(10));
    set
}

fn ask(set: &mut PodCliqueSet, text: &str) {
    let annotations = set.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::RESTART_REPLICA.into(), text.into());
}

fn request(replica: i32, attempt: i32, reason: Option<&str>) -> RestartRequest {
    RestartRequest {
        replica,
        attempt,
        reason: reason.map(str::to_owned),
    }
}

fn refusal(set: &PodCliqueSet, text: &str) -> String {
    let verdict =
        restart_request::parse(text).and_then(|request| request.check(set, set.status.as_ref()));
    verdict.map_or_else(|refusal| refusal.to_string(), |()| "none".into())
}

#[rstest]
#[case::never_restarted(r#"{"replica": 0, "attempt": 0}"#, "none")]
#[case::present_attempt(r#"{"replica": 1, "attempt": 2, "reason": "new driver"}"#, "none")]
#[case::answered(
    r#"{"replica": 1, "attempt": 1}"#,
    "replica 1 is in attempt 2, not in 1"
)]
#[case::not_yet(
    r#"{"replica": 1, "attempt": 3}"#,
    "replica 1 is in attempt 2, not in 3"
)]
#[case::scaled_in(r#"{"replica": 3, "attempt": 0}"#, "there is no replica 3")]
#[case::negative(r#"{"replica": -1, "attempt": 0}"#, "there is no replica -1")]
#[case::no_json("2", "is no request for a restart")]
#[case::empty("", "is no request for a restart")]
#[case::without_attempt(r#"{"replica": 1}"#, "is no request for a restart")]
#[case::misspelt(
    r#"{"replica": 1, "attempt": 2, "raeson": "x"}"#,
    "is no request for a restart"
)]
#[case::too_large(
    r#"{"replica": 4294967296, "attempt": 0}"#,
    "is no request for a restart"
)]
#[case::lines(
    r#"{"replica": 1, "attempt": 2, "reason": "a\nb"}"#,
    "its reason must be one line"
)]
fn a_request_counts_for_the_attempt_that_it_names(#[case] text: &str, #[case] words: &str) {
    let mut set = stored();
    ask(&mut set, text);
    let found = refusal(&set, text);
    assert!(found.starts_with(words), "{found}");
    assert_eq!(
        restart_request::find_waiting(&set, &set).is_some(),
        words == "none"
    );
}

#[test]
fn a_reason_has_a_limit() {
    let text = |length: usize| {
        let reason = "x".repeat(length);
        format!(r#"{{"replica": 0, "attempt": 0, "reason": "{reason}"}}"#)
    };
    let longest = restart_request::LONGEST_REASON;
    assert_eq!(refusal(&stored(), &text(longest)), "none");
    let words = format!("its reason must be one line of at most {longest} bytes");
    assert_eq!(refusal(&stored(), &text(longest + 1)), words);
}

#[rstest]
#[case::job(|s: &mut PodCliqueSet| s.spec.workload_type = Some(WorkloadType::Training), "is a job")]
#[case::asleep(|s: &mut PodCliqueSet| s.spec.suspend = true, "is suspended")]
#[case::leaving(
    |s: &mut PodCliqueSet| s.metadata.deletion_timestamp = Some(Time(after(9))),
    "is being deleted"
)]
fn some_sets_let_no_replica_restart(#[case] change: fn(&mut PodCliqueSet), #[case] words: &str) {
    let mut set = stored();
    change(&mut set);
    let found = refusal(&set, r#"{"replica": 1, "attempt": 2}"#);
    assert!(found.contains(words), "{found}");
}

/// The write that answers it ends it.
#[test]
fn an_answered_request_is_void() {
    let mut set = stored();
    ask(&mut set, r#"{"replica": 1, "attempt": 2}"#);
    let asked = restart_request::find_waiting(&set, &set).unwrap();
    let status = set.status.as_mut().unwrap();
    let raised = begin_attempts(&status.replica_attempts, [(1, asked.cause())], after(20));
    status.replica_attempts = raised;
    assert_eq!(current_attempt(&status.replica_attempts, 1), 3);
    assert_eq!(restart_request::find_waiting(&set, &set), None);
}

#[rstest]
#[case(None, "replica 1, restart on demand")]
#[case(Some(" "), "replica 1, restart on demand")]
#[case(Some("new driver"), "replica 1, restart on demand: new driver")]
fn its_event_is_no_warning(#[case] reason: Option<&str>, #[case] message: &str) {
    let cause = request(1, 2, reason).cause();
    let attempts = begin_attempts(&[], [(1, cause)], after(0));
    assert!(needs_events(&attempts[0]));
    let event = terminated_event(&attempts[0], "uid", "replica 1");
    assert_eq!(event.message, message);
    assert_eq!(event.reason, events::REPLICA_RESTARTING);
    assert!(!event.is_warning);
}

#[rstest]
#[case(r#"{"replica": 3, "attempt": 0}"#)]
#[case(r#"{"replica": 0, "attempt": 7}"#)]
#[case("x")]
fn a_refusal_has_a_remedy(#[case] text: &str) {
    let set = stored();
    let refusal = restart_request::parse(text)
        .and_then(|request| request.check(&set, set.status.as_ref()))
        .unwrap_err();
    let remedy = refusal.remedy("demo");
    assert!(!remedy.is_empty() && remedy.len() < 400, "{remedy}");
}
